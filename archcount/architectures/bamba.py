"""Bamba: Mamba-2 layers, some of them attention instead, a gated MLP in each."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import attention, gated_mlp, mamba2, rms_norm
from ..config import Count, CountOrZero, DecoderConfig, ModelConfig, Size
from ..dim import exact_div, same_size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, LINEAR, stack_of
from ..tree import Module, module


class Mamba2Keys(ModelConfig):
    """Mamba-2 as Bamba, Granite 4 and Falcon-H1 spell it."""

    mamba_n_heads: Count = 128
    mamba_d_head: Size | Literal["auto"] = "auto"
    mamba_n_groups: Count = 1
    mamba_d_state: Size = 256
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"mamba_chunk_size"})


def state_space(
    config: Mamba2Keys, hidden: int, *, inner: int | None = None, out_bias: bool | None = None, norm: bool = True
) -> Module:
    """The Mamba-2 mixer of a layer; `inner` channels, or `mamba_expand × hidden`."""
    inner, heads, head_dim = inner or config.mamba_expand * hidden, config.mamba_n_heads, config.mamba_d_head
    same_size(inner, heads * (exact_div(inner, heads) if isinstance(head_dim, str) else head_dim))
    return mamba2(
        hidden,
        inner=inner,
        heads=heads,
        state=config.mamba_d_state,
        groups=config.mamba_n_groups,
        kernel=config.mamba_d_conv,
        bias=config.mamba_proj_bias,
        out_bias=out_bias,
        conv_bias=config.mamba_conv_bias,
        norm=norm,
    )


class HybridKeys(Mamba2Keys, DecoderConfig, Rotary):
    """Mamba-2 and attention in one model."""

    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False


def mixers_of(config: HybridKeys, positions: str | None) -> dict[str, dict[str, Module]]:
    """What stands before the MLP in a layer of each kind, by its checkpoint name."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=positions,
    )
    return {LINEAR: {"mamba": state_space(config, hidden)}, FULL: {"self_attn": self_attn}}


class BambaConfig(HybridKeys):
    vocab_size: Size = 128000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    hidden_act: str = "silu"
    attn_layer_indices: list[CountOrZero] | None = None
    mlp_bias: bool = False


@architecture("bamba", config=BambaConfig)
def bamba(config: BambaConfig) -> Module:
    hidden, mixers = config.hidden_size, mixers_of(config, config.rope)
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)

    def layer(kind: str) -> Module:
        norms = {"input_layernorm": rms_norm(hidden), "pre_ff_layernorm": rms_norm(hidden)}
        return module(None, "pre-norm", feed_forward=mlp, **norms, **mixers[kind])

    attending = set(config.attn_layer_indices or ())
    kinds = [FULL if index in attending else LINEAR for index in range(config.num_hidden_layers)]
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden), norm_name="final_layernorm")

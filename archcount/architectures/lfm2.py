"""LFM2 and LFM2-MoE: most layers a short convolution, a few attention; an MLP, or experts after the first layers.

Longer than most: the dense models and those with experts come by the width of their MLPs in ways of their own.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, bias_of, gated_mlp, rms_norm, short_convolution, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Factor, Size
from ..dim import exact_div, round_up, truncated
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, layer_kinds, stack_of
from ..tree import Module, module

CONVOLUTION = "conv"
GATE_UP_DOWN = ("w1", "w3", "w2")


class _Lfm2Keys(DecoderConfig, Rotary):
    vocab_size: Size = 65536
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 8
    head_dim: Size | None = None
    conv_bias: bool = False
    conv_L_cache: Size = 3  # noqa: N815 - as config.json spells it
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"tie_embedding": "tie_word_embeddings"}


class Lfm2Config(_Lfm2Keys):
    hidden_size: Size = 2560
    intermediate_size: Size = 12288
    block_auto_adjust_ff_dim: bool = True
    block_ffn_dim_multiplier: Factor | None = 1.0
    block_multiple_of: Size = 256
    full_attn_idxs: list[CountOrZero] | None = None
    layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"block_ff_dim": "intermediate_size"}
    ignored: ClassVar[frozenset[str]] = frozenset({"block_dim", "conv_dim", "conv_dim_out", "num_heads"})


class Lfm2MoeConfig(_Lfm2Keys):
    hidden_size: Size = 2048
    intermediate_size: Size = 7168
    moe_intermediate_size: Size = 1792
    num_dense_layers: CountOrZero = 2
    num_experts: Count = 32
    num_experts_per_tok: Count = 4
    use_expert_bias: bool = True
    layer_types: list[str]


@architecture("lfm2", config=Lfm2Config)
def lfm2(config: Lfm2Config) -> Module:
    given, layers = config.full_attn_idxs, config.num_hidden_layers
    attending = range(layers) if given is None else given

    def derived(index: int) -> str:
        return FULL if index in attending else CONVOLUTION

    kinds = layer_kinds(layers, config.layer_types, derived, known=(FULL, CONVOLUTION))
    mlp = gated_mlp(config.hidden_size, _inner(config), names=GATE_UP_DOWN)
    stacked = stack_of(kinds, lambda kind: _layer(config, kind, mlp))
    return decoder_lm(config, stacked, rms_norm(config.hidden_size), norm_name="embedding_norm")


@architecture("lfm2_moe", config=Lfm2MoeConfig)
def lfm2_moe(config: Lfm2MoeConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers
    dense = gated_mlp(hidden, config.intermediate_size, names=GATE_UP_DOWN)
    sparse = sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        expert_names=GATE_UP_DOWN,
        expert_bias=bias_of(config.num_experts) if config.use_expert_bias else None,
    )
    listed = layer_kinds(layers, config.layer_types, str, known=(FULL, CONVOLUTION))
    kinds = [(kind, index < config.num_dense_layers) for index, kind in enumerate(listed)]
    stacked = stack_of(kinds, lambda kind: _layer(config, kind[0], dense if kind[1] else sparse))
    return decoder_lm(config, stacked, rms_norm(hidden), norm_name="embedding_norm")


def _layer(config: Lfm2Config | Lfm2MoeConfig, kind: str, feed_forward: Module) -> Module:
    hidden = config.hidden_size
    return module(
        None,
        "pre-norm",
        self_attn=_attention(config) if kind == FULL else None,
        conv=short_convolution(hidden, config.conv_L_cache, bias=config.conv_bias) if kind == CONVOLUTION else None,
        feed_forward=feed_forward,
        operator_norm=rms_norm(hidden),
        ffn_norm=rms_norm(hidden),
    )


def _attention(config: Lfm2Config | Lfm2MoeConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        positions=config.rope,
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
        norm_names=("q_layernorm", "k_layernorm"),
    )


def _inner(config: Lfm2Config) -> int:
    """Two thirds of the stated width, times a factor, rounded up: as LFM2's own class widens the MLP."""
    stated, factor = config.intermediate_size, config.block_ffn_dim_multiplier
    if not config.block_auto_adjust_ff_dim:
        return stated
    inner = 2 * stated // 3
    if factor is None:
        return inner
    widened = inner if factor == 1 else truncated(factor, inner, "block_ffn_dim_multiplier")
    return round_up(widened, config.block_multiple_of)

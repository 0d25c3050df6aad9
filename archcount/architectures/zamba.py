"""Zamba: Mamba layers of several heads, and one transformer block stored once and entered at every sixth."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import attention, causal_convolution, gated_mlp, linear, recurrent_state, rms_norm
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import ceil_div, exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import HYBRID, LINEAR, layer_kinds, renewed
from ..tree import Module, Role, Tensor, Use, module, stack, tied


class ZambaConfig(DecoderConfig):
    vocab_size: Size = 32000
    hidden_size: Size = 3712
    attention_hidden_size: Size | None = None
    intermediate_size: Size = 14848
    num_hidden_layers: Count = 76
    num_attention_heads: Count = 16
    attention_head_dim: Size | None = None
    num_key_value_heads: Count = 16
    n_mamba_heads: Count = 2
    hidden_act: str = "gelu"
    attn_layer_period: Count = 6
    attn_layer_offset: CountOrZero = 4
    mamba_d_state: Size = 16
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_dt_rank: Size | Literal["auto"] = "auto"
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False
    tie_word_embeddings: bool = True
    layers_block_type: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"layer_types": "layers_block_type", "head_dim": "attention_head_dim"}


@architecture("zamba", config=ZambaConfig)
def zamba(config: ZambaConfig) -> Module:
    hidden, mixer, shared = config.hidden_size, _state_space(config), _shared_block(config)
    state_space = module(None, "pre-norm", mamba=mixer, input_layernorm=rms_norm(hidden))
    kinds = layer_kinds(
        config.num_hidden_layers,
        renewed(config.layers_block_type),
        lambda index: HYBRID if _enters(config, index) else LINEAR,
        known=(LINEAR, HYBRID),
        key="layers_block_type",
    )
    first = kinds.index(HYBRID) if HYBRID in kinds else None
    # The class ties the head and the shared block by the one flag; without it each place has a block of its own.
    again = tied(shared, f"model.layers.{first}.shared_transf") if config.tie_word_embeddings else shared

    def hybrid(block: Module) -> Module:
        return module(shared_transf=block, linear=linear(hidden, hidden), mamba_decoder=state_space)

    owner, later = hybrid(shared), hybrid(again)
    layers = [state_space if kind == LINEAR else owner if i == first else later for i, kind in enumerate(kinds)]
    return decoder_lm(config, stack(layers), rms_norm(hidden), norm_name="final_layernorm")


def _enters(config: ZambaConfig, index: int) -> bool:
    return index == 2 or (index > 2 and (index - 3) % config.attn_layer_period == config.attn_layer_offset)


def _shared_block(config: ZambaConfig) -> Module:
    """Attention and MLP; attention reads the layer's input beside the embedding, twice the width."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    joined = config.attention_hidden_size or 2 * hidden
    head_dim = config.attention_head_dim or 2 * hidden // heads
    self_attn = attention(joined, heads=heads, kv_heads=config.num_key_value_heads, head_dim=head_dim)
    return module(
        None,
        "pre-norm",
        self_attn=self_attn.replacing(o_proj=linear(heads * head_dim, hidden)),
        feed_forward=gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        input_layernorm=rms_norm(joined),
        pre_ff_layernorm=rms_norm(hidden),
    )


def _state_space(config: ZambaConfig) -> Module:
    """Mamba whose inner channels are split into heads, each with matrices of its own."""
    hidden, heads, state, rank = config.hidden_size, config.n_mamba_heads, config.mamba_d_state, config.mamba_dt_rank
    inner = config.mamba_expand * hidden
    each, steps = exact_div(inner, heads), ceil_div(hidden, 16) if isinstance(rank, str) else rank
    return module(
        Role.SSM,
        f"Mamba, {heads} heads",
        x_proj_weight=Tensor((heads, steps + 2 * state, each), Use.MATMUL),
        dt_proj_weight=Tensor((heads, each, steps), Use.MATMUL),
        dt_proj_bias=Tensor((heads, each), Use.BIAS),
        A_log=Tensor((heads, each, state)),
        D=Tensor((heads, each)),
        conv1d=causal_convolution(inner, config.mamba_d_conv, bias=config.mamba_conv_bias),
        in_proj=linear(hidden, 2 * inner, bias=config.mamba_proj_bias),
        out_proj=linear(inner, hidden, bias=config.mamba_proj_bias),
    ).marked(cache=recurrent_state(inner * state, "SSM state"))

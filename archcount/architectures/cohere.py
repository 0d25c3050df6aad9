"""Command R and R7B: attention and MLP in parallel behind one LayerNorm without a bias, a tied table."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module, Role, Tensor, Use, module, repeat


class CohereConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 8192
    intermediate_size: Size = 22528
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 64
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    use_qk_norm: bool = False
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True


class Cohere2Config(CohereConfig):
    sliding_window: Size | None = 4096
    sliding_window_pattern: Count = 4
    layer_types: list[str] | None = None


@architecture("cohere", config=CohereConfig)
def cohere(config: CohereConfig) -> Module:
    heads = config.num_attention_heads
    head_dim = config.head_dim or exact_div(config.hidden_size, heads)
    if not config.use_qk_norm:
        layer = parallel_layer(config, head_dim)
    else:
        norms = head_norm(heads, head_dim), head_norm(config.num_key_value_heads or heads, head_dim)
        layer = parallel_layer(config, head_dim, norms=norms)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm(config))


@architecture("cohere2", config=Cohere2Config)
def cohere2(config: Cohere2Config) -> Module:
    head_dim = config.head_dim or exact_div(config.hidden_size, config.num_attention_heads)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(config.sliding_window_pattern))

    def layer(window: int | None) -> Module:
        positions = config.rope if window else "NoPE"  # the layers that see all tokens have no positions
        return parallel_layer(config, head_dim, window=window, positions=positions)

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), norm(config))


def parallel_layer(
    config: CohereConfig,
    head_dim: int,
    *,
    norms: tuple[Module | None, Module | None] = (None, None),
    window: int | None = None,
    positions: str | None = None,
) -> Module:
    hidden = config.hidden_size
    self_attn = attention(
        hidden,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=norms[0],
        key_norm=norms[1],
        window=window,
        positions=positions or config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    return module(None, "parallel", self_attn=self_attn, mlp=mlp, input_layernorm=norm(config))


def norm(config: CohereConfig) -> Module:
    return layer_norm(config.hidden_size, bias=False)


def head_norm(heads: int, head_dim: int) -> Module:
    """A gain of its own for every head: [heads, head_dim]."""
    return module(Role.NORM, "LayerNorm", weight=Tensor((heads, head_dim), Use.SCALE))

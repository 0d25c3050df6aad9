"""LFM3: short convolutions between gated attention, every other time through a window; norms on both sides of each."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, linear, rms_norm, short_convolution
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of
from ..tree import Module, module
from .lfm2 import CONVOLUTION, GATE_UP_DOWN


class Lfm3Config(DecoderConfig, Rotary):
    vocab_size: Size = 128_000
    hidden_size: Size = 2048
    intermediate_size: Size = 7680
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 4
    head_dim: Size = 128
    conv_bias: bool = False
    conv_L_cache: Size = 7  # noqa: N815 - as config.json spells it
    layer_types: list[str] | None = None
    sliding_window: Size | None = 256
    use_sandwich_norm: bool = True
    use_attention_gate: bool = True
    attention_bias: bool = False
    tie_word_embeddings: bool = True


@architecture("lfm3", config=Lfm3Config)
def lfm3(config: Lfm3Config) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, names=GATE_UP_DOWN)
    after = rms_norm(hidden) if config.use_sandwich_norm else None
    convolution = short_convolution(hidden, config.conv_L_cache, bias=config.conv_bias)

    def layer(kind: str) -> Module:
        return module(
            None,
            "pre-norm" if after is None else "pre- and post-norm",
            self_attn=None if kind == CONVOLUTION else _attention(config, kind),
            conv=convolution if kind == CONVOLUTION else None,
            feed_forward=mlp,
            operator_norm=rms_norm(hidden),
            ffn_norm=rms_norm(hidden),
            post_operator_norm=after,
            post_ffn_norm=after,
        )

    known = (FULL, SLIDING, CONVOLUTION)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, _derived, known=known)
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden), norm_name="embedding_norm")


def _derived(index: int) -> str:
    return FULL if index % 4 == 2 else SLIDING if index % 4 == 0 and index > 0 else CONVOLUTION


def _attention(config: Lfm3Config, kind: str) -> Module:
    """Grouped-query attention whose heads are each scaled by a gate of their own."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    ).extend(gate_proj=linear(hidden, heads) if config.use_attention_gate else None)

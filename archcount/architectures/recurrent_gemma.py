"""RecurrentGemma (Griffin): two layers of gated linear recurrence, then one of attention through a window."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_linear_recurrence, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, module

RECURRENT, ATTENTION = "recurrent", "attention"


class RecurrentGemmaConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 2560
    intermediate_size: Size = 7680
    num_hidden_layers: Count = 26
    num_attention_heads: Count = 10
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    lru_width: Size | None = None
    attention_window_size: Size = 2048
    conv1d_width: Size = 4
    hidden_activation: str = "gelu_pytorch_tanh"
    block_types: tuple[str, ...] = (RECURRENT, RECURRENT, ATTENTION)
    attention_bias: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"sliding_window": "attention_window_size"}


@architecture("recurrent_gemma", config=RecurrentGemmaConfig)
def recurrent_gemma(config: RecurrentGemmaConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    blocks = {
        RECURRENT: gated_linear_recurrence(hidden, config.lru_width or hidden, heads=heads, kernel=config.conv1d_width),
        ATTENTION: attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            out_bias=True,
            window=config.attention_window_size,
            positions=config.rope,
        ),
    }
    mlp = gated_mlp(hidden, config.intermediate_size // 2, bias=True, activation=config.hidden_activation)

    def layer(kind: str) -> Module:
        norms = {"temporal_pre_norm": rms_norm(hidden), "channel_pre_norm": rms_norm(hidden)}
        return module(None, "pre-norm", temporal_block=blocks[kind], mlp_block=mlp, **norms)

    layers = stack_of(_kinds(config), layer)
    return decoder_lm(config, layers, rms_norm(hidden), norm_name="final_norm")


def _kinds(config: RecurrentGemmaConfig) -> list[str]:
    """The kinds of `block_types`, over and over until every layer has one."""
    pattern = config.block_types
    for index, kind in enumerate(pattern):
        if kind not in (RECURRENT, ATTENTION):
            raise ConfigValueError(f"block_types[{index}] is {kind!r}: should be {RECURRENT} or {ATTENTION}")
    if not pattern:
        raise ConfigValueError("block_types is empty: should name the kind of at least one layer")
    return [pattern[index % len(pattern)] for index in range(config.num_hidden_layers)]

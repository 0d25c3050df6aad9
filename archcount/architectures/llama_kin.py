"""Models that are Llama with defaults and biases of their own: Granite, Helium, InternLM3, ERNIE 4.5, Seed-OSS …

Longer than most: a schema of defaults for each of eight model_types, and a rule of few lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ..blocks import attention, gated_mlp, linear, pre_norm_layer, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Tensor, repeat
from .llama import LlamaConfig


class GraniteConfig(LlamaConfig):
    pass


class HeliumConfig(LlamaConfig):
    vocab_size: Size = 48000
    hidden_size: Size = 2560
    intermediate_size: Size = 7040
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 20
    num_key_value_heads: Count | None = 20
    head_dim: Size | None = 128


class IQuestCoderConfig(LlamaConfig):
    vocab_size: Size = 76800
    hidden_size: Size = 5120
    intermediate_size: Size = 27648
    num_hidden_layers: Count = 80
    num_attention_heads: Count = 40
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128


class InternLM3Config(LlamaConfig):
    vocab_size: Size = 128512
    intermediate_size: Size = 10240
    num_hidden_layers: Count = 48
    num_key_value_heads: Count | None = 2
    head_dim: Size | None = 128
    also_spelled: ClassVar[dict[str, str]] = {"qkv_bias": "attention_bias", "bias": "mlp_bias"}


class Ernie45Config(LlamaConfig):
    vocab_size: Size = 103424
    hidden_size: Size = 1024
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 18
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 2
    head_dim: Size | None = 128
    tie_word_embeddings: bool = True
    use_bias: bool = False


class SeedOssConfig(LlamaConfig):
    vocab_size: Size = 155136
    intermediate_size: Size = 27648
    num_hidden_layers: Count = 64
    num_attention_heads: Count = 80
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128
    attention_bias: bool = True
    attention_out_bias: bool = False


class Ministral3Config(LlamaConfig):
    vocab_size: Size = 131072
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 34
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128
    sliding_window: Size | None = None


class Emu3TextConfig(LlamaConfig):
    model_type: str = "emu3_text_model"
    vocab_size: Size = 184622
    intermediate_size: Size = 14336
    num_key_value_heads: Count | None = 8


@architecture("granite", config=GraniteConfig)
@architecture("emu3_text_model", config=Emu3TextConfig)
@architecture("iquestcoder", config=IQuestCoderConfig)
def granite(config: LlamaConfig) -> Module:
    return decoder(config, bias=config.attention_bias, mlp_bias=config.mlp_bias)


@architecture("helium", config=HeliumConfig)
def helium(config: HeliumConfig) -> Module:
    bias, square = config.attention_bias, linear(config.hidden_size, config.hidden_size)
    return decoder(config, bias=bias, mlp_bias=config.mlp_bias, out_projection=square)


@architecture("internlm3", config=InternLM3Config)
def internlm3(config: InternLM3Config) -> Module:
    return decoder(config, bias=config.attention_bias, out_bias=config.mlp_bias, mlp_bias=config.mlp_bias)


@architecture("ernie4_5", config=Ernie45Config)
def ernie4_5(config: Ernie45Config) -> Module:
    return decoder(config, bias=config.use_bias, mlp_bias=config.use_bias)


@architecture("seed_oss", config=SeedOssConfig)
def seed_oss(config: SeedOssConfig) -> Module:
    bias, out_bias = config.attention_bias, config.attention_out_bias
    return decoder(config, bias=bias, out_bias=out_bias, mlp_bias=config.mlp_bias)


@architecture("ministral3", config=Ministral3Config)
def ministral3(config: Ministral3Config) -> Module:
    return decoder(config, windows=[config.sliding_window] * config.num_hidden_layers)


def decoder(
    config: LlamaConfig,
    *,
    bias: bool = False,
    out_bias: bool | None = None,
    mlp_bias: bool = False,
    windows: Sequence[int | None] | None = None,
    sinks: bool = False,
    out_projection: Module | None = None,
) -> Module:
    """Llama's layers with the biases and the window of each layer given (`windows` left out: none has one).

    `out_bias` is the attention output's, as `bias` if not given; `sinks` adds a learned logit per head, [heads];
    `out_projection` stands in for the usual [hidden, heads × head_dim].
    """
    hidden, norm = config.hidden_size, rms_norm(config.hidden_size)

    def layer(window: int | None) -> Module:
        self_attn = llama_attention(config, window, bias, out_bias)
        self_attn = self_attn.extend(sinks=Tensor((config.num_attention_heads,)) if sinks else None)
        if out_projection:
            self_attn = self_attn.replacing(o_proj=out_projection)
        mlp = gated_mlp(hidden, config.intermediate_size, bias=mlp_bias, activation=config.hidden_act)
        return pre_norm_layer(self_attn, mlp, norm)

    layers = repeat(config.num_hidden_layers, layer(None)) if windows is None else stack_of(windows, layer)
    return decoder_lm(config, layers, norm)


def llama_attention(config: LlamaConfig, window: int | None, bias: bool, out_bias: bool | None) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=bias,
        out_bias=out_bias,
        window=window,
        positions=config.rope,
    )

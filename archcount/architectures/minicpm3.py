"""MiniCPM3 and Youtu: DeepSeek's latent attention with a dense MLP in every layer."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import gated_mlp, latent_attention, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class MiniCPM3Config(DecoderConfig, Rotary):
    vocab_size: Size = 73448
    hidden_size: Size = 2560
    intermediate_size: Size = 6400
    num_hidden_layers: Count = 62
    num_attention_heads: Count = 40
    q_lora_rank: Size | None = 768
    kv_lora_rank: Size = 256
    qk_nope_head_dim: Size = 64
    qk_rope_head_dim: Size = 32
    v_head_dim: Size | None = None
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim", "qk_head_dim"})


class YoutuConfig(MiniCPM3Config):
    vocab_size: Size = 128256
    hidden_size: Size = 2048
    intermediate_size: Size = 6144
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 16
    q_lora_rank: Size | None = 1536
    kv_lora_rank: Size = 512
    qk_nope_head_dim: Size = 128
    qk_rope_head_dim: Size = 64
    v_head_dim: Size | None = 128


@architecture("minicpm3", config=MiniCPM3Config)
def minicpm3(config: MiniCPM3Config) -> Module:
    return latent_decoder(config, mlp_bias=config.mlp_bias)


@architecture("youtu", config=YoutuConfig)
def youtu(config: YoutuConfig) -> Module:
    return latent_decoder(config, mlp_bias=False)


def latent_decoder(config: MiniCPM3Config, *, mlp_bias: bool) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = latent_attention(
        hidden,
        heads=heads,
        query_rank=config.q_lora_rank,
        kv_rank=config.kv_lora_rank,
        nope_dim=config.qk_nope_head_dim,
        rope_dim=config.qk_rope_head_dim,
        value_dim=config.v_head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=mlp_bias, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))

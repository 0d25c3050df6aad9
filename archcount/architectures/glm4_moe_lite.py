"""GLM-4.7-Flash and A.X K1: DeepSeek-V3's layers, with each layer's MLP named in a list."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import followed_by, look_ahead_layer, pre_norm_layer, rms_norm
from ..config import Count, CountOrZero, Size
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import SPARSE, stack_of
from ..tree import Module
from .deepseek_v2 import latent
from .deepseek_v32 import LatentMoeConfig, mlp_kinds, mlp_of


class Glm4MoeLiteConfig(LatentMoeConfig):
    vocab_size: Size = 154880
    hidden_size: Size = 2048
    intermediate_size: Size = 10240
    moe_intermediate_size: Size = 1536
    num_hidden_layers: Count = 47
    num_attention_heads: Count = 20
    n_routed_experts: Count = 64
    num_experts_per_tok: Count = 4
    q_lora_rank: Size | None = 768
    v_head_dim: Size = 256
    qk_nope_head_dim: Size = 192


class AxK1Config(LatentMoeConfig):
    vocab_size: Size = 163840
    num_attention_heads: Count = 64
    n_routed_experts: Count = 192
    q_lora_rank: Size = 1536
    first_k_dense_replace: CountOrZero = 1
    moe_layer_freq: Count = 1
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


@architecture("glm4_moe_lite", config=Glm4MoeLiteConfig)
def glm4_moe_lite(config: Glm4MoeLiteConfig) -> Module:
    hidden = config.hidden_size

    def layer(kind: str) -> Module:
        return pre_norm_layer(latent(config), mlp_of(config, kind), rms_norm(hidden))

    further = look_ahead_layer(layer(SPARSE), hidden, config.vocab_size)
    stacked = stack_of(mlp_kinds(config, 1), layer)
    layers = followed_by(stacked, further, config.num_hidden_layers, config.num_nextn_predict_layers)
    return decoder_lm(config, layers, rms_norm(hidden))


@architecture("axk1", config=AxK1Config)
def axk1(config: AxK1Config) -> Module:
    hidden = config.hidden_size

    def layer(kind: str) -> Module:
        plain = pre_norm_layer(latent(config), mlp_of(config, kind), rms_norm(hidden))
        return plain.extend(post_mlp_layernorm=rms_norm(hidden) if kind == SPARSE else None)

    kinds = mlp_kinds(config, config.first_k_dense_replace, config.moe_layer_freq)
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))

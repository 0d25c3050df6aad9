"""GLM-5.3 Flash: delta attention (KDA) in three layers of four, sparse MLA without positions in the fourth; eyes."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from ..blocks import delta_attention, embedding, hyper_connection, rms_norm
from ..config import Count, ModelConfig, Size, SizeOrZero
from ..flat import FlatTextConfig
from ..heads import causal_lm
from ..multimodal import with_language_beside
from ..nested import nested
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, stack_of
from ..tree import Attends, Cache, Module, Tensor, Use, module
from .deepseek_v32 import GlmMoeDsaConfig, indexed_attention, indexer_kinds, mlp_kinds, mlp_of
from .kimi_linear import LinearAttnConfig
from .towers.glm4v import GlmOcrVisionConfig, glm_ocr_vision

INDEXED = "indexed_attention"


class Glm5NextTextConfig(GlmMoeDsaConfig):
    hidden_size: Size = 4096
    num_hidden_layers: Count = 45
    n_routed_experts: Count = 288
    q_lora_rank: Size = 1536
    qk_nope_head_dim: Size = 256
    qk_rope_head_dim: SizeOrZero = 0
    index_kpool: Count = 16
    layer_types: list[str] | None = None
    linear_head_dim: Size = 128
    linear_num_heads: Count = 64
    linear_conv_kernel_dim: Size = 4
    linear_attn_config: LinearAttnConfig | None = None
    hc_mult: Count = 4
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known

    def mixer_kinds(self) -> list[str]:
        """Delta attention, but in every fourth layer."""
        given = self.layer_types and [INDEXED if kind == FULL else kind for kind in self.layer_types]
        layers = self.num_hidden_layers
        return layer_kinds(layers, given, lambda index: LINEAR if index % 4 != 3 else INDEXED, known=(LINEAR, INDEXED))


class Glm5NextVisionConfig(GlmOcrVisionConfig):
    model_type: str = "glm5_next_vision"
    projection_intermediate_size: Size = 10240


class Glm5NextConfig(FlatTextConfig):
    text_config: ModelConfig = nested("glm5_next_text")
    vision_config: Glm5NextVisionConfig = Glm5NextVisionConfig()
    tie_word_embeddings: bool = False


@architecture("glm5_next_text", config=Glm5NextTextConfig)
def glm5_next_text(config: Glm5NextTextConfig) -> Module:
    hidden, vocab, layers = config.hidden_size, config.vocab_size, config.num_hidden_layers
    delta = _delta_attention(config)
    streams = config.hc_mult * (2 + config.hc_mult)

    def layer(kind: tuple[str, str, str]) -> Module:
        mixer, mlp, indexer = kind
        return module(
            None,
            "pre-norm",
            self_attn=delta if mixer == LINEAR else _sparse_attention(config, indexer),
            mlp=mlp_of(config, mlp),
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
            **hyper_connection(hidden, config.hc_mult, streams, 3, ("hc_attn_fn", "hc_attn_base", "hc_attn_scale")),
            **hyper_connection(hidden, config.hc_mult, streams, 3, ("hc_ffn_fn", "hc_ffn_base", "hc_ffn_scale")),
        )

    every, offset = config.index_topk_freq, config.index_skip_topk_offset
    indexers = indexer_kinds(layers, config.indexer_types, config.index_topk_pattern, every, offset)
    kinds = zip(config.mixer_kinds(), mlp_kinds(config, 3), indexers, strict=True)
    model = module(embed_tokens=embedding(vocab, hidden), layers=stack_of(kinds, layer), norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


@architecture("glm5_next", config=Glm5NextConfig)
def glm5_next(config: Glm5NextConfig) -> Module:
    vision = config.vision_config
    parts = {"visual": glm_ocr_vision(vision, vision.projection_intermediate_size)}
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)


def _delta_attention(config: Glm5NextTextConfig) -> Module:
    given = config.linear_attn_config or LinearAttnConfig()
    return delta_attention(
        config.hidden_size,
        heads=given.num_heads or config.linear_num_heads,
        head_dim=given.head_dim or config.linear_head_dim,
        kernel=given.short_conv_kernel_size or config.linear_conv_kernel_dim,
    )


def _sparse_attention(config: Glm5NextTextConfig, indexer: str) -> Module:
    """Pools of `index_kpool` tokens are scored, not tokens; a key and a weight in its pool are kept for each token."""
    attention = indexed_attention(config, indexer)
    if attention.attends is not None:
        attention = attention.marked(attends=replace(attention.attends, positions="NoPE"))
    scorer = dict(attention.children).get("indexer")
    if not isinstance(scorer, Module):
        return attention
    pool, heads, head_dim = config.index_kpool, config.index_n_heads, config.index_head_dim
    pooled = scorer.extend(
        index_kpool_compress_ape=Tensor((pool, head_dim)),
        index_kpool_compress_gate=Tensor((head_dim, config.hidden_size), Use.MATMUL),
    ).marked(cache=Cache("indexer", per_token=2 * head_dim), attends=Attends(heads, head_dim, 0, every=pool))
    return attention.replacing(indexer=pooled)

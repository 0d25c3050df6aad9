"""Llama 4: a tower, packed experts beside a shared one, attention in chunks but for every fourth layer."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import attention, gated_mlp, linear, mixture, packed_experts, rms_norm, router
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..images.seen import ImageRule
from ..multimodal import with_language_inside
from ..nested import CompositeConfig, nested
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, checked_length, layer_kinds, stack_of
from ..tree import Module, module
from .towers.llama4 import MOST_TILES, Llama4VisionConfig, llama4_vision, tiles

CHUNKED = "chunked_attention"


class Llama4TextConfig(DecoderConfig, Rotary):
    vocab_size: Size = 202048
    hidden_size: Size = 5120
    intermediate_size: Size = 8192
    intermediate_size_mlp: Size = 16384
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 40
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = 128
    hidden_act: str = "silu"
    attention_bias: bool = False
    num_experts_per_tok: Count = 1
    num_local_experts: Count = 16
    moe_layers: list[CountOrZero] | None = None
    interleave_moe_layer_step: Count = 1
    no_rope_layers: list[CountOrZero] | None = None
    no_rope_layer_interval: Count = 4
    attention_chunk_size: Size | None = 8192
    layer_types: list[str] | None = None


class Llama4Config(CompositeConfig):
    text_config: Llama4TextConfig = nested("llama4_text")
    vision_config: Llama4VisionConfig = Llama4VisionConfig()


IMAGES = ImageRule(lambda config, it: tiles(config.vision_config, it), "Llama4ImageProcessor", MOST_TILES)


@architecture("llama4", config=Llama4Config, images=IMAGES)
def llama4(config: Llama4Config) -> Module:
    """The language model alone says whether its head is tied."""
    text, features = config.text_config, config.vision_config.vision_output_dim
    parts = {
        "vision_model": llama4_vision(config.vision_config),
        "multi_modal_projector": module(linear_1=linear(features, text.hidden_size)).marked(section="projector"),
    }
    return with_language_inside(config, text, parts, tie=text.tie_word_embeddings)


@architecture("llama4_text", config=Llama4TextConfig)
def llama4_text(config: Llama4TextConfig) -> Module:
    hidden, layers, step = config.hidden_size, config.num_hidden_layers, config.interleave_moe_layer_step
    with_experts = range(step - 1, layers, step) if config.moe_layers is None else config.moe_layers
    rotates = config.no_rope_layers or [(index + 1) % config.no_rope_layer_interval for index in range(layers)]
    rotates = checked_length(rotates, layers, "no_rope_layers")

    def chunks(index: int) -> str:
        return CHUNKED if rotates[index] and config.attention_chunk_size is not None else FULL

    def layer(kind: tuple[str, bool, bool]) -> Module:
        attends, has_rope, has_experts = kind
        return module(
            None,
            "pre-norm",
            self_attn=_attention(config, attends, has_rope),
            feed_forward=_experts(config) if has_experts else _mlp(config, config.intermediate_size_mlp),
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
        )

    kinds = layer_kinds(layers, config.layer_types, chunks, known=(CHUNKED, FULL))
    each = [(kinds[index], bool(rotates[index]), index in with_experts) for index in range(layers)]
    return decoder_lm(config, stack_of(each, layer), rms_norm(hidden))


def _attention(config: Llama4TextConfig, kind: str, has_rope: bool) -> Module:
    heads = config.num_attention_heads
    found = attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(config.hidden_size, heads),
        bias=config.attention_bias,
        window=config.attention_chunk_size if kind == CHUNKED else None,
        positions=config.rope if has_rope else "none",
    )
    return found.marked(attends=replace(found.attends, chunked=kind == CHUNKED) if found.attends else None)


def _mlp(config: Llama4TextConfig, inner: int) -> Module:
    return gated_mlp(config.hidden_size, inner, activation=config.hidden_act)


def _experts(config: Llama4TextConfig) -> Module:
    hidden, inner = config.hidden_size, config.intermediate_size
    experts, active, activation = config.num_local_experts, config.num_experts_per_tok, config.hidden_act
    packed = packed_experts(hidden, inner, experts=experts, active=active, activation=activation, transposed=True)
    return mixture(experts, active, experts=packed, router=router(hidden, experts), shared_expert=_mlp(config, inner))

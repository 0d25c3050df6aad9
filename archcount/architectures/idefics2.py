"""Idefics 2: SigLIP's tower without its head, a Perceiver that sums patches up in 64 latents, and a Mistral."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import gated_mlp, linear, rms_norm
from ..config import Count, ModelConfig, Schema, Size
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Attends, Module, Role, Tensor, module, repeat
from .towers.siglip import Idefics2VisionConfig, siglip_vision


class PerceiverConfig(Schema):
    model_type: str = "idefics2_perceiver"
    resampler_n_latents: Count = 64
    resampler_depth: Count = 3
    resampler_n_heads: Count = 16
    resampler_head_dim: Size = 96
    num_key_value_heads: Count = 4
    hidden_act: str = "silu"
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size"})  # always the language model's


class Idefics2Config(CompositeConfig):
    text_config: ModelConfig = nested("mistral")
    vision_config: Idefics2VisionConfig = Idefics2VisionConfig()
    perceiver_config: PerceiverConfig = PerceiverConfig()
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"vocab_size"})


def _images(config: Idefics2Config, picture: Picture) -> Seen:
    """The whole, and its four quarters where it is split, each summed up in so many latents, with marks between."""
    views = 5 if picture.does("do_image_splitting") else 1
    return Seen(views * int(config.perceiver_config.resampler_n_latents), views=None, marks=views + 1)


IMAGES = ImageRule(_images, "Idefics2ImageProcessor", {"do_image_splitting": False})


@architecture("idefics2", config=Idefics2Config, images=IMAGES)
def idefics2(config: Idefics2Config) -> Module:
    text, vision, hidden = config.text_config, config.vision_config, size_of(config.text_config, "hidden_size")
    inner, activation = size_of(text, "intermediate_size"), config.perceiver_config.hidden_act
    projection = gated_mlp(vision.hidden_size, inner, activation=activation).replacing(down_proj=linear(inner, hidden))
    connector = module(
        modality_projection=projection,
        perceiver_resampler=_resampler(config.perceiver_config, hidden),
    )
    parts = {"vision_model": siglip_vision(vision), "connector": connector.marked(section="projector")}
    return with_language_beside(config, text, parts, tie=is_tied(config, text), name="text_model")


def _resampler(config: PerceiverConfig, hidden: int) -> Module:
    layer = module(
        None,
        "pre-norm",
        input_latents_norm=rms_norm(hidden),
        input_context_norm=rms_norm(hidden),
        self_attn=_reading(config, hidden),
        post_attention_layernorm=rms_norm(hidden),
        mlp=gated_mlp(hidden, 4 * hidden, activation=config.hidden_act),
    )
    latents = Tensor((config.resampler_n_latents, hidden))
    return module(latents=latents, layers=repeat(config.resampler_depth, layer), norm=rms_norm(hidden))


def _reading(config: PerceiverConfig, hidden: int) -> Module:
    """Latents attend to patches and to each other. Key-value heads need not share the heads out evenly here."""
    heads, kv_heads, head_dim = config.resampler_n_heads, config.num_key_value_heads, config.resampler_head_dim
    return module(
        Role.ATTENTION,
        f"GQA {heads}/{kv_heads}",
        q_proj=linear(hidden, heads * head_dim),
        k_proj=linear(hidden, kv_heads * head_dim),
        v_proj=linear(hidden, kv_heads * head_dim),
        o_proj=linear(heads * head_dim, hidden),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False))

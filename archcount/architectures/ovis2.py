"""Ovis 2: an AIMv2 tower whose patches become a choice among visual words, and a Qwen2 beside their table."""

from __future__ import annotations

from ..blocks import (
    attention,
    convolution,
    embedding,
    gated_mlp,
    layer_norm,
    linear,
    lm_head,
    position_embedding,
    rms_norm,
)
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..dim import exact_div
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class Ovis2VisionConfig(Schema):
    model_type: str = "ovis2_vision"
    vocab_size: Size = 16384
    hidden_size: Size = 1024
    intermediate_size: Size = 2816
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 8
    num_channels: Size = 3
    image_size: Size = 224
    patch_size: Size = 14
    qkv_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "silu"
    hidden_stride: Count = 1
    num_visual_indicator_tokens: CountOrZero = 5


class Ovis2Config(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    vision_config: Ovis2VisionConfig = Ovis2VisionConfig()
    vocab_size: Size = 151643
    hidden_size: Size = 1536
    tie_word_embeddings: bool = True


@architecture("ovis2", config=Ovis2Config)
def ovis2(config: Ovis2Config) -> Module:
    text, vision = config.text_config, config.vision_config
    table = embedding(vision.vocab_size, config.hidden_size).marked(section="projector")
    parts = {"vision_tower": _tower(vision), "visual_embeddings_table": table}
    tie, head = is_tied(config, text), lm_head(config.hidden_size, config.vocab_size)
    whole = with_language_beside(config, text, parts, tie=tie)
    return whole if tie else whole.replacing(lm_head=head)  # as wide and as tall as the outer config says


def _tower(config: Ovis2VisionConfig) -> Module:
    """`transformer`, and a head of one row for each visual word that an image can hold."""
    width, side = config.hidden_size, config.hidden_stride
    words = config.vocab_size - config.num_visual_indicator_tokens
    return module(
        transformer=_transformer(config),
        head_linear=linear(width * (side * side), words),
        head_norm=layer_norm(words),
    ).marked(section="vision")


def _transformer(config: Ovis2VisionConfig) -> Module:
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    patches_a_side = config.image_size // patch
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding"),
        position_embedding=position_embedding(patches_a_side * patches_a_side, width),
        rms_norm=rms_norm(width),
    )
    attend = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=config.qkv_bias,
        causal=False,
        positions="learned",
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    ffn = gated_mlp(width, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    norm = rms_norm(width)
    layer = module(None, "pre-norm", attention=attend, ffn=ffn, rms_norm1=norm, rms_norm2=norm)
    encoder = module(layers=repeat(config.num_hidden_layers, layer))
    return module(embeddings=embeddings, encoder=encoder, rms_norm=rms_norm(width))

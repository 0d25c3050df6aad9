"""Pixtral's vision tower: a Llama of patches, with rotary positions in two dimensions, for images of any size."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, gated_mlp, rms_norm
from ...config import Count, ModelConfig, Size
from ...dim import exact_div
from ...registry import architecture
from ...tree import Module, Role, module, repeat
from .sides import both_sides

HUGGING_FACE = ("q_proj", "k_proj", "v_proj", "o_proj"), ("gate_proj", "up_proj", "down_proj")
MISTRAL = ("wq", "wk", "wv", "wo"), ("w1", "w3", "w2")  # what Mistral's own files call them


class PixtralVisionConfig(ModelConfig):
    model_type: str = "pixtral"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    num_channels: Size = 3
    patch_size: Size | tuple[Size, Size] = 16
    hidden_act: str = "gelu"
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim", "image_size", "vocab_size"})


@architecture("pixtral", config=PixtralVisionConfig)
def pixtral_vision(config: PixtralVisionConfig) -> Module:
    return pixtral_tower(config)


def pixtral_tower(
    config: PixtralVisionConfig, names: tuple[tuple[str, str, str, str], tuple[str, str, str]] = HUGGING_FACE
) -> Module:
    """`patch_conv`, `ln_pre` and `transformer`; `names` are those of the matrices of attention and of the MLP."""
    width, heads = config.hidden_size, config.num_attention_heads
    of_attention, of_mlp = names
    layer = module(
        None,
        "pre-norm",
        attention=attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            causal=False,
            positions="RoPE 2D",
            names=of_attention,
        ),
        attention_norm=rms_norm(width),
        feed_forward=gated_mlp(width, config.intermediate_size, activation=config.hidden_act, names=of_mlp),
        ffn_norm=rms_norm(width),
    )
    patches = convolution(config.num_channels, width, *both_sides(config.patch_size), bias=False, role=Role.EMBEDDING)
    return module(
        patch_conv=patches.marked(kind="patch embedding"),
        ln_pre=rms_norm(width),
        transformer=module(layers=repeat(config.num_hidden_layers, layer)),
    ).marked(section="vision")

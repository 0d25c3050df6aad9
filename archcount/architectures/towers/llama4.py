"""Llama 4's vision tower: a ViT with rotary positions, squares of patches folded into one, and an adapter."""

from __future__ import annotations

from ...blocks import attention, layer_norm, linear, mlp
from ...config import Count, ModelConfig, Size
from ...dim import exact_div
from ...images.seen import Picture, Seen, View
from ...images.tiling import closest_scale
from ...registry import architecture
from ...tree import Module, Role, Tensor, Use, module, repeat


class Llama4VisionConfig(ModelConfig):
    model_type: str = "llama4_vision_model"
    hidden_size: Size = 768
    intermediate_size: Size = 5632
    num_hidden_layers: Count = 34
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 448
    patch_size: Size = 14
    hidden_act: str = "gelu"
    vision_output_dim: Size = 7680
    projector_input_dim: Size = 4096
    projector_output_dim: Size = 4096
    pixel_shuffle_ratio: float = 0.5


MOST_TILES = {"max_patches": 16}  # of an image, as the processor has it


def tiles(vision: Llama4VisionConfig, picture: Picture) -> Seen:
    """Tiles of the tower's square and one of the whole, between marks: of tiles, of rows, of the image."""
    columns, rows = closest_scale(picture, int(vision.image_size), picture.count("max_patches"))
    several = columns * rows > 1
    views = columns * rows + several
    side = int(vision.image_size) // int(vision.patch_size)
    tokens = views * int(side * side // round(1 / vision.pixel_shuffle_ratio**2))
    projected = dict.fromkeys(("vision_adapter", "multi_modal_projector"), tokens)
    return Seen(tokens, (View(side, side, views, extra=1),), 3 + several * columns * rows, projected)


@architecture("llama4_vision_model", config=Llama4VisionConfig)
def llama4_vision(config: Llama4VisionConfig) -> Module:
    """Patches with the class token last; the adapter reads as many channels as the MLP is wide."""
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    side, out = config.image_size // patch, config.projector_output_dim
    layer = module(
        None,
        "pre-norm",
        self_attn=attention(
            width, heads=heads, head_dim=exact_div(width, heads), bias=True, causal=False, positions="RoPE 2D"
        ),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
        input_layernorm=layer_norm(width),
        post_attention_layernorm=layer_norm(width),
    )
    patches = linear(config.num_channels * (patch * patch), width, role=Role.EMBEDDING)
    folded = linear(config.intermediate_size, config.projector_input_dim)
    adapter = module(mlp=module(Role.MLP, "GELU MLP", fc1=folded, fc2=linear(out, out)))
    return module(
        class_embedding=Tensor((width,)),
        positional_embedding_vlm=Tensor((side * side + 1, width), Use.LOOKUP),
        patch_embedding=module(linear=patches.marked(kind="patch embedding")),
        layernorm_pre=layer_norm(width),
        layernorm_post=layer_norm(width),
        model=module(layers=repeat(config.num_hidden_layers, layer)),
        vision_adapter=adapter.marked(section="projector"),
    ).marked(section="vision")

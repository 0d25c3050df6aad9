"""Llama 3.2's vision tower: a ViT over up to four tiles of an image, then one with gates that sees them all."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import attention, convolution, embedding, layer_norm, mlp
from ...config import Count, CountOrZero, ModelConfig, Size
from ...dim import exact_div
from ...images.seen import Seen, View
from ...registry import architecture
from ...tree import Module, Role, Tensor, Use, module, repeat

RATIOS = ((1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (3, 1), (4, 1))


class MllamaVisionConfig(ModelConfig):
    model_type: str = "mllama_vision_model"
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_global_layers: Count = 8
    attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 448
    patch_size: Size = 14
    hidden_act: str = "gelu"
    vision_output_dim: Size = 7680
    max_num_tiles: Count = 4
    intermediate_layers_indices: tuple[CountOrZero, ...] = (3, 7, 15, 23, 30)
    supported_aspect_ratios: tuple[tuple[int, int], ...] = RATIOS
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_heads": "attention_heads"}


def tiles(config: MllamaVisionConfig) -> Seen:
    """Always as many tiles as there may be, empty ones too; each is filled up to a multiple of eight positions.

    All that they hold is what the text attends to, from a single token of it.
    """
    count, side = int(config.max_num_tiles), int(config.image_size) // int(config.patch_size)
    positions = side * side + 1
    filled = -(-positions // 8) * 8
    view = View(count * side, side, extra=count * (filled - side * side))
    source = count * positions
    return Seen(1, (view,), projected={"multi_modal_projector": source}, source=source)


@architecture("mllama_vision_model", config=MllamaVisionConfig)
def mllama_vision(config: MllamaVisionConfig) -> Module:
    """Each layout of tiles has its own table of positions, which a learned gate lets in; one more stands for none."""
    width, patch, tiles = config.hidden_size, config.patch_size, config.max_num_tiles
    side, layouts = config.image_size // patch, len(config.supported_aspect_ratios) + 1
    places, gate = side * side + 1, Tensor((1,), Use.SCALE)
    tile_positions = module(Role.EMBEDDING, embedding=embedding(layouts, tiles * width), gate=gate)
    positions = module(
        Role.EMBEDDING,
        gate=gate,
        embedding=Tensor((places, width), Use.LOOKUP),
        tile_embedding=embedding(layouts, tiles * places * width),
    )
    patches = convolution(config.num_channels, width, patch, patch, bias=False, role=Role.EMBEDDING)
    layer = _layer(config)
    gated = layer.extend(gate_attn=gate, gate_ffn=gate)
    return module(
        class_embedding=Tensor((width,)),
        patch_embedding=patches.marked(kind="patch embedding"),
        gated_positional_embedding=positions,
        pre_tile_positional_embedding=tile_positions,
        post_tile_positional_embedding=tile_positions,
        layernorm_pre=layer_norm(width),
        layernorm_post=layer_norm(width),
        transformer=module(layers=repeat(config.num_hidden_layers, layer)),
        global_transformer=module(layers=repeat(config.num_global_layers, gated)),
    ).marked(section="vision")


def _layer(config: MllamaVisionConfig) -> Module:
    width, heads = config.hidden_size, config.attention_heads
    head_dim = exact_div(width, heads)
    return module(
        None,
        "pre-norm",
        self_attn=attention(width, heads=heads, head_dim=head_dim, causal=False, positions="learned"),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
        input_layernorm=layer_norm(width),
        post_attention_layernorm=layer_norm(width),
    )

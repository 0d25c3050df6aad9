"""Granite 4 Vision: small Q-Formers, one for each layer of the tower that is read, feed layers of a Granite."""

from __future__ import annotations

from ..blocks import layer_norm, linear
from ..config import CountOrZero, ModelConfig
from ..errors import ConfigValueError
from ..faults import shown
from ..multimodal import tower, with_language_beside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Tensor, module, repeat
from .llama import LlamaConfig
from .llama_kin import granite
from .towers.qformer import QFormerConfig, norm, qformer

CORNERS = 4
"""Every second patch of every second row, from each of the four places where one may begin."""


class Granite4VisionTextConfig(LlamaConfig):
    pass


class Granite4VisionConfig(CompositeConfig):
    text_config: ModelConfig = nested("granite4_vision_text")
    vision_config: ModelConfig = nested("clip_vision_model")
    qformer_config: QFormerConfig = QFormerConfig(num_hidden_layers=1, cross_attention_frequency=1)
    downsample_rate: str
    deepstack_layer_map: list[tuple[int, CountOrZero]]
    tie_word_embeddings: bool = False


@architecture("granite4_vision_text", config=Granite4VisionTextConfig)
def granite4_vision_text(config: Granite4VisionTextConfig) -> Module:
    return granite(config)


@architecture("granite4_vision", config=Granite4VisionConfig)
def granite4_vision(config: Granite4VisionConfig) -> Module:
    """The sides of a window and of its queries are those of `downsample_rate`: 4/8 draws 16 vectors from 64 patches."""
    layers, projector = len(config.deepstack_layer_map), _projector(config)
    parts: dict[str, Node | None] = {
        "image_newline": Tensor((size_of(config.text_config, "hidden_size"),)),
        "vision_tower": tower(built(config.vision_config), config),
        "layerwise_projectors": repeat(layers, projector) if layers else None,
        "spatial_projectors": repeat(CORNERS, projector),
    }
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)


def _projector(config: Granite4VisionConfig) -> Module:
    """A Q-Former of the tower's width, whatever its own config says of widths and heads."""
    width, hidden = size_of(config.vision_config, "hidden_size"), size_of(config.text_config, "hidden_size")
    queries, window = _sides(config.downsample_rate)
    own = {"hidden_size": width, "num_attention_heads": width // 64}
    former = config.qformer_config.model_copy(update=own)
    reading = qformer(former, width, reads_text=former.use_qformer_text_input)
    return module(
        query=Tensor((1, queries * queries, width)),
        image_positions=Tensor((1, window * window, width)),
        qformer=reading.prepend(layernorm=norm(former)),
        norm=layer_norm(width),
        out_linear=linear(width, hidden, bias=True),
    ).marked(section="projector")


def _sides(rate: str) -> tuple[int, int]:
    sides = rate.split("/")
    if len(sides) != 2 or not all(side.isdecimal() and int(side) for side in sides):
        raise ConfigValueError(f"downsample_rate is {shown(rate)}: should be two sides in patches, such as 4/8")
    return int(sides[0]), int(sides[1])

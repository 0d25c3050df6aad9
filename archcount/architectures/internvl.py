"""InternVL and Qianfan-OCR: InternViT, squares of patches through a norm and two matrices, and a Qwen."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import layer_norm, linear
from ..config import Factor, ModelConfig
from ..errors import ConfigValueError
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import LLAVA_SPELLINGS, is_tied, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, module, stack
from .towers.internvit import InternVisionConfig, internvit, original_internvit, tiles


class InternVLConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    vision_config: InternVisionConfig = InternVisionConfig()
    downsample_ratio: Factor = 0.5
    tie_word_embeddings: bool = True

    def widths(self) -> tuple[int, int]:
        """Of a square of merged patches, and of the language model.

        Raises ConfigValueError: a ratio that merges nothing whole.
        """
        if not 0 < self.downsample_ratio <= 1:
            raise ConfigValueError(f"downsample_ratio is {self.downsample_ratio}: should be above 0 and at most 1")
        side = int(1 / self.downsample_ratio)
        return self.vision_config.hidden_size * (side * side), size_of(self.text_config, "hidden_size")


class QianfanVisionConfig(InternVisionConfig):
    model_type: str = "qianfan_ocr_vision"
    attention_bias: bool = True


class QianfanOcrConfig(InternVLConfig):
    text_config: ModelConfig = nested("qwen3")
    vision_config: QianfanVisionConfig = QianfanVisionConfig()
    tie_word_embeddings: bool = False


def _images(config: InternVLConfig, picture: Picture) -> Seen:
    """Tiles of the tower's square and one of the whole; a mark before them and one after."""
    tiled = picture.does("crop_to_patches")
    bounds = (picture.count("min_patches"), picture.count("max_patches")) if tiled else (1, 1)
    return tiles(config.vision_config, picture, bounds, int(1 / config.downsample_ratio))


IMAGES = ImageRule(
    _images, "InternVLProcessor", {"crop_to_patches": True, "min_patches": 1, "max_patches": 12}
)  # crop_to_patches is the processor's, the bounds are those of GotOcr2ImageProcessor


@architecture("internvl", config=InternVLConfig, spellings=LLAVA_SPELLINGS, images=IMAGES)
def internvl(config: InternVLConfig) -> Module:
    patches, hidden = config.widths()
    projector = module(
        layer_norm=layer_norm(patches),
        linear_1=linear(patches, hidden, bias=True),
        linear_2=linear(hidden, hidden, bias=True),
    )
    parts = {
        "vision_tower": internvit(config.vision_config),
        "multi_modal_projector": projector.marked(section="projector"),
    }
    return with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


@architecture(
    "qianfan_ocr",
    config=QianfanOcrConfig,
    images=IMAGES,
    spellings={"language_model.model.layers.": "language_model.model.encoder.layers."},
)
def qianfan_ocr(config: QianfanOcrConfig) -> Module:
    """InternVL by its first names. transformers writes the language model's layers below `encoder`, as the tower's."""
    patches, hidden = config.widths()
    norm, first, last = layer_norm(patches), linear(patches, hidden, bias=True), linear(hidden, hidden, bias=True)
    activation = None  # numbered with the others
    merged = [part and part.marked(section="projector") for part in (norm, first, activation, last)]
    parts: dict[str, Node] = {
        "vision_model": original_internvit(config.vision_config, norms_apart=True),
        "mlp1": stack(merged),
    }
    whole = with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))
    language = dict(whole.children).get("language_model")
    return whole.replacing(language_model=_below_encoder(language)) if isinstance(language, Module) else whole


def _below_encoder(node: Module) -> Module:
    """The same module, where its layers stand in `encoder`."""
    moved = (
        ("encoder", module(layers=child))
        if name == "layers"
        else (name, _below_encoder(child) if isinstance(child, Module) else child)
        for name, child in node.children
    )
    return replace(node, children=tuple(moved))

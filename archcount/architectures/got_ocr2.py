"""GOT-OCR2: Segment Anything's vision tower, two convolutions, and a Qwen2 of half a billion parameters."""

from __future__ import annotations

from ..blocks import convolution, linear
from ..config import ModelConfig
from ..errors import UnknownCostError
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import across
from ..multimodal import LLAVA_SPELLINGS, is_tied, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, module
from .towers.sam import SamVisionConfig, sam_vision


class GotOcr2Config(CompositeConfig):
    text_config: ModelConfig = nested(
        "qwen2",
        vocab_size=151860,
        hidden_size=1024,
        intermediate_size=2816,
        num_hidden_layers=24,
        num_attention_heads=16,
        num_key_value_heads=16,
        tie_word_embeddings=True,
    )
    vision_config: SamVisionConfig = SamVisionConfig()
    tie_word_embeddings: bool = True


def _images(config: GotOcr2Config, picture: Picture) -> Seen:
    """One square, halved twice by strided convolutions; a mark before and one after. Its windows are not priced."""
    if picture.does("crop_to_patches"):
        raise UnknownCostError("crop_to_patches: how many tiles a page is cut into is not counted")
    side = across(config.vision_config.image_size, config.vision_config.patch_size, 4)
    return Seen(side * side, views=None, marks=2)


IMAGES = ImageRule(_images, "GotOcr2ImageProcessor", {"crop_to_patches": False})


@architecture("pp_chart2table", config=GotOcr2Config, spellings=LLAVA_SPELLINGS)
@architecture("got_ocr2", config=GotOcr2Config, spellings=LLAVA_SPELLINGS, images=IMAGES)
def got_ocr2(config: GotOcr2Config) -> Module:
    text, vision = config.text_config, config.vision_config
    parts = {
        "vision_tower": sam_vision(vision),
        "multi_modal_projector": projector(vision.output_channels, size_of(text, "hidden_size")),
    }
    return with_language_inside(config, text, parts, tie=is_tied(config, text))


def projector(channels: int, width: int) -> Module:
    """Two strided convolutions, each twice as wide or as wide as the text, and a matrix."""
    return module(
        conv_upsampler1=convolution(channels, 2 * channels, 3, 3, bias=False),
        conv_upsampler2=convolution(2 * channels, width, 3, 3, bias=False),
        multimodal_projector=linear(width, width, bias=True),
    ).marked(section="projector")

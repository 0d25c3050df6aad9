"""VideoLLaMA 3: a language model of any family behind SigLIP's tower without its table of positions."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..images.grids import PIXELS, QWEN, smart_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of, ties
from ..registry import architecture
from ..tree import Module, module
from .towers.siglip import SiglipKeys, siglip_tower


class VideoLlama3VisionConfig(SiglipKeys):
    model_type: str = "video_llama_3_vision"


class VideoLlama3Config(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    vision_config: VideoLlama3VisionConfig = VideoLlama3VisionConfig()
    tie_word_embeddings: bool = False


def _images(config: VideoLlama3Config, picture: Picture) -> Seen:
    """Patches of images are not merged unless the processor says so; those of videos are."""
    return smart_grid(picture, config.vision_config.patch_size, picture.count("merge_size"), ("projector",))


IMAGES = ImageRule(_images, "VideoLlama3ImageProcessor", {**QWEN, "merge_size": 1}, PIXELS)


@architecture("video_llama_3", config=VideoLlama3Config, images=IMAGES)
def video_llama_3(config: VideoLlama3Config) -> Module:
    text, hidden = config.text_config, size_of(config.text_config, "hidden_size")
    first, last = linear(config.vision_config.hidden_size, hidden, bias=True), linear(hidden, hidden, bias=True)
    parts = {
        "vision_model": siglip_tower(config.vision_config, None, positions="RoPE 2D"),
        "projector": module(readout=Module((("0", first), ("2", last)))).marked(section="projector"),
    }
    tie = config.tie_word_embeddings or ties(text)
    return with_language_beside(config, text, parts, tie=tie)

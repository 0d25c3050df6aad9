"""VideoLLaMA 3 as its repository's own code writes it: tower and projector inside Qwen2's decoder."""

from __future__ import annotations

from ..config import ModelConfig
from ..flat import FlatTextConfig
from ..multimodal import with_parts_within
from ..nested import nested, size_of
from ..registry import architecture
from ..tree import Module, module
from .towers.mm_projector import mm_projector
from .towers.siglip import siglip_tower
from .video_llama_3 import VideoLlama3VisionConfig


class Videollama3Qwen2Config(FlatTextConfig):
    """No default tower: a config without `vision_encoder_config` loads the one of another repository."""

    text_config: ModelConfig = nested("qwen2")
    vision_encoder_config: VideoLlama3VisionConfig
    mm_projector_type: str = "linear"
    tie_word_embeddings: bool = False


@architecture("videollama3_qwen2", config=Videollama3Qwen2Config)
def videollama3_qwen2(config: Videollama3Qwen2Config) -> Module:
    text, vision = config.text_config, config.vision_encoder_config
    hidden = size_of(text, "hidden_size")
    parts = {
        "vision_encoder": siglip_tower(vision, None, positions="RoPE 2D"),
        "mm_projector": module(readout=mm_projector(config.mm_projector_type, vision.hidden_size, hidden)),
    }
    return with_parts_within(config, text, parts, tie=config.tie_word_embeddings)

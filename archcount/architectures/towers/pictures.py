"""How Qwen-VL's towers and GLM's have their images cut, by the families' own processors."""

from __future__ import annotations

from ...images.grids import GLM, PIXELS, QWEN, smart_grid
from ...images.seen import ImageRule, Picture, Seen
from .glm4v import Glm4vVisionConfig
from .qwen2_vl import PatchKeys, Qwen25VisionConfig
from .qwen3_vl import Qwen3VisionConfig

MERGERS = ("merger", "merger_list", "deepstack_merger_list", "downsample", "vision_projector")
"""Modules that each work on merged squares."""


def _merged(vision: PatchKeys | Qwen3VisionConfig, picture: Picture) -> Seen:
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, MERGERS)


def _windowed(vision: Qwen25VisionConfig, picture: Picture) -> Seen:
    """A window holds whole squares of merged patches."""
    side = vision.window_size // vision.spatial_merge_size // vision.patch_size * vision.spatial_merge_size
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, MERGERS, window=side)


def _doubled(vision: Glm4vVisionConfig, picture: Picture) -> Seen:
    """An image stands for as many frames as a patch has."""
    frames = vision.temporal_patch_size
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, MERGERS, frames=frames, stretch=True)


QWEN_IMAGES = ImageRule(lambda config, it: _merged(config.vision_config, it), "Qwen2VLImageProcessor", QWEN, PIXELS)
QWEN_WINDOWED = ImageRule(lambda config, it: _windowed(config.vision_config, it), "Qwen2VLImageProcessor", QWEN, PIXELS)
GLM_IMAGES = ImageRule(lambda config, it: _doubled(config.vision_config, it), "Glm4vImageProcessor", GLM, PIXELS)
GLM_4_6_IMAGES = ImageRule(lambda config, it: _doubled(config.vision_config, it), "Glm46VImageProcessor", GLM, PIXELS)

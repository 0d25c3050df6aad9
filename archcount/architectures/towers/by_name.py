"""Towers that a config only names: their sizes are those of the repository named."""

from __future__ import annotations

from ...errors import ConfigValueError
from ...tree import Module
from .clip import ClipVisionConfig, clip_vision
from .siglip import SiglipVisionConfig, siglip_vision

CLIP_LARGE = {
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "patch_size": 14,
}
SIGLIP_SO400M = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 26,  # of 27: LLaVA never uses the last
    "num_attention_heads": 16,
    "patch_size": 14,
    "image_size": 384,
    "vision_use_head": False,
}
TOWERS: dict[str, ClipVisionConfig | SiglipVisionConfig] = {
    "openai/clip-vit-large-patch14": ClipVisionConfig(**CLIP_LARGE, image_size=224),
    "openai/clip-vit-large-patch14-336": ClipVisionConfig(**CLIP_LARGE, image_size=336),
    "google/siglip-so400m-patch14-384": SiglipVisionConfig.model_validate(SIGLIP_SO400M),
}


def tower_named(name: str | None, key: str) -> Module:
    """`vision_model`, as the named repository has it and LLaVA's code uses it; `key` is where the config names it.

    Raises ConfigValueError: a repository whose sizes are not known here.
    """
    config = TOWERS.get(name or "")
    if config is None:
        raise ConfigValueError(f"{key} is {name!r}: should be one of {', '.join(TOWERS)}")
    tower = clip_vision(config) if isinstance(config, ClipVisionConfig) else siglip_vision(config)
    return Module((("vision_model", tower),))

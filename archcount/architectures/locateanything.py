"""LocateAnything: MoonViT, squares of patches through a norm and two matrices as in InternVL, and a Qwen2."""

from __future__ import annotations

from ..blocks import layer_norm, linear
from ..config import ModelConfig
from ..multimodal import is_tied, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, module, stack
from .towers.moonvit import MoonVitConfig, moonvit_layers, moonvit_patches, moonvit_positions


class LocateAnythingConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen2")
    vision_config: MoonVitConfig = MoonVitConfig()
    tie_word_embeddings: bool = False


@architecture("locateanything", config=LocateAnythingConfig)
def locateanything(config: LocateAnythingConfig) -> Module:
    text, vision = config.text_config, config.vision_config
    hidden, (tall, wide) = size_of(text, "hidden_size"), vision.merge_kernel_size
    eyes = module(
        patch_embed=moonvit_patches(vision).extend(pos_emb=moonvit_positions(vision)),
        encoder=module(**moonvit_layers(vision)),
    )
    parts: dict[str, Node] = {
        "vision_model": eyes.marked(section="vision"),
        "mlp1": merging_mlp(vision.hidden_size * (tall * wide), hidden),
    }
    return with_language_inside(config, text, parts, tie=is_tied(config, text))


def merging_mlp(merged: int, hidden: int) -> Node:
    """InternVL's `mlp1`: a norm over merged patches, a matrix, a GELU (`2`), a matrix."""
    layers = layer_norm(merged), linear(merged, hidden, bias=True), None, linear(hidden, hidden, bias=True)
    return stack([layer and layer.marked(section="projector") for layer in layers])

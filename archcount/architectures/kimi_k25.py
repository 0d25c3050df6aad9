"""Kimi K2.5: DeepSeek-V3's layers, or a language model of any family, with MoonViT's eyes."""

from __future__ import annotations

from ..blocks import layer_norm, linear
from ..config import ModelConfig, Size
from ..errors import UnknownCostError
from ..images.grids import padded_grid
from ..images.seen import ImageRule, Picture, Seen, View
from ..multimodal import is_tied, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..renaming import renamed
from ..tree import Module, Node, module
from .towers.moonvit import MoonVitConfig, moonvit_layers, moonvit_patches, moonvit_positions

RESAVING_CLASS = "Kimi_K25ForConditionalGeneration"  # transformers' own; the published files' is spelled KimiK25…


class KimiK25Config(CompositeConfig):
    text_config: ModelConfig = nested("deepseek_v3")
    vision_config: MoonVitConfig = MoonVitConfig()
    projection_hidden_size: Size = 1152
    tie_word_embeddings: bool = True


def _images(config: KimiK25Config, picture: Picture) -> Seen:
    (high, wide), patch = config.vision_config.merge_kernel_size, config.vision_config.patch_size
    if high != wide:
        raise UnknownCostError("vision_config.merge_kernel_size is no square: how an image is padded is not known")
    most, longest = picture.count("max_patches"), picture.count("longest_side")
    rows, columns = padded_grid(picture, int(patch), int(high), most=most, longest=longest)
    tokens = rows * columns // (high * wide)
    return Seen(tokens, (View(rows, columns),), projected={"mm_projector": tokens})


BOUNDS = {"max_patches": 16384, "longest_side": 512}
IMAGES = ImageRule(_images, "Kimi_K25ImageProcessor", BOUNDS, {"size.max_height": "longest_side"})


@architecture("kimi_k25", config=KimiK25Config, images=IMAGES)
def kimi_k25(config: KimiK25Config) -> Module:
    """The published layout, or the one transformers 5 makes of it when it saves."""
    is_resaved = config.class_name == RESAVING_CLASS
    parts = _parts_resaved(config) if is_resaved else _parts(config)
    whole = with_language_inside(config, config.text_config, parts, tie=is_tied(config, config.text_config))
    language = dict(whole.children).get("language_model")
    if not is_resaved or not isinstance(language, Module):
        return whole
    return whole.replacing(language_model=renamed(language, {"layers": "blocks"}))


def _parts(config: KimiK25Config) -> dict[str, Node]:
    vision = config.vision_config
    patches = moonvit_patches(vision).extend(pos_emb=moonvit_positions(vision))
    tower = module(patch_embed=patches, encoder=module(**moonvit_layers(vision)))
    projector = module(pre_norm=layer_norm(config.projection_hidden_size), proj=_projection(config))
    return {"vision_tower": tower.marked(section="vision"), "mm_projector": projector.marked(section="projector")}


def _parts_resaved(config: KimiK25Config) -> dict[str, Node]:
    """Transformers 5.24 turns its renamings around in part only, so some parts keep a name it has given them."""
    vision = config.vision_config
    encoder = module(patch_embed=moonvit_patches(vision), **moonvit_layers(vision))
    tower = module(encoder=encoder, patch_embed=module(pos_emb=moonvit_positions(vision)))
    norm = module(mm_projector=module(pre_norm=layer_norm(config.projection_hidden_size)))
    return {
        "vision_tower": tower.marked(section="vision"),
        "mm_projector": module(proj=_projection(config)).marked(section="projector"),
        "model": norm.marked(section="projector"),
    }


def _projection(config: KimiK25Config) -> Module:
    vision = config.vision_config
    high, wide = vision.merge_kernel_size
    merged, hidden = vision.hidden_size * high * wide, size_of(config.text_config, "hidden_size")
    first, last = linear(merged, merged, bias=True), linear(merged, hidden, bias=True)
    return Module((("0", first), ("2", last)))

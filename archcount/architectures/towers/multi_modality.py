"""The towers of Janus and DeepSeek-VL: a SigLIP of timm's, or beside it a Segment Anything for the fine print."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, layer_norm
from ...config import Schema, Size
from ...errors import ConfigValueError
from ...renaming import renamed
from ...tree import Module, Tensor, module, stack
from .deepseek_ocr import ORIGINAL_NAMES, ORIGINAL_NECK
from .sam import SamVisionConfig, sam_neck, sam_vision
from .siglip import SiglipKeys
from .timm_siglip import timm_siglip

SO400M = SiglipKeys(
    model_type="siglip",
    hidden_size=1152,
    intermediate_size=4304,
    num_hidden_layers=27,
    num_attention_heads=16,
    patch_size=14,
)
LARGE = SiglipKeys(
    model_type="siglip",
    hidden_size=1024,
    intermediate_size=4096,
    num_hidden_layers=24,
    num_attention_heads=16,
    patch_size=16,
)
SIGLIPS = {"siglip_large_patch16_384": LARGE, "siglip_so400m_patch14_384": SO400M}
SAM_DOWN = "sam_b_downsample"


class NamedTower(Schema):
    """A tower whose sizes stand in its name; `select_layer` −2 cuts off the last layer."""

    model_name: str
    image_size: Size = 384
    select_layer: int = -1
    output_dim: Size = 1024
    ignored: ClassVar[frozenset[str]] = frozenset({"downsample_channels"})


class TowerParameters(NamedTower):
    model_name: str = ""
    high_res_cfg: NamedTower | None = None
    low_res_cfg: NamedTower | None = None


def tower_of(kind: str, config: TowerParameters) -> Module:
    """`vision_tower`, or with a hybrid `vision_tower_high`, `vision_tower_low` and a norm for each.

    Raises ConfigValueError: another kind of tower, or one of a name that is not known.
    """
    high, low = config.high_res_cfg, config.low_res_cfg
    if kind == "CLIPVisionTower":
        return module(vision_tower=_siglip(config)).marked(section="vision")
    if kind != "HybridVisionTower" or high is None or low is None:
        raise ConfigValueError(f"vision_config.cls is {kind!r}: should be CLIPVisionTower or HybridVisionTower")
    if high.model_name != SAM_DOWN:
        raise ConfigValueError(f"high_res_cfg.model_name is {high.model_name!r}: should be {SAM_DOWN}")
    return module(
        vision_tower_high=module(vision_tower=_sam(high.image_size)),
        vision_tower_low=module(vision_tower=_siglip(low)),
        high_layer_norm=layer_norm(high.output_dim),
        low_layer_norm=layer_norm(low.output_dim),
    ).marked(section="vision")


def _siglip(config: NamedTower) -> Module:
    known = SIGLIPS.get(config.model_name)
    if known is None:
        raise ConfigValueError(f"model_name is {config.model_name!r}: should be one of {', '.join(SIGLIPS)}")
    side, kept = config.image_size // known.patch_size, known.num_hidden_layers + min(config.select_layer + 1, 0)
    tower = known.model_copy(update={"num_hidden_layers": kept})
    return timm_siglip(tower, side * side, has_pool=True)


def _sam(image: int) -> Module:
    """Segment Anything's own names; a second neck on an earlier layer, let in by one learned number."""
    config = SamVisionConfig(image_size=image)
    width, out = config.hidden_size, config.output_channels
    neck = renamed(sam_neck(width, out), ORIGINAL_NECK)
    halving = [convolution(out * times, 2 * out * times, 3, 3, bias=False) for times in (1, 2)]
    return (
        renamed(sam_vision(config), ORIGINAL_NAMES)
        .replacing(neck=neck)
        .extend(downsamples=stack(halving), neck_hd=neck, hd_alpha_downsamples=Tensor((1,)))
    )

"""How LLaVA and its successors cut an image: one square, tiles of the resolution that fits best, or Pixtral's grid."""

from __future__ import annotations

from typing import Protocol

from ..config import ModelConfig
from ..errors import ConfigValueError, UnknownCostError
from ..images.grids import LONGEST, pixtral_grid
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..images.unpadding import anyres
from ..nested import size_of
from .towers.pixtral import PixtralVisionConfig

PROJECTOR = "multi_modal_projector"
BESIDE_PATCHES = {"clip_vision_model": 1, "siglip_vision_model": 0}  # positions of a tower that are no patch
SQUARES = ((336, 672), (672, 336), (672, 672), (1008, 336), (336, 1008))
TILED = tuple((384 * down, 384 * across) for down in range(1, 7) for across in range(1, 7))
ASPECT = "anyres_max_"


class Sees(Protocol):
    """A LLaVA's config."""

    @property
    def vision_config(self) -> ModelConfig:
        """The tower's."""

    @property
    def vision_feature_select_strategy(self) -> str:
        """Which positions are handed on: all, `full`, or all but the first, `default`."""


class SeesTiles(Sees, Protocol):
    """The config of one that cuts tiles."""

    @property
    def image_grid_pinpoints(self) -> tuple[tuple[int, int], ...] | None:
        """Heights and widths of what an image may be scaled to."""


class SeesScaled(SeesTiles, Protocol):
    """The config of one that scales down what is too much."""

    @property
    def vision_aspect_ratio(self) -> str:
        """`anyres_max_9`: of so many tiles at most."""


def _square(config: Sees, picture: Picture) -> Seen:
    if isinstance(config.vision_config, PixtralVisionConfig):
        return pixtral_grid(picture, config.vision_config.patch_size, 1, (PROJECTOR,), breaks=True)
    side, patch, extra = _tower(config)
    tokens = (side // patch) ** 2 + extra - _drops_first(config)
    return one_square(side, patch, tokens=tokens, extra=extra, projector=PROJECTOR)


def _tiles(config: SeesTiles, picture: Picture) -> Seen:
    side, patch, extra = _tower(config)
    resolutions, drops = config.image_grid_pinpoints or SQUARES, _drops_first(config)
    return anyres(picture, resolutions, side=side, patch=patch, extra=extra, projector=PROJECTOR, drops_first=drops)


def _scaled_tiles(config: SeesScaled, picture: Picture) -> Seen:
    side, patch, extra = _tower(config)
    most = config.vision_aspect_ratio.removeprefix(ASPECT)
    if not most.isdecimal() or not config.vision_aspect_ratio.startswith(ASPECT):
        raise ConfigValueError(f"vision_aspect_ratio is {config.vision_aspect_ratio!r}: should be {ASPECT}9 or alike")
    return anyres(
        picture,
        config.image_grid_pinpoints or TILED,
        side=side,
        patch=patch,
        extra=extra,
        projector=PROJECTOR,
        drops_first=_drops_first(config),
        most_tiles=int(most),
    )


def _either_tower(config: Sees, _: Picture) -> Seen:
    """Images have a tower of their own, and so do videos: which of them works is not marked."""
    side, patch, extra = _tower(config)
    return Seen((side // patch) ** 2 + extra - _drops_first(config), views=None)


def _tower(config: Sees) -> tuple[int, int, int]:
    """Its square, its patch, and its positions that are no patch."""
    vision = config.vision_config
    if vision.model_type not in BESIDE_PATCHES:
        raise UnknownCostError(f"vision_config.model_type is {vision.model_type!r}: what it hands on is not known")
    side, patch = (int(size_of(vision, key)) for key in ("image_size", "patch_size"))
    return side, patch, BESIDE_PATCHES[vision.model_type]


def _drops_first(config: Sees) -> bool:
    strategy = config.vision_feature_select_strategy
    if strategy not in ("default", "full"):
        raise ConfigValueError(f"vision_feature_select_strategy is {strategy!r}: should be default or full")
    return strategy == "default"


LLAVA = ImageRule(_square, "PixtralImageProcessor", {"longest_edge": 1024}, LONGEST)
LLAVA_NEXT = ImageRule(_tiles)
LLAVA_ONEVISION = ImageRule(_scaled_tiles)
VIDEO_LLAVA = ImageRule(_either_tower)

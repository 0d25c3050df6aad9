"""MLX: weights of any width packed into unsigned words, a scale and a bias for each group; tables and heads too."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace

from ..errors import ConfigValueError
from ..marks import MTP, TOWERS
from ..rows import Row, partition
from ..tree import Role, Storage, Use
from .entry import Config
from .experts import BIAS, GATED, SWITCH, in_parts, stacked
from .integers import Groups, words
from .mlx_names import NAMES, USUAL, before, renamed
from .selection import inner, module_of
from .siblings import Siblings
from .stored import Stored, beside, packed, plain

USUAL_GROUPS = {"affine": (64, 4), "mxfp4": (32, 4), "mxfp8": (32, 8), "nvfp4": (16, 4)}  # MLX's own defaults


@dataclass(frozen=True, slots=True)
class Setting:
    """The width and group of one module; `has_global_scale` adds one number an expert."""

    groups: Groups
    mode: str
    has_global_scale: bool


def stored(rows: list[Row], config: Config) -> Iterator[Stored]:
    """What an MLX file holds; `config` is the `quantization` object, with overrides by module name.

    Of a tower and what joins it, only what `packed_apart` names is packed: writers have differed, and the file tells.

    Raises ConfigValueError: a mode or width archcount has no layout for.
    """
    names = NAMES.get(str(config.get("model_type")), USUAL)
    rows = [named for row in rows for kept in _kept(row) for named in before(kept, names)]
    left_out = (MTP, *TOWERS) if config.get("is_text_alone") else (MTP,)  # mlx-vlm keeps what mlx-lm drops
    siblings = Siblings.of(rows)
    renames = any(row.routed is not None and row.path[-2] in GATED for row in rows)
    for row in rows:
        is_bare = row.role is Role.ROUTER and (names.bare_routers or siblings.is_bare(row))
        for part in _as_mlx(row, siblings):
            named = renamed(_renamed(part) if renames else part, names.after)
            found = (plain(named),) if is_bare or not _is_packable(named) else _packed(named, config)
            yield from (_in_file(each, left_out) for each in found)


def _kept(row: Row) -> Iterator[Row]:
    """The row, of a tied head as a copy, which mlx-vlm writes and mlx-lm does not; none where no file holds it."""
    if row.tensor.storage is Storage.TIED and row.role is Role.HEAD:
        yield replace(row, tensor=replace(row.tensor, storage=Storage.COPY))
    elif row.tensor.storage.is_in_file:
        yield row


def _in_file(stored: Stored, left_out: Iterable[str]) -> Stored:
    if stored.row.role is Role.HEAD and stored.row.tensor.storage is Storage.COPY:
        return replace(stored, is_optional=True, is_foretold=False)
    return replace(stored, is_optional=True) if stored.row.section in left_out else stored


def _as_mlx(row: Row, siblings: Siblings) -> Iterable[Row]:
    """The row as MLX's own modules hold it: experts stacked, the channels of a convolution last."""
    if row.tensor.use is Use.CONVOLUTION:
        outputs, inputs, *kernel = row.tensor.shape
        return (row.shaped((outputs, *kernel, inputs)),)
    if row.routed is None:
        return (siblings.upright(row),)
    weight = siblings.rows.get((*row.path[:-1], str(row.path[-1]).removesuffix(BIAS)), row)
    return in_parts(stacked(row, SWITCH), is_transposed=siblings.is_transposed(weight))


def _renamed(row: Row) -> Row:
    path = (*row.path[:-2], GATED.get(step, step) if isinstance(step := row.path[-2], str) else step, row.path[-1])
    return replace(row, path=path)


def _is_packable(row: Row) -> bool:
    tensor = row.tensor
    is_module = len(tensor.shape) >= 2 and row.path[-1] == "weight"
    return is_module and tensor.use in (Use.MATMUL, Use.LOOKUP)


def _packed(row: Row, config: Config) -> Iterator[Stored]:
    apart: Container[str] | None = config.get("packed_apart") or () if row.section in TOWERS else None

    def own(name: str) -> Setting | None:
        module = module_of(name)
        return None if apart is not None and inner(module) not in apart else _setting(config, module)

    for setting, part in partition(row, own):
        if setting is None or part.tensor.shape[-1] % setting.groups.size:
            yield plain(part)
        else:
            yield from _layout(part, setting)


def _setting(config: Config, module: str) -> Setting | None:
    own = next((config[name] for name in _spellings(module) if name in config), config)
    if own is False or own is None:
        return None
    own = config if own is True else own
    mode = own.get("mode", "affine")  # an override without a mode is affine, whatever the others are
    if mode not in USUAL_GROUPS:
        raise ConfigValueError(f"MLX quantization mode {mode!r} has no layout here")
    size, bits = USUAL_GROUPS[mode]
    return Setting(Groups(own.get("bits", bits), own.get("group_size", size)), mode, bool(own.get("global_scale")))


def _spellings(module: str) -> tuple[str, ...]:
    """A module's name, and MLX's for it in a model with eyes."""
    inner = module.removeprefix("model.language_model.")
    return (module, f"language_model.model.{inner}" if inner != module else f"language_model.{module}")


def _layout(row: Row, setting: Setting) -> Iterator[Stored]:
    *leading, inputs = row.tensor.shape
    groups = setting.groups
    scales = (*leading, inputs // groups.size)
    yield packed(row, "weight", (*leading, words(inputs, groups.bits)), "U32")
    if setting.mode == "affine":
        yield beside(row, "scales", scales, None)
        yield beside(row, "biases", scales, None)
    else:
        yield beside(row, "scales", scales, "U8")
    if setting.has_global_scale:
        yield beside(row, "global_scale", tuple(leading[:1]), "F32")

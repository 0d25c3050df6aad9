"""What MLX's own models call parts that Hugging Face's call otherwise, type by type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..paths import Path
from ..rows import Row

Steps = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Names:
    """How one type's rows are called: `before` experts are stacked and parted, and `after`.

    `bare_routers`: their matrices are no modules, so never packed. `left_out` and `scalars` are last parts of names: of
    what MLX's model has no place for, and of what Hugging Face stores as `[1]` and MLX as one number.
    """

    before: tuple[tuple[Steps, Steps], ...] = ()
    after: tuple[tuple[Steps, Steps], ...] = ()
    bare_routers: bool = False
    left_out: frozenset[str] = frozenset()
    scalars: frozenset[str] = frozenset()


USUAL = Names()
AS_MODEL = Names(before=((("transformer",), ("model",)),))
UNDER_EXPERTS = Names(after=((("switch_mlp",), ("experts",)),))
SWITCH_GLU = Names(after=((("switch_mlp",), ("experts", "switch_glu")),))
TOWER = Names(before=((("model", "visual"), ("vision_tower",)), (("visual",), ("vision_tower",))))
INSIDE_OUT = Names(before=((("model", "language_model"), ("language_model", "model")), *TOWER.before))
PARALLEL_EXPERTS = (
    (("block_sparse_moe", "input_linear", "weight"), ("block_sparse_moe", "experts", "gate_up_proj")),
    (("block_sparse_moe", "output_linear", "weight"), ("block_sparse_moe", "experts", "down_proj")),
)
NAMES: Mapping[str, Names] = {
    "afmoe": UNDER_EXPERTS,
    "apertus": Names(scalars=frozenset({"alpha_p", "alpha_n"})),
    "cohere_compass": INSIDE_OUT,
    "deepseek_v2": Names(bare_routers=True),
    "ernie4_5_moe": Names(left_out=frozenset({"e_score_correction_bias"})),
    "gemma4": SWITCH_GLU,
    "gemma4_text": SWITCH_GLU,
    "gpt2": AS_MODEL,
    "gpt_neox": Names(before=((("gpt_neox", "layers"), ("model", "h")), (("gpt_neox",), ("model",)))),
    "gptj": AS_MODEL,
    "granitemoe": Names(before=PARALLEL_EXPERTS),
    "granitemoehybrid": Names(before=PARALLEL_EXPERTS),
    "laguna": Names(
        after=(
            (("mlp", "gate", "weight"), ("mlp", "gate", "proj", "weight")),
            (("experts.e_score_correction_bias",), ("gate", "e_score_correction_bias")),
        )
    ),
    "llama4": UNDER_EXPERTS,
    "llama4_text": UNDER_EXPERTS,
    "mllama": Names(before=((("vision_model",), ("vision_tower",)),)),
    "muse_glimmer": INSIDE_OUT,
    "nemotron_h": Names(
        after=((("switch_mlp", "up_proj"), ("switch_mlp", "fc1")), (("switch_mlp", "down_proj"), ("switch_mlp", "fc2")))
    ),
    "qwen2_5_vl": TOWER,
    "qwen2_vl": TOWER,
    "qwen3_vl": TOWER,
    "qwen3_vl_moe": TOWER,
}
"""By model_type, from the models of mlx-lm 0.32.2 and mlx-vlm 0.7.10 (`sanitize` and the names of their modules)."""


def before(row: Row, names: Names) -> Iterator[Row]:
    """The row under its name before experts are stacked; nothing where MLX leaves it out."""
    last = row.path[-1]
    if last in names.left_out:
        return
    if last in names.scalars:
        row = row.shaped(())
    yield renamed(row, names.before)


def renamed(row: Row, rules: tuple[tuple[Steps, Steps], ...]) -> Row:
    """The row with the first run of steps that a rule names replaced; as it is where none does."""
    for old, new in rules:
        for at in range(len(row.path) - len(old) + 1):
            if row.path[at : at + len(old)] == old:
                path: Path = (*row.path[:at], *new, *row.path[at + len(old) :])
                return replace(row, path=path)
    return row

"""A Hugging Face file's name of a tensor in a GGUF file, by llama.cpp's table and its converter's habits."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Names = Callable[[str], str | None]

ENDS = {
    "e_score_correction_bias": "e_score_correction.bias",
    "dt_bias": "dt_proj.bias",
    "expert_bias": "expert_bias.bias",
}
"""Last parts of names as the converter spells them before it asks the table."""

STARTS = ("model.", "transformer.", "bert.", "roberta.", "distilbert.")  # which some architectures' tables leave out
INNER = "language_model"  # the wrapper of a language model beside a tower, wherever it stands
TOWERS = (("model.vision_tower.encoder.", "vision_model.model."), ("model.audio_tower.", "conformer."))  # Gemma 4's
CLIPPED = ".linear."  # Gemma 4's linear layers inside those that clip their inputs
CLIPS = ("input_max", "input_min", "output_max", "output_min")
KEPT = frozenset({"weight", "ssm_a", "ssm_d", *CLIPS})  # last parts that stay: llama.cpp reads these as they are


def gguf_names_of(name: str, names: Names) -> tuple[str, ...]:
    """The names that the tensor may have in the file, the usual one first; () where the table has none.

    A tensor that is a bare parameter in the model has a last `.weight` or not, as the converter of its family likes.
    """
    found = next((found for spelled in _spellings(name) if (found := _asked(spelled, names))), None)
    if found is None:
        return ()
    base, _, last = found.rpartition(".")
    if last == "bias":
        return (found, base)
    if last in KEPT:
        return (found,)
    return (f"{found}.weight", f"{found}.bias", found)


def _asked(name: str, names: Names) -> str | None:
    """The table's answer, which knows only modules of the tensors that say where a layer clips."""
    module, _, last = name.rpartition(".")
    if last not in CLIPS:
        return names(name)
    found = names(module)
    return f"{found}.{last}" if found else None


def _spellings(name: str) -> Iterator[str]:
    base, _, last = name.rpartition(".")
    plain = ".".join(step for step in (*base.split("."), ENDS.get(last, last)) if step not in ("", INNER))
    yield plain
    yield from (plain.removeprefix(start) for start in STARTS if plain.startswith(start))
    yield from (f"{new}{plain.removeprefix(old)}".replace(CLIPPED, ".") for old, new in TOWERS if plain.startswith(old))

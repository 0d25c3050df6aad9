"""Which of a folder's files are its weights: the set a loader would take, and why not the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from .faults import AmbiguousWeightsError, NoWeightsError
from .index import Index, split_shards
from .result import Kind, PassedOver

INDEX = ".safetensors.index.json"
ADAPTER = "adapter_model.safetensors"
PICKLES = "pytorch_model.bin.index.json"  # of which the names are read
EXLLAMA = "output"  # what exllamav2 calls its files, which it leaves beside the index of the original

_SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.(?:safetensors|gguf)")
_STATE = re.compile(
    r"(?:(?:optimizer|scheduler|scaler|training_args|trainer_state)(?:[._-].*)?|(?:rng_state|random_states)(?:_\d+)?)"
    r"\.(?:bin|pt|pth|pkl|safetensors)"
)
_CONSOLIDATED = re.compile(r"consolidated(?:[.-]\d+.*)?\.(?:safetensors(?:\.index\.json)?|pth)")
_ADAPTER = re.compile(r"adapter_model\.(?:safetensors|bin)")
_BASE = r"(?:model|pytorch_model|diffusion_pytorch_model|adapter_model)"
_VARIANT = re.compile(
    rf"{_BASE}\.[A-Za-z0-9_]+(?:-\d{{5}}-of-\d{{5}})?\.(?:safetensors|bin)(?:\.index\.json)?"
    rf"|{_BASE}-\d{{5}}-of-\d{{5}}\.[A-Za-z0-9_]+\.(?:safetensors|bin)"
    rf"|{_BASE}\.(?:safetensors|bin)\.index\.[A-Za-z0-9_]+\.json"
)
_TOWER = "mmproj"  # how llama.cpp's converter begins the name of a tower's file
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl")
_OTHERS = (".h5", ".msgpack", ".onnx", ".npz", ".ot", ".tflite", ".keras")
_WEIGHTS = (".safetensors", ".gguf", *_PICKLES, *_OTHERS)


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen set: its index where it has one, else its files and those of its shards that are missing."""

    kind: Kind
    index: str | None = None
    files: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def used(self) -> frozenset[str]:
        """The files that are read."""
        return frozenset((*self.files, self.index) if self.index else self.files)


def choose(files: Collection[str], source: str) -> Choice:
    """The set of weights among a folder's files, given as paths below it; only those directly in it are taken.

    Raises NoWeightsError, AmbiguousWeightsError.
    """
    here = {file for file in files if "/" not in file}
    plain = {file for file in here if not _is_aside(file)}
    choice = (
        _named(here, "model", Kind.SHARDED, Kind.SINGLE)
        or _unindexed(plain, "model", source)
        or _only_set(plain, source)
        or _adapter(here)
        or _consolidated(here, source)
        or _pickle_index(here)
        or _gguf(here, source)
    )
    if choice is None:
        raise NoWeightsError(f"{source}: {_nothing(files)}")
    return choice


def settle(choice: Choice, index: Index | None, files: Collection[str]) -> Choice:
    """The choice with the shards that its index names, or without one of them the set that stands beside it instead."""
    if index is None or choice.kind is Kind.NAMES_ONLY:
        return choice
    here, missing = split_shards(index, files)
    if not here and choice.index == f"model{INDEX}":
        if "model.safetensors" in files:
            return Choice(Kind.SINGLE, files=("model.safetensors",))
        if renamed := _exllama(files):
            return renamed
    return replace(choice, files=here, missing=missing)


def _exllama(files: Collection[str]) -> Choice | None:
    """exllamav2's set, where it is whole or not."""
    single = f"{EXLLAMA}.safetensors"
    if single in files:
        return Choice(Kind.SINGLE, files=(single,))
    sets = {key: found for key, found in _shard_sets(files).items() if key[0] == EXLLAMA}
    return _shards(*sets.popitem(), ".safetensors", Kind.UNINDEXED) if len(sets) == 1 else None


def passed_over(files: Iterable[str], used: Collection[str]) -> tuple[PassedOver, ...]:
    """Every weight-like file that was not used, with the reason, in the order of their names."""
    taken = set(used)
    rest = sorted(file for file in files if file not in taken and _is_weights(file))
    return tuple(PassedOver(file, _reason(file)) for file in rest)


def numbered_shards(index: str, files: Iterable[str]) -> tuple[str, ...]:
    """The shards an index of that name most likely names: the one complete numbered set of its stem, or none."""
    sets = _shard_sets(file for file in files if file.endswith(".safetensors"))
    stem = index.removesuffix(INDEX)
    complete = [found for (name, count), found in sets.items() if name == stem and len(found) == count]
    return tuple(sorted(complete[0])) if len(complete) == 1 else ()


def _named(here: set[str], stem: str, indexed: Kind, single: Kind) -> Choice | None:
    if f"{stem}{INDEX}" in here:
        return Choice(indexed, index=f"{stem}{INDEX}")
    if f"{stem}.safetensors" in here:
        return Choice(single, files=(f"{stem}.safetensors",))
    return None


def _unindexed(plain: set[str], stem: str, source: str) -> Choice | None:
    """The shards of that stem that an index would have named."""
    weights = (file for file in plain if file.endswith(".safetensors"))  # GGUF numbers its files the same way
    sets = {key: found for key, found in _shard_sets(weights).items() if key[0] == stem}
    if len(sets) > 1:
        counts = " and ".join(sorted(str(count) for _, count in sets))
        raise AmbiguousWeightsError(f"{source}: shards of {counts} files side by side: name the one you mean")
    return _shards(*sets.popitem(), ".safetensors", Kind.UNINDEXED) if sets else None


def _shards(key: tuple[str, int], found: set[str], suffix: str, kind: Kind) -> Choice:
    stem, count = key
    named = [f"{stem}-{number:05}-of-{count:05}{suffix}" for number in range(1, count + 1)]
    return Choice(kind, None, tuple(sorted(found)), tuple(file for file in named if file not in found))


def _shard_sets(files: Iterable[str]) -> dict[tuple[str, int], set[str]]:
    sets: dict[tuple[str, int], set[str]] = {}
    for file in files:
        match = _SHARD.fullmatch(file)
        if match:
            sets.setdefault((match["stem"], int(match["count"])), set()).add(file)
    return sets


def _only_set(plain: set[str], source: str) -> Choice | None:
    """The one set of safetensors of another name (a pipeline's component, weights.safetensors)."""
    indices = sorted(file for file in plain if file.endswith(INDEX))
    weights = {file for file in plain if file.endswith(".safetensors")}
    if len(indices) == 1:
        return Choice(Kind.SHARDED, index=indices[0])
    sets, singles = _sets(weights)
    if len(sets) + len(singles) + len(indices) > 1:
        names = [*indices, *singles, *(sorted(found)[0] for found in sets.values())]
        message = f"{len(names)} sets of weights and no model.safetensors: name one of {', '.join(names[:5])}"
        raise AmbiguousWeightsError(f"{source}: {message}")
    if sets:
        return _shards(*sets.popitem(), ".safetensors", Kind.UNINDEXED)
    return Choice(Kind.SINGLE, files=(singles[0],)) if singles else None


def _sets(files: set[str]) -> tuple[dict[tuple[str, int], set[str]], list[str]]:
    """The sets of numbered shards among files, and the files that are in none."""
    sets = _shard_sets(files)
    return sets, sorted(files - {file for found in sets.values() for file in found})


def _adapter(here: set[str]) -> Choice | None:
    return Choice(Kind.ADAPTER, files=(ADAPTER,)) if ADAPTER in here else None


def _consolidated(here: set[str], source: str) -> Choice | None:
    choice = _named(here, "consolidated", Kind.CONSOLIDATED, Kind.CONSOLIDATED)
    if choice:
        return choice
    files = {file for file in here if file.endswith(".safetensors") and _CONSOLIDATED.fullmatch(file)}
    sets = _shard_sets(files)
    if len(sets) > 1:
        raise AmbiguousWeightsError(f"{source}: {len(sets)} sets of consolidated shards: name the one you mean")
    if sets:
        return _shards(*sets.popitem(), ".safetensors", Kind.CONSOLIDATED)
    return Choice(Kind.CONSOLIDATED, files=tuple(sorted(files))) if files else None


def _pickle_index(here: set[str]) -> Choice | None:
    return Choice(Kind.NAMES_ONLY, index=PICKLES) if PICKLES in here else None


def gguf_set(file: str, files: Iterable[str]) -> Choice:
    """The set that a GGUF file is of: its split where its name is numbered (`m-00001-of-00003.gguf`), else it alone."""
    match = _SHARD.fullmatch(file)
    here = (other for other in files if other.endswith(".gguf"))
    key = (match["stem"], int(match["count"])) if match else None
    found = _shard_sets(here).get(key) if key else None
    return _shards(key, found, ".gguf", Kind.GGUF) if key and found else Choice(Kind.GGUF, files=(file,))


def _gguf(here: set[str], source: str) -> Choice | None:
    """The one GGUF model of a folder; a tower beside it is a file of its own, read when it is named."""
    every = {file for file in here if file.endswith(".gguf")}
    files = {file for file in every if not file.startswith(_TOWER)} or every
    sets, singles = _sets(files)
    if len(sets) + len(singles) > 1:
        names = ", ".join(sorted(files)[:5])
        raise AmbiguousWeightsError(f"{source}: {len(sets) + len(singles)} GGUF models: name one of {names}")
    if sets:
        return _shards(*sets.popitem(), ".gguf", Kind.GGUF)
    return Choice(Kind.GGUF, files=(singles[0],)) if singles else None


def _is_aside(file: str) -> bool:
    """Whether no loader takes the file unless it is asked for by name."""
    return any(pattern.fullmatch(file) for pattern in (_STATE, _CONSOLIDATED, _ADAPTER, _VARIANT))


def _is_weights(file: str) -> bool:
    name = file.rpartition("/")[2]
    is_index = name.endswith(".json") and ".index." in name and name.startswith(("model.", "pytorch_model.", "diff"))
    return name.endswith(_WEIGHTS) or name.endswith(INDEX) or is_index


def _reason(file: str) -> str:
    folder, _, name = file.rpartition("/")
    if folder:
        own = "the maker's own layout of the weights" if folder == "original" else "a loader reads this folder only"
        return f"in {folder}/: {own}"
    for pattern, reason in (
        (_STATE, "training state"),
        (_CONSOLIDATED, "the same weights in the maker's own layout"),
        (_ADAPTER, "an adapter, not the base weights"),
        (_VARIANT, "a variant, taken only when asked for"),
    ):
        if pattern.fullmatch(name):
            return reason
    for suffixes, reason in (
        (_PICKLES, "a pickle, never opened"),
        (_OTHERS, "another framework's file"),
        ((".gguf",), "GGUF: name the file to read it"),
        ((".json",), "an index of files that were not chosen"),
    ):
        if name.endswith(suffixes):
            return reason
    return "not part of the chosen set"


def _nothing(files: Collection[str]) -> str:
    """Why a folder has no weights that can be read, and the mend."""
    weights = sorted(file for file in files if _is_weights(file))
    readable = [file for file in weights if file.endswith((".safetensors", ".gguf"))]
    if readable:
        return f"no set of weights a loader would take; name a file, such as {readable[0]}"
    pickles = [file for file in weights if file.endswith(_PICKLES)]
    if pickles:
        return f"holds {pickles[0]} but no safetensors: a pickle is never opened, convert it first"
    if weights:
        return f"holds {weights[0]} but no safetensors: {_reason(weights[0])}, which is not read"
    return "holds no weights: give a folder, a file or a repository with safetensors"

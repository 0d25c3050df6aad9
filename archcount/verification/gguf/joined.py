"""Tensors of a block that the converter writes as one when it is asked to: `--fuse-qkv`, `--fuse-gate-up-exps`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from ...paths import Path, names
from ...quantization import Stored

JOINED = {
    ("attn_q", "attn_k", "attn_v"): ("attn_qkv", 0),
    ("ffn_gate_exps", "ffn_up_exps"): ("ffn_gate_up_exps", 1),
}
"""The parts, what they become, and the dimension along which they follow one another."""


def joined(stored: Iterable[Stored], held: Collection[str]) -> list[Stored]:
    """The tensors, those in one that the files hold in one; the others as they are."""
    found = {each.path: each for each in stored}
    for parts, (whole, axis) in JOINED.items():
        for path in [path for path in found if parts[0] in path]:
            target = _instead(path, parts[0], whole)
            apart = [found.get(_instead(path, parts[0], part)) for part in parts]
            present = [each for each in apart if each is not None]
            if len(present) == len(parts) and target not in found and any(name in held for name in names(target)):
                for each in present:
                    del found[each.path]
                found[target] = _one(present, target, axis)
    return list(found.values())


def _one(parts: list[Stored], path: Path, axis: int) -> Stored:
    first = parts[0]
    shape = (*first.shape[:axis], sum(each.shape[axis] for each in parts), *first.shape[axis + 1 :])
    return replace(first, path=path, shape=shape, represents=sum(each.represents for each in parts))


def _instead(path: Path, old: str, new: str) -> Path:
    return tuple(new if step == old else step for step in path)

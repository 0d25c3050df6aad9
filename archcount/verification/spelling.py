"""Names met under another spelling than the rule's: a prefix more or less, an old last part, Meta's own names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..registry import Architecture

META: dict[tuple[str, ...], tuple[str, ...]] = {
    ("tok_embeddings",): ("embed_tokens",),
    ("attention_norm",): ("input_layernorm",),
    ("ffn_norm",): ("post_attention_layernorm",),
    ("attention", "wq"): ("self_attn", "q_proj"),
    ("attention", "wk"): ("self_attn", "k_proj"),
    ("attention", "wv"): ("self_attn", "v_proj"),
    ("attention", "wo"): ("self_attn", "o_proj"),
    ("feed_forward", "w1"): ("mlp", "gate_proj"),
    ("feed_forward", "w2"): ("mlp", "down_proj"),
    ("feed_forward", "w3"): ("mlp", "up_proj"),
    ("feed_forward", "gate"): ("block_sparse_moe", "gate"),
    ("feed_forward", "experts"): ("block_sparse_moe", "experts"),
}
"""What Meta's and Mistral's consolidated files call the parts of a Llama or a Mixtral."""

LANGUAGE_MODEL, BODY = "model.language_model.", "model."  # of a text model saved as part of one that sees
EXPERTS = {"gate_proj": "w1", "down_proj": "w2", "up_proj": "w3"}
"""What llm-compressor calls the matrices of Mixtral's experts, from transformers 5 on."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """A name of the file, the predicted name it stands for, and how it differs, in words."""

    met: str
    ours: str
    how: str


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a model's names: its family's spellings, the first parts of its layers' names.

    `settled` are the first parts of the names that the files hold as predicted: beside those, a name is none of a whole
    model's around the body, and none of Meta's. `shared` are those of several names that are not predicted.
    """

    family: Architecture
    bases: tuple[str, ...]
    settled: frozenset[str]
    shared: frozenset[str]

    def is_own(self, base: str) -> bool:
        """Is it the prefix of the model's body, which transformers adds to any name and strips of any?"""
        return base in self.bases and (len(self.bases) == 1 or f"{base}." == BODY)


def translate(rest: Iterable[str], wanted: Collection[str], known: Known) -> Iterator[Spelled]:
    """The unclaimed names that stand for a predicted one which is absent; each of those is given once.

    A spelling is tried on a name that is not predicted alone, since both forms of one may be in use.
    """
    taken: set[str] = set()
    for met in rest:
        for ours, how in _candidates(met, known):
            if ours in wanted and ours not in taken:
                taken.add(ours)
                yield Spelled(met, ours, how)
                break


def _candidates(met: str, known: Known) -> Iterator[tuple[str, str]]:
    for name, how in _prefixed(met, known):
        if how:
            yield name, how
        yield from _renamed(name, how, known.family)
    if BODY.removesuffix(".") not in known.settled:
        yield from _meta(met)
    yield from _one_expert(met)


def _one_expert(met: str) -> Iterator[tuple[str, str]]:
    before, experts, after = met.partition(".experts.")
    number, _, rest = after.partition(".")
    name, dot, last = rest.partition(".")
    if experts and number.isdecimal() and dot and name in EXPERTS:
        yield f"{before}{experts}{number}.{EXPERTS[name]}.{last}", "experts as of other mixtures (gate_proj for w1)"


def _prefixed(met: str, known: Known) -> Iterator[tuple[str, str]]:
    """The name itself, then with the prefixes changed: as the family declares (twice in a row too), then in general."""
    yield met, ""
    declared = sorted(known.family.spellings.items(), key=lambda pair: -len(pair[0]))
    for written, ours in declared:
        if met.startswith(written):
            once, how = ours + met.removeprefix(written), _how(written, ours)
            yield once, how
            yield from (
                (again + once.removeprefix(first), f"{how}, {_how(first, again)}")
                for first, again in declared
                if first and once.startswith(first) and first != written
            )
    for base in known.bases:
        if known.is_own(base) or base not in known.settled:
            yield f"{base}.{met}", _how("", f"{base}.")
    first, _, rest = met.partition(".")
    if known.is_own(first):
        yield rest, _how(f"{first}.", "")
    yield from _wholly_prefixed(met, known)


def _wholly_prefixed(met: str, known: Known) -> Iterator[tuple[str, str]]:
    """With a prefix that all names of one beginning have, or none."""
    if met.startswith(LANGUAGE_MODEL) and BODY.removesuffix(".") not in known.settled:
        yield BODY + met.removeprefix(LANGUAGE_MODEL), _how(LANGUAGE_MODEL, BODY)
    first, _, rest = met.partition(".")
    is_shared = first in known.shared or f"{first}." == BODY
    if is_shared and rest.partition(".")[0] not in known.settled:
        yield rest, _how(f"{first}.", "")  # a wrapper's, or the body alone is declared and a whole model is stored


def _renamed(name: str, how: str, family: Architecture) -> Iterator[tuple[str, str]]:
    renamed = family.renamed
    steps = name.split(".") if renamed else []
    for written, ours in renamed.items():
        parts = written.split(".")
        starts = range(len(steps) - len(parts) + 1) if len(parts) > 1 else (len(steps) - 1,)
        for at in starts:
            if steps[at : at + len(parts)] == parts:
                changed = (*steps[:at], ours, *steps[at + len(parts) :])
                yield ".".join(changed), ", ".join(filter(None, (how, f"{written} for {ours}")))


def _meta(met: str) -> Iterator[tuple[str, str]]:
    how = "Meta's own names"
    if met == "output.weight":
        yield "lm_head.weight", how
        return
    parts = met.split(".")
    at = 2 if parts[0] == "layers" else 0
    for width in (2, 1):
        ours = META.get(tuple(parts[at : at + width]))
        if ours:
            yield ".".join(("model", *parts[:at], *ours, *parts[at + width :])), how


def _how(written: str, ours: str) -> str:
    if not written:
        return f"without {ours.removesuffix('.')!r} before it"
    return f"{written.removesuffix('.')!r} for {ours.removesuffix('.')!r}" if ours else f"with {written!r} before it"

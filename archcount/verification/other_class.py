"""Which class the files were written from, where it is another one than the config names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..class_names import class_names, plain, stem
from ..classes import family_of
from ..errors import ConfigError
from ..model import Model
from ..registry import Architecture
from ..tree import Storage
from .findings import Kind, Verdict, Verification

NAMES_DIFFER = frozenset({Kind.MISSING, Kind.UNEXPECTED, Kind.MTP_NOT_STORED, Kind.WRONG_TOTAL})
"""What a wrong class alone can lead to: a shape, a type or a shard that is wrong has another cause."""
PART = "_text"  # of a model_type: the language model of a family that sees, whose classes bear the family's name
LANGUAGE_MODELS = {
    **dict.fromkeys(("ctrl", "gpt2", "openaigpt", "qwen", "xlnet"), "LMHeadModel"),
    **dict.fromkeys(("t5", "mt5", "umt5"), "ForConditionalGeneration"),
    "marian": "MTModel",
}
"""Families whose language model is not called `…ForCausalLM`, by the letters of their name."""
ENDINGS = (
    *("ForPreTraining", "ForConditionalGeneration", "Model"),
    *("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"),
    *("ForRewardModel", "ForProcessRewardModel", "RewardModel"),
)
"""Tried after the language model, in this order. Not `ForMultipleChoice`: a sequence scored with one label is alike."""
FURTHER = {
    **dict.fromkeys(("bert", "megatronbert", "mobilebert", "ernie", "fnet"), ("ForNextSentencePrediction",)),
    **dict.fromkeys(("t5", "mt5", "umt5", "udop"), ("EncoderModel",)),
    **dict.fromkeys(("vit", "deit", "donutswin"), ("ForImageClassification",)),
    "whisper": ("ForAudioClassification",),
}
"""Classes that only some families have."""


def class_that_fits(model: Model, answer: Verification, against: Callable[[Model], Verification]) -> str:
    """The class under which `against` finds no mismatch, where `answer` is one of names alone; "" where none is known.

    Every name and shape must be right: a class that only comes nearer is not named.
    """
    wrong = {finding.kind for finding in answer.findings if not finding.is_note}
    if not wrong & {Kind.MISSING, Kind.UNEXPECTED} or not wrong <= NAMES_DIFFER:
        return ""
    missing = {name for finding in answer.findings if finding.kind is Kind.MISSING for name in finding.names}
    tried = [model.rows]
    for first, ending in _candidates(model):
        name = first + ending
        other = _as_class(model, name, family_of(f"{first}Model"))
        if other is None or other.rows in tried:
            continue
        tried.append(other.rows)
        if any(name in missing for row in other.rows if row.tensor.storage is Storage.OWN for name in row.names()):
            continue  # it would miss the same, and holding a hundred thousand names against it takes time
        if against(other).verdict is not Verdict.MISMATCH:
            return name
    return ""


def _as_class(model: Model, name: str, family: Architecture | None) -> Model | None:
    """The model with its config's class changed; None where that class is not known, or another family would count."""
    try:
        other = Model({**model.raw, "architectures": [name]}, model.name, as_type=model.counted_as)
        _ = other.stored
    except ConfigError:
        return None
    return other if family is None or family.rule is other.architecture.rule else None


def _candidates(model: Model) -> Iterator[tuple[str, str]]:
    """Classes of the language model alone where the config wraps one of another family, then those of its own.

    Each as what its family's classes begin with, and its own end.
    """
    raw = model.raw
    for key in ("text_config", "llm_config", "language_config"):
        inner = raw.get(key)
        own = str(inner.get("model_type") or "") if isinstance(inner, dict) else ""
        if isinstance(inner, dict) and own and not own.endswith(PART):
            within = _named(inner) or _titled(own)
            yield from ((within, _language_model(within)), (within, "Model"))
    own = model.counted_as or str(raw.get("model_type") or model.model_type)
    named = "" if model.counted_as else _named(raw)
    for first in filter(None, dict.fromkeys((named, "" if plain(named) == plain(_titled(own)) else _titled(own)))):
        further = FURTHER.get(plain(first), ())
        if plain(first) not in LANGUAGE_MODELS:
            yield first, "ForMaskedLM"  # before …ForCausalLM, whose tensors are the same where a family has both
        yield from ((first, ending) for ending in (_language_model(first), *ENDINGS, *further))


def _named(raw: Mapping[str, object]) -> str:
    """What the classes of the family that a config names begin with, "" where it names none that is known."""
    return stem(next((name for name in class_names(raw) if family_of(name) is not None), ""))


def _titled(model_type: str) -> str:
    """What the classes of a model_type begin with, but for capital letters, which nobody compares."""
    words = model_type.removesuffix(PART).replace("-", "_").split("_")
    return "".join(word[:1].upper() + word[1:] for word in words)


def _language_model(first: str) -> str:
    return LANGUAGE_MODELS.get(plain(first), "ForCausalLM")

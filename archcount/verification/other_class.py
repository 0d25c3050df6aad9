"""Which class the files were written from, where it is another one than the config names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..class_names import class_names, plain, stem
from ..classes import family_of
from ..errors import ConfigError
from ..model import Model
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
    *("ForPreTraining", "ForConditionalGeneration", "Model", "EncoderModel"),
    *("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "ForNextSentencePrediction"),
    *("ForImageClassification", "ForAudioClassification"),
    *("ForRewardModel", "ForProcessRewardModel", "RewardModel"),
)
"""Tried after the language model, in this order. Not `ForMultipleChoice`: a sequence scored with one label is alike."""


def class_that_fits(model: Model, answer: Verification, against: Callable[[Model], Verification]) -> str:
    """The class under which `against` finds no mismatch, where `answer` is one of names alone; "" where none is known.

    Every name and shape must be right: a class that only comes nearer is not named.
    """
    wrong = {finding.kind for finding in answer.findings if not finding.is_note}
    if not wrong & {Kind.MISSING, Kind.UNEXPECTED} or not wrong <= NAMES_DIFFER:
        return ""
    tried = [model.rows]
    for name in _candidates(model.raw, model.model_type):
        other = _as_class(model, name)
        if other is None or other.rows in tried:
            continue
        tried.append(other.rows)
        if against(other).verdict is not Verdict.MISMATCH:
            return name
    return ""


def _as_class(model: Model, name: str) -> Model | None:
    """The model with its config's class changed; None where that class is not known, or not in the config's format."""
    try:
        other = Model({**model.raw, "architectures": [name]}, model.name, as_type=model.counted_as)
        _ = other.stored
    except ConfigError:
        return None
    return other


def _candidates(raw: Mapping[str, object], model_type: str) -> Iterator[str]:
    """Classes of the language model alone where the config wraps one of another family, then those of its own."""
    for key in ("text_config", "llm_config", "language_config"):
        inner = raw.get(key)
        own = str(inner.get("model_type") or "") if isinstance(inner, dict) else ""
        if isinstance(inner, dict) and own and not own.endswith(PART):
            within = _stem(inner, own)
            yield from (_language_model(within), f"{within}Model")
    first = _stem(raw, model_type)
    if plain(first) not in LANGUAGE_MODELS:
        yield f"{first}ForMaskedLM"  # before …ForCausalLM, whose tensors are the same where a family has both
    yield _language_model(first)
    yield from (f"{first}{ending}" for ending in ENDINGS)


def _stem(raw: Mapping[str, object], model_type: str) -> str:
    """What the names of the family's classes begin with: as the config has it, else as its model_type is spelled."""
    named = next((name for name in class_names(raw) if family_of(name) is not None), "")
    words = model_type.removesuffix(PART).replace("-", "_").split("_")
    return stem(named) or "".join(word[:1].upper() + word[1:] for word in words)


def _language_model(first: str) -> str:
    return first + LANGUAGE_MODELS.get(plain(first), "ForCausalLM")

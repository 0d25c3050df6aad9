"""What the name of a model's class says: whose it is, and what stands on top of the decoder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

LANGUAGE_HEADS = (
    "ForCausalLM", "LMHeadModel", "ModelWithLMHead", "ForConditionalGeneration", "ForPreTraining",
)  # fmt: skip
SCORES = ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering")
REWARDS = ("ForRewardModel", "ForProcessRewardModel", "RewardModel")
OTHER_HEADS = ("ForMaskedLM", "DoubleHeadsModel")
BARE = ("Model",)
ENDINGS = (*LANGUAGE_HEADS, *SCORES, *REWARDS, *OTHER_HEADS, *BARE)  # a longer one stands before its own tail


def stem(name: str) -> str:
    """`InternLM2ForCausalLM` → `InternLM2`: the class's name without what it puts on top."""
    return next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), name)


@lru_cache(maxsize=2048)  # a class is held against every model_type
def plain(name: str) -> str:
    """A class's stem or a model_type in the letters both share: `Qwen2_5_VL`, `qwen2_5_vl` → `qwen25vl`."""
    return "".join(character for character in name.lower() if character.isalnum())


def class_name(architectures: Sequence[str] | None, auto_map: Mapping[str, object] | None) -> str:
    """The class a checkpoint was written from, "" where the config names none.

    A bare `…Model` means the class that `auto_map` loads in its place (ChatGLM's files name `ChatGLMModel` and load
    `ChatGLMForConditionalGeneration`).
    """
    named = architectures[0] if architectures else ""
    if named and stem(named) == named.removesuffix("Model") != named:
        return _mapped(auto_map, "AutoModel") or named
    return named


def class_names(raw: Mapping[str, object]) -> Iterator[str]:
    """Every class a config names, the most telling first: `architectures`, then what `auto_map` loads."""
    architectures, auto_map = raw.get("architectures"), raw.get("auto_map")
    if isinstance(architectures, list):
        yield from (name for name in architectures if isinstance(name, str))
    if isinstance(auto_map, dict):
        yield from filter(None, (_mapped(auto_map, key) for key in auto_map if key.startswith("AutoModel")))


def _mapped(auto_map: Mapping[str, object] | None, key: str) -> str:
    """`Class` of `organisation/repository--module.Class`; only read, never imported."""
    reference = (auto_map or {}).get(key)
    return reference.rpartition(".")[2] if isinstance(reference, str) else ""

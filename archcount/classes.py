"""Which family's rule counts a config: that of its model_type, or that of the class its weights were written from.

A published config names a `model_type` and, in `architectures`, a class. Nearly always the two belong together. Where
they do not, archcount does what loading the file does: **the config is read as model_type's own config class reads it
(spellings, defaults); the tensors are those of the class.** In full:

1. `as_type` (`--as`) decides alone.
2. model_type is known, and the class belongs to it, is of no known family, or wraps a whole multimodal model
   (`…ForConditionalGeneration`): model_type decides.
3. model_type is known, and the class is of another known family: the class decides (`InternLM2ForCausalLM` under
   `internlm`); it reads the language model's config where model_type's has one (`LlamaForCausalLM` under `llava`).
4. model_type is missing or unknown: the class decides; failing that, the class `auto_map` names, read and never run.
5. Neither is known: refused.

Cases 3 and 4 leave a note that stands beside the count, and so does an unknown class that `auto_map` loads from the
repository's own code: it may hold more or less than its model_type says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from . import registry
from .class_names import class_names, plain, stem
from .config import ModelConfig, Schema, read
from .registry import Architecture

CLASS_OF = {
    "RefinedWeb": "RW",
    "RefinedWebModel": "RW",
    "codet5p": "CodeT5pEncoderDecoder",
    "deepseek_vl_v2": "DeepseekOCR2",  # beside its own: it shares that class with deepseek_ocr2
    "deci": "DeciLM",
    "emu3_text_model": "Emu3",
    "exaone": "Llama",
    "gpt-sw3": "GPT2",
    "hyperclovax_vision_v2": "HCXVisionV2",
    "internlm3": "Llama",
    "iquestcoder": "Llama",
    "kimi_k2": "DeepseekV3",
    "musicgen_decoder": "Musicgen",
    "musicgen_melody_decoder": "MusicgenMelody",
    "nemotron-nas": "DeciLM",
    "phi-msft": "Phi",
    "sarvam_mla": "DeepseekV3",
    "sarvam_moe": "Glm4Moe",
}
"""model_types whose class is not named for them, and how it is named."""
GENERIC = frozenset({"auto", "automodel"})  # written by a wrapper: says nothing of the family


@dataclass(frozen=True, slots=True)
class Resolution:
    """The architecture that counts; `reader` is model_type's own where that is another; `note` says why."""

    architecture: Architecture
    reader: Architecture | None = None
    note: str = ""

    def read(self, raw: Mapping[str, object], where: str) -> ModelConfig:
        """The config as the counting family's schema types it.

        Raises ConfigValueError: a key missing, of the wrong type, or out of range.
        """
        schema, keys = self.architecture.schema, dict(raw)
        if self.reader is not None:
            keys = _as_read_by(*_language_part(read(self.reader.schema, raw, where), raw), schema)
        return read(schema, {**keys, "model_type": self.architecture.model_type}, where)


def resolve(raw: Mapping[str, object], where: str, as_type: str | None = None) -> Resolution:
    """The family that counts `raw`; `where` names the config in an error.

    Raises ConfigValueError: no model_type, and no class that tells. UnknownArchitectureError: nobody knows either.
    """
    stated = raw.get("model_type")
    if as_type is not None:
        differs = isinstance(stated, str) and stated not in ("", as_type)
        note = f"counted by {as_type}'s rule, as asked: its model_type is {stated}" if differs else ""
        return Resolution(registry.find(as_type), None, note)
    own = registry.look_up(stated) if isinstance(stated, str) else None
    if own is not None:
        return _class_or_type(raw, own)
    if stated is None or isinstance(stated, str):
        for name in class_names(raw):
            family = family_of(name)
            if family is not None:
                why = f"its model_type {stated} is unknown" if stated else "its config names no model_type"
                return Resolution(family, None, f"counted by {family.model_type}'s rule, after its class {name}: {why}")
    return Resolution(registry.find(registry.model_type_of(raw, where)))


def family_of(name: str) -> Architecture | None:
    """The architecture that a class's name belongs to, None where no model_type is spelled like it."""
    wanted = plain(stem(name))
    named = {plain(model_type): model_type for model_type in sorted(registry.at_hand(), reverse=True)}
    otherwise = {plain(own): model_type for model_type, own in CLASS_OF.items() if plain(own) not in named}
    model_type = named.get(wanted) or otherwise.get(wanted) or _installed(wanted)
    return registry.look_up(model_type) if model_type else None


def _installed(wanted: str) -> str | None:
    return next((model_type for model_type in registry.model_types() if plain(model_type) == wanted), None)


def _class_or_type(raw: Mapping[str, object], own: Architecture) -> Resolution:
    """Cases 2 and 3: a known model_type, and the first class named."""
    name = next(class_names(raw), "")
    if not name or _belongs(name, own.model_type) or plain(stem(name)) in GENERIC:
        return Resolution(own)
    family = None if name.endswith("ForConditionalGeneration") else family_of(name)
    if family is None:
        note = f"counted by {own.model_type}'s rule: its class {name} is the repository's own, and may differ"
        return Resolution(own, None, note if raw.get("auto_map") else "")
    if family.rule is own.rule:
        return Resolution(own)
    note = f"counted by {family.model_type}'s rule, after its class {name}: its model_type is {own.model_type}"
    return Resolution(family, own, note)


def _belongs(name: str, model_type: str) -> bool:
    own = {
        plain(model_type),
        plain(model_type.removesuffix("_model").removesuffix("_text")),
        plain(CLASS_OF.get(model_type, model_type)),
    }
    return plain(stem(name)) in own


def _language_part(own: ModelConfig, raw: Mapping[str, object]) -> tuple[ModelConfig, Mapping[str, object]]:
    """The language model's config, where the class loads a multimodal model's decoder alone; else the config itself.

    The class, the labels and what else is said of the checkpoint stand in the config around it.
    """
    around = {key: value for key in ModelConfig.model_fields if (value := getattr(own, key)) is not None}
    for key in ("text_config", "llm_config", "language_config"):
        inner, given = getattr(own, key, None), raw.get(key)
        if isinstance(inner, ModelConfig) and isinstance(given, Mapping):
            return inner, {**given, **around}
    return own, raw


def _as_read_by(own: ModelConfig, raw: Mapping[str, object], schema: type[ModelConfig]) -> dict[str, object]:
    """The keys `schema` finds on a config that model_type's own class has read.

    A key the config does not give has that class's default; one that it does not know either is null where the class of
    the weights gives null a meaning, so that no width or window comes out of nowhere.
    """
    fields = {key: getattr(own, key) for key in type(own).model_fields}
    spelled = {key: fields[name] for key, name in own.also_spelled.items() if name in fields}
    unknown = dict.fromkeys(key for key in schema.model_fields if schema.admits_null(key))
    derived = {"num_key_value_heads": fields.get("num_attention_heads")}  # what a null one means everywhere
    layers = (derived, spelled, fields, raw)
    return unknown | {key: value for keys in layers for key, value in keys.items() if _is_plain(value)}


def _is_plain(value: object) -> bool:
    return value is not None and not isinstance(value, Schema)

"""Keys as config.json spells them: which were given, which took their default, which nobody read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from .class_names import class_name
from .dim import Dim
from .errors import ConfigError, ConfigValueError
from .faults import fault

LARGEST_SIZE = 2**40  # no dimension of a published tensor comes near
LARGEST_COUNT = 2**20  # layers, experts: more than this is a damaged file


def _remember_key(value: int, info: ValidationInfo) -> Dim:
    return Dim(value, info.field_name or "")


def _whole(least: int, most: int) -> Any:  # noqa: ANN401 - what Annotated takes
    return Field(strict=True, ge=least, le=most)


Size = Annotated[int, _whole(1, LARGEST_SIZE), AfterValidator(_remember_key)]
"""A width: at least 1, remembers its key."""
SizeOrZero = Annotated[int, _whole(0, LARGEST_SIZE), AfterValidator(_remember_key)]
"""A width that may be 0, where the published class gives 0 a meaning."""
Count = Annotated[int, _whole(1, LARGEST_COUNT), AfterValidator(_remember_key)]
"""A number of layers, heads or experts: at least 1."""
CountOrZero = Annotated[int, _whole(0, LARGEST_COUNT), AfterValidator(_remember_key)]
"""A number of layers or experts that may be 0."""
Factor = Annotated[float, Field(strict=True, gt=0, le=LARGEST_COUNT, allow_inf_nan=False)]
"""What a width is multiplied by: above 0, not necessarily whole."""
Index = Annotated[int, _whole(-LARGEST_COUNT, LARGEST_COUNT)]
"""The number of a layer or a place, where one below 0 has a meaning of its own."""


def _not_a_word(value: object) -> object:
    if isinstance(value, str):
        raise ValueError("should be true or false")
    return value


_FLAG = BeforeValidator(_not_a_word)
"""A bool given as a word is refused: "false" is true to Python, which is how Hugging Face's classes took it."""


class Schema(BaseModel):
    """What one model_type's config holds. Fields are spelled as config.json spells them.

    A field with a default takes the one of Hugging Face's own class for that model_type. `null` equals missing, except
    for a field that admits None: there the published class gives null a meaning of its own (`q_lora_rank: null`).
    `also_spelled` maps a further spelling that Hugging Face accepts to the field's own.
    """

    model_config = ConfigDict(
        frozen=True, extra="allow", protected_namespaces=(), validate_default=True, defer_build=True
    )
    also_spelled: ClassVar[Mapping[str, str]] = {}
    ignored: ClassVar[frozenset[str]] = frozenset()  # keys the class has and no shape depends on
    unbuilt: ClassVar[frozenset[str]] = frozenset()  # fields of the class above that this one's rule builds nothing of

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Spellings and ignored keys add to those of the class above; a flag is a JSON boolean."""
        above = [base for base in reversed(cls.__mro__) if issubclass(base, Schema)]
        cls.also_spelled = {key: name for base in above for key, name in base.also_spelled.items()}
        cls.ignored = frozenset().union(*(base.ignored for base in above))
        for field in cls.model_fields.values():
            if field.annotation in (bool, bool | None) and _FLAG not in field.metadata:
                field.metadata = [*field.metadata, _FLAG]

    @model_validator(mode="before")
    @classmethod
    def _spelled_and_without_nulls(cls, raw: object) -> object:
        if not isinstance(raw, Mapping):
            return raw
        present = {key: value for key, value in raw.items() if value is not None or cls.admits_null(key)}
        spelled = {cls.also_spelled[key]: value for key, value in present.items() if key in cls.also_spelled}
        return spelled | {key: value for key, value in present.items() if key not in cls.also_spelled}

    @classmethod
    def unfolded(cls, raw: Mapping[str, object]) -> Mapping[str, object]:
        """The config as its newer files have it: some once held at the top level what a nested config now holds."""
        return raw

    @classmethod
    def admits_null(cls, key: str) -> bool:
        """Has null a meaning of its own under this key, or under the key it spells?"""
        field = cls.model_fields.get(cls.also_spelled.get(key, key))
        return field is not None and type(None) in get_args(field.annotation)

    @model_validator(mode="after")
    def _name_nested_sizes(self) -> Self:
        for key in type(self).model_fields:
            value = self.__dict__[key]
            if isinstance(value, Schema):
                self.__dict__[key] = value._under(key)
            elif isinstance(value, (list, tuple)):
                self.__dict__[key] = type(value)(_renamed(item, f"{key}[{i}]") for i, item in enumerate(value))
            elif isinstance(value, dict):
                self.__dict__[key] = {name: _renamed(item, f"{key}.{name}") for name, item in value.items()}
        return self

    def _under(self, parent: str) -> Self:
        """The same config with every size named below `parent`; what was given and what was not stays known."""
        inner = self.model_copy()
        inner.__dict__.update({key: _prefixed(value, parent) for key, value in self.__dict__.items()})
        return inner

    def defaulted(self) -> dict[str, object]:
        """Fields the config does not give, with the value they took; nested ones as `text_config.head_dim`."""
        return dict(self._defaulted())

    def _defaulted(self, prefix: str = "") -> Iterator[tuple[str, object]]:
        for key in type(self).model_fields:
            value, given = getattr(self, key), key in self.model_fields_set
            if isinstance(value, Schema):
                yield from value._defaulted(f"{prefix}{key}.")
            elif not given and key not in _ADMINISTRATIVE | self.unbuilt:
                yield f"{prefix}{key}", value

    def assumed(self) -> list[str]:
        """Nested configs that are missing altogether, so that every value in them is the class's own."""
        nested = ((key, getattr(self, key)) for key in type(self).model_fields)
        return [key for key, value in nested if isinstance(value, Schema) and key not in self.model_fields_set]

    def unread(self) -> dict[str, object]:
        """Keys the config gives and the rule does not read; nested ones as `vision_config.dropout`."""
        return dict(self._unread())

    def _unread(self, prefix: str = "") -> Iterator[tuple[str, object]]:
        for key, value in (self.model_extra or {}).items():
            if key not in self.ignored:
                yield f"{prefix}{key}", value
        for key in type(self).model_fields:
            value = getattr(self, key)
            if isinstance(value, Schema):
                yield from value._unread(f"{prefix}{key}.")
            elif key in self.unbuilt and key in self.model_fields_set:
                yield f"{prefix}{key}", value


_ADMINISTRATIVE = frozenset(
    {
        "model_type", "architectures", "auto_map", "torch_dtype", "dtype", "quantization_config", "num_labels",
        "id2label", "transformers_version",
    }
)  # fmt: skip


class ModelConfig(Schema):
    """What every top-level config may hold, whatever the family."""

    model_type: str
    architectures: list[str] | None = None
    auto_map: dict[str, Any] | None = None
    dtype: str | None = None
    quantization_config: dict[str, Any] | None = None
    num_labels: Count | None = None
    id2label: dict[str, Any] | None = None
    transformers_version: str | None = None
    also_spelled: ClassVar[Mapping[str, str]] = {"torch_dtype": "dtype"}
    ignored: ClassVar[frozenset[str]] = frozenset({"compression_config", "quantization"})  # read by the stored layout

    @property
    def class_name(self) -> str:
        """The class the checkpoint was written from, "" where the config names none."""
        return class_name(self.architectures, self.auto_map)

    @property
    def is_written_by_transformers_4(self) -> bool:
        """Does the config say that transformers 4 or older wrote the checkpoint? 5 saves some towers by other names."""
        return self._transformers is not None and self._transformers < 5

    @property
    def is_written_by_transformers_5(self) -> bool:
        """Does the config say that transformers 5 or newer wrote the checkpoint? It saves some computed tables."""
        return self._transformers is not None and self._transformers >= 5

    @property
    def _transformers(self) -> int | None:
        """The major version that the config says wrote it."""
        major = (self.transformers_version or "").partition(".")[0]
        return int(major) if major.isdecimal() else None

    @property
    def labels(self) -> int:
        """Rows of a classification head: `num_labels`, or as many as `id2label` has, or Hugging Face's default of 2.

        Where the two differ, transformers 4 goes by `id2label` and 5 by `num_labels`.
        """
        if self.id2label is not None and not (self.num_labels and (self._transformers or 0) >= 5):
            return Dim(len(self.id2label), "id2label")
        return self.num_labels or Dim(2, "num_labels")


class DecoderConfig(ModelConfig):
    """The keys that most decoders spell alike. No defaults: each model_type states its own."""

    vocab_size: Size
    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Count
    num_attention_heads: Count
    tie_word_embeddings: bool = False


def looks_like_a_size(key: str) -> bool:
    """Would an unread key of this name be a silent factor of two?"""
    name = key.rpartition(".")[2]
    if name in _NEVER_A_SHAPE:
        return False
    return name.endswith(("_size", "_dim", "_rank", "_heads", "_layers", "_experts")) or name.startswith(("num_", "n_"))


_NEVER_A_SHAPE = frozenset(
    {
        "chunk_size_feed_forward", "encoder_no_repeat_ngram_size", "no_repeat_ngram_size", "num_beams",
        "num_beam_groups", "num_return_sequences", "n_positions_trained", "n_group", "num_image_tokens", "num_labels",
        "num_logits_to_keep", "pretraining_tp", "ep_size", "num_hidden_layers_trained",
    }
)  # fmt: skip


AnySchema = TypeVar("AnySchema", bound=Schema)


def read(schema: type[AnySchema], raw: Mapping[str, object], where: str) -> AnySchema:
    """The config as `schema` types it; `where` names its source in an error.

    Raises ConfigValueError: a key missing, of the wrong type, or out of range.
    """
    try:
        return schema.model_validate(raw)
    except ValidationError as error:
        raise ConfigValueError(f"{where}: {fault(error, schema, raw)}") from None
    except ConfigError as error:  # of a nested config
        raise type(error)(f"{where}: {error}") from None


def read_nested(schema: type[AnySchema], raw: Mapping[str, object], key: str) -> AnySchema:
    """The config that stands under `key` of another, as `schema` types it.

    Raises ConfigValueError: a key missing, of the wrong type, or out of range.
    """
    try:
        return schema.model_validate(raw)
    except ValidationError as error:
        raise ConfigValueError(fault(error, schema, raw, key)) from None
    except ConfigError as error:
        raise type(error)(f"{key}.{error}") from None


def _prefixed(value: Any, parent: str) -> Any:  # noqa: ANN401 - any field of any schema
    if isinstance(value, Dim) and isinstance(value.term, str):
        return Dim(value, f"{parent}.{value.term}")
    if isinstance(value, Schema):
        return value._under(parent)
    if isinstance(value, (list, tuple)):
        return type(value)(_prefixed(item, parent) for item in value)
    if isinstance(value, dict):
        return {name: _prefixed(item, parent) for name, item in value.items()}
    return value


def _renamed(value: Any, key: str) -> Any:  # noqa: ANN401 - any item of any list
    if isinstance(value, Dim):
        return Dim(value, key)
    return value._under(key) if isinstance(value, Schema) else value

"""A model: its config, its rows, and the questions one can ask of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import accounting, classes, overrides, quantization, rows
from .accounting import Totals
from .config import ModelConfig
from .errors import ConfigError, ConfigValueError, UnknownCostError, UsageError
from .quantization import Stored
from .rows import NamedTensor, Part, Row
from .sources.locate import config_called
from .tree import Module

if TYPE_CHECKING:
    from .costs.flops import Flops
    from .costs.memory import Memory, WeightLine
    from .costs.training import Recipe, Training
    from .images.seen import Images

LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_sequence_length",
    "n_ctx",
    "max_decoder_position_embeddings",
)


class Model:
    """A config that counts. `raw` is the config with what was set in it, `config` the same as its schema types it.

    `model_type` is the one whose rule counts; where that is not plainly the config's own, `note` says why, else "".
    """

    def __init__(
        self,
        raw: Mapping[str, object],
        name: str,
        *,
        as_type: str | None = None,
        given: Mapping[str, object] | None = None,
    ) -> None:
        """`given` is the config before something was set in it.

        Raises ConfigError: the config cannot be counted.
        """
        self.given = given
        self.raw = copy.deepcopy(dict(raw))  # it is read again later, and the caller may go on to change theirs
        self.name = name
        self.counted_as = as_type
        resolution = classes.resolve(self.raw, name, as_type)
        self.architecture = resolution.architecture
        self.model_type = self.architecture.model_type
        self.config: ModelConfig = resolution.read(self.raw, name)
        self.note = resolution.note

    @cached_property
    def tree(self) -> Module:
        """The tree of named tensors.

        Raises ConfigValueError: sizes that cannot go together. UsageError: a rule that returns no Module.
        """
        try:
            tree = self.architecture.rule(self.config)
        except ConfigValueError as error:
            raise ConfigValueError(f"{self.name}: {error}") from error
        if not isinstance(tree, Module):  # of a rule of the user's own
            raise UsageError(f"the rule of {self.model_type} returns a {type(tree).__name__}: should be a Module")
        return tree

    @cached_property
    def rows(self) -> list[Row]:
        """One row for each distinct tensor."""
        return rows.rows(self.tree)

    @cached_property
    def parts(self) -> list[Part]:
        """One part for each distinct module that bears a kind, a cache or a cost of attention."""
        return rows.parts(self.tree)

    @cached_property
    def totals(self) -> Totals:
        """Parameters, active, stored; by role and by section."""
        try:
            stored = self.stored
        except ConfigValueError:  # said by `stored` itself; the parameters are exact all the same
            return accounting.totals(self.rows, None)
        return accounting.totals(self.rows, stored)

    @cached_property
    def stored(self) -> list[Stored]:
        """What the files hold, by the config alone: quantized weights as packed, with their scales and zero points.

        Raises ConfigValueError: a quantized format that archcount has no layout for.
        """
        return quantization.stored(self.rows, quantization.quantization_of(self.raw))

    @property
    def stored_bytes(self) -> int | None:
        """Bytes of tensors in the files at the config's dtype; None where it names none, or `stored` cannot be told."""
        return None if self.totals.stored is None else accounting.bytes_of(self.stored, self.dtype)

    @property
    def dtype(self) -> str | None:
        """The config's own data type, its nested language config's where the top level names none or "auto"."""
        nested = (self.raw.get(key) for key in ("text_config", "llm_config", "language_config"))
        configs = [self.raw, *(config for config in nested if isinstance(config, dict))]
        named = (config.get(key) for config in configs for key in ("dtype", "torch_dtype"))
        return next((str(dtype).removeprefix("torch.") for dtype in named if dtype and dtype != "auto"), None)

    def before_set(self) -> Model | None:
        """The model as its config was given; None where nothing was set, or where only setting it let it be counted."""
        if self.given is None:
            return None
        try:
            return _counted(Model(self.given, self.name, as_type=self.counted_as))
        except ConfigError:
            return None

    @property
    def context(self) -> int | None:
        """The longest sequence the config names, None where it names none."""
        nested = (self.raw.get(key) for key in ("text_config", "llm_config", "language_config"))
        configs = [self.raw, *(config for config in nested if isinstance(config, dict))]
        named = (config.get(key) for config in configs for key in LENGTHS)
        return next((length for length in named if isinstance(length, int) and length > 0), None)

    def memory(
        self,
        context: int,
        batch: int = 1,
        *,
        source: int | None = None,
        dtype: str | None = None,
        cache_dtype: str | None = None,
        state_dtype: str | None = None,
        policy: str = "minimum",
        expanded: bool = False,
        images: Images | None = None,
    ) -> Memory:
        """Bytes of weights, caches and states for `batch` sequences of `context` tokens.

        `dtype` is the weights', None as the files store them; `cache_dtype` the config's where it is None. `source` is
        the length of the other side of a cross-attention. `policy` "unified" gives every layer the full length;
        `expanded` keeps keys and values where latent rows would do. `images` come to each sequence's tokens.

        Raises UsageError: a data type or length that is missing. UnknownCostError: attention whose cache has no mark.
        """
        from .costs import memory

        asked = memory.Request(context, batch, source, dtype, cache_dtype, state_dtype, policy, expanded, images)
        return memory.memory(self._weights(dtype), self.parts, asked, self.dtype, self.name)

    def flops(
        self, context: int, *, source: int | None = None, recompute: str = "none", images: Images | None = None
    ) -> Flops:
        """FLOPs of a token at the end of `context` tokens, of a whole sequence, and in training.

        `source` is the length of the other side of a cross-attention; `recompute` is what the backward pass computes
        again: "none", "selective" (attention's pairs) or "full". `images` come to the tokens, and are seen once.

        Raises UsageError: a length that is missing. UnknownCostError: attention whose cost has no mark.
        """
        from .costs import flops

        rows, parts = self.rows, self.parts
        return flops.flops(rows, parts, context=context, source=source, recompute=recompute, images=images)

    def images(
        self, height: int, width: int, count: int = 1, *, processor: Mapping[str, object] | None = None
    ) -> Images:
        """What `count` images of so many pixels become: patches, and tokens of the context.

        `processor` gives settings of the image processor by name; the rest are those of its class (`.assumed`).

        Raises UnknownCostError: a family whose rule is not known, or a model without eyes. UsageError: no such setting.
        """
        from .images import prompt

        if not any(row.section == "vision" for row in self.rows):
            raise UnknownCostError(f"{self.name}: it holds nothing to see with, by its config and class")
        rule, given = self.architecture.images, processor or {}
        return prompt.images_of(rule, self.config, (height, width), count, given=given, name=self.name)

    def training(self, context: int, batch: int = 1, *, recipe: Recipe) -> Training:
        """Bytes that training takes on the fullest device: weights, gradients, optimizer, and activations estimated.

        Raises UsageError: a recipe that does not go together. UnknownCostError: layers that cannot be laid out.
        """
        from .costs import training

        return training.training(self.rows, self.parts, recipe, context=context, batch=batch)

    def _weights(self, dtype: str | None) -> tuple[WeightLine, ...]:
        from .costs import memory

        if dtype is not None:
            return memory.weights_at(self.rows, memory.bits_of(dtype, "--dtype"))
        own = memory.bits_of(self.dtype, "the config's dtype") if self.dtype else None
        return memory.weights_as_stored(self.rows, self.stored, own)

    def tensors(self) -> Iterator[NamedTensor]:
        """Every tensor with its name and shape, layer after layer, those not stored included."""
        return rows.tensors(self.tree)

    def __repr__(self) -> str:
        return f"<Model {self.name}: {self.model_type}, {self.totals.parameters:,} parameters>"


def load(
    source: str | Path | Mapping[str, object],
    set: Mapping[str, object] | None = None,
    *,
    as_type: str | None = None,
    revision: str | None = None,
) -> Model:
    """The model that `source` means: a known name, a path, a Hub repository id, or the config as a mapping.

    `set` lays values over the config (`{"text_config.num_hidden_layers": 2}`). `as_type` counts by another family's
    rule. `revision` is the Hub's.

    Raises ArchcountError: nothing of that name, or a config that cannot be counted.
    """
    raw, name = config_called(source, revision)
    if not set:
        return _counted(Model(raw, name, as_type=as_type))
    schema = classes.resolve(overrides.apply(raw, set), name, as_type).architecture.schema
    changed = overrides.apply(schema.unfolded(raw), set)
    model = Model(changed, name, as_type=as_type, given=raw)
    overrides.check_names(model.config, set)
    return _counted(model)


def _counted(model: Model) -> Model:
    """The model with its tree built, so that a config that cannot be counted is refused here."""
    _ = model.tree
    return model

"""Do the published files hold what the config says, tensor by tensor?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from ..checkpoint.entries import UNKNOWN, Entry
from ..checkpoint.result import Checkpoint
from ..checkpoint.result import Kind as Files
from ..checkpoint.sources import read_checkpoint
from ..errors import ConfigValueError, UsageError
from ..model import Model, load
from .causes import Causes
from .claims import wrong_totals
from .findings import NOTES, Finding, Kind, Step, Verdict, Verification
from .gguf import as_entries, as_gguf
from .judgement import tensor_findings
from .ladder import ladder, parameters_held
from .latent import as_mlx
from .matching import bits_of
from .names_total import names_findings
from .other_class import class_that_fits
from .prediction import Prediction, predict
from .shards import file_findings
from .sorting import Sorted, sort
from .weights import weights_of

__all__ = ["NOTES", "Finding", "Kind", "Step", "Verdict", "Verification", "compare", "verify"]

Progress = Callable[[int, int], None]


def verify(
    model: Model | str | Path | Mapping[str, object],
    weights: str | Path | Checkpoint | None = None,
    *,
    revision: str | None = None,
    on_progress: Progress | None = None,
) -> Verification:
    """Hold the headers of `weights` against the config of `model` (a Model, or what `load` takes).

    `weights` is a file, a folder, a Hub repository id or a Checkpoint that is already read; left out, the model's own
    folder or repository. `revision` is the Hub's. `on_progress(done, total)` is called after each file.

    Raises ConfigError: a config that cannot be counted, or a quantized format without a layout here. CheckpointError or
    HubError: weights that cannot be read. UsageError: an adapter, or no weights named.
    """
    counted = model if isinstance(model, Model) else load(model, revision=revision)
    prediction = predict(counted)
    if not isinstance(weights, Checkpoint):
        source = weights_of(counted) if weights is None else weights
        weights = read_checkpoint(source, revision=revision, on_progress=on_progress)
    return compare(counted, prediction, weights)


def compare(model: Model, prediction: Prediction, checkpoint: Checkpoint) -> Verification:
    """The answer for a prediction and a checkpoint, and the class of the files where the config names another.

    Raises UsageError: an adapter holds no model.
    """
    if checkpoint.kind is Files.ADAPTER:
        mend = "archcount weights shows what is in it; merge it into its base model to verify that"
        raise UsageError(f"{checkpoint.source}: an adapter, not the weights of a model: {mend}")
    answer = _compare(model, prediction, checkpoint)
    if answer.verdict is not Verdict.MISMATCH or checkpoint.kind in (Files.NAMES_ONLY, Files.GGUF):
        return answer
    fits = class_that_fits(model, answer, lambda other: _compare(other, predict(other), checkpoint))
    return replace(answer, fits=fits)


def _compare(model: Model, prediction: Prediction, checkpoint: Checkpoint) -> Verification:
    names_only = checkpoint.kind is Files.NAMES_ONLY
    entries = _names_of(checkpoint) if names_only else dict(checkpoint.entries)
    if checkpoint.kind is Files.GGUF:
        prediction = as_gguf(model, prediction, checkpoint.shards[0].header.metadata, entries)
        entries = as_entries(entries)
    else:
        _check_type(model, prediction.dtype)
        prediction = as_mlx(model, prediction, entries)
    found = sort(prediction, entries, names_only=names_only)
    stored = checkpoint.elements
    return Verification(
        model=model.name,
        model_type=model.model_type,
        source=checkpoint.source,
        revision=checkpoint.revision,
        files=checkpoint.kind.value,
        findings=tuple(_findings(model, checkpoint, prediction, found, stored)),
        ladder=() if names_only else ladder(prediction, found, stored, checkpoint.repeated_elements),
        stored=None if names_only else stored,
        parameters=None if names_only else parameters_held(found),
        declared=prediction.declared,
        passed_over=tuple((passed.file, passed.reason) for passed in checkpoint.passed_over),
    )


def _findings(
    model: Model, checkpoint: Checkpoint, prediction: Prediction, found: Sorted, stored: int
) -> list[Finding]:
    """Mismatches first, then notes, each in the order in which they were found."""
    causes = Causes.of(checkpoint, prediction, found)
    findings = [
        *file_findings(checkpoint),
        *tensor_findings(prediction, found, causes),
    ]
    if checkpoint.kind is Files.NAMES_ONLY:
        findings += names_findings(model, checkpoint, found)
    else:
        findings += wrong_totals(checkpoint, prediction, found, stored)
    return sorted(findings, key=lambda finding: finding.is_note)


def _check_type(model: Model, dtype: str | None) -> None:
    """Raises ConfigValueError: a data type of no known width, so that nobody can say whether the files have it."""
    if dtype is not None and bits_of(dtype) is None:
        raise ConfigValueError(
            f"{model.name}: dtype {dtype!r} is no type known here: --set dtype=bfloat16, or what it is"
        )


def _names_of(checkpoint: Checkpoint) -> dict[str, Entry]:
    """An entry for each name of an index of pickles; nothing else is known of it."""
    names = checkpoint.index.weight_map if checkpoint.index else {}
    return dict.fromkeys(names, UNKNOWN)

"""Where a model's own weights are: beside its config, or in its repository."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..model import Model
from ..sources import catalog
from ..sources.files import is_on_disk
from ..sources.locate import REPOSITORY


def weights_of(model: Model) -> str | Path:
    """The folder of the model's config, or its repository on the Hub.

    Raises UsageError: the model has neither.
    """
    path = Path(model.name)
    if is_on_disk(model.name):
        return path if path.is_dir() else path.parent
    known = catalog.find(model.name)
    if known is not None:
        if known.repository is None:
            raise UsageError(f"{model.name}: no weights of it are published: name the ones you mean")
        return known.repository
    if REPOSITORY.fullmatch(model.name):
        return model.name
    raise UsageError(f"{model.name}: name its weights: a file, a folder or a Hub repository id")

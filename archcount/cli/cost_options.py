"""The options of the verbs that say what a model costs, each with its one wording."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError

if TYPE_CHECKING:
    from ..images.seen import Images
    from ..model import Model

ContextOption = Annotated[
    int | None,
    typer.Option("--context", metavar="TOKENS", help="Tokens of a sequence; the config's longest where left out."),
]
BatchOption = Annotated[int, typer.Option("--batch", metavar="N", help="Sequences at once.")]
SourceOption = Annotated[
    int | None, typer.Option("--source", metavar="TOKENS", help="Length of the other side of a cross-attention.")
]
DtypeOption = Annotated[
    str | None, typer.Option("--dtype", help="Data type of the weights; as the files store them where left out.")
]
CacheDtypeOption = Annotated[
    str | None, typer.Option("--cache-dtype", help="Data type of the cache; the config's where left out.")
]
StateDtypeOption = Annotated[str | None, typer.Option("--state-dtype", help="Data type of states, not of caches.")]
PolicyOption = Annotated[str, typer.Option("--policy", help="minimum, or unified: every layer at full length.")]
ExpandedOption = Annotated[bool, typer.Option("--expanded", help="Keep keys and values, not latent rows.")]
ContextsOption = Annotated[bool, typer.Option("--contexts", help="A table from 4K to 1M tokens.")]
ExplainOption = Annotated[bool, typer.Option("--explain", help="The formula of each kind of cache.")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="Will it fit? h100, 8xh200, mi300x … ")]
TrainingOption = Annotated[bool, typer.Option("--training", help="On one device, to train it.")]
RecipeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="KEY=VALUE",
        help="How it is trained: optimizer=adamw|adamw-8bit|muon|adafactor|sgd|sgd-momentum, gradients=DTYPE, "
        "master=DTYPE|none, recompute=none|selective|full, zero=0…3, data=N, tensor=N, pipeline=N, expert=N. "
        "Repeatable.",
    ),
]


ImageOption = Annotated[
    str | None,
    typer.Option("--image", metavar="WIDTHxHEIGHT", help="An image in each sequence; its tokens come to the context."),
]
ImagesOption = Annotated[int | None, typer.Option("--images", metavar="N", help="So many of them; 1 if left out.")]
ProcessorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--processor",
        metavar="KEY=VALUE|FILE",
        help="A setting of the image processor, or its preprocessor_config.json. Repeatable.",
    ),
]


def images_of(model: Model, image: str | None, count: int | None, processor: Iterable[str] | None) -> Images | None:
    """The images that --image, --images and --processor mean together; None without --image.

    Raises ArchcountError: one of them is wrong, or how the model cuts an image is not known.
    """
    if image is None:
        if count is not None or processor:
            raise UsageError("--images and --processor say more of an image: give --image WIDTHxHEIGHT too")
        return None
    sides = re.fullmatch(r"([0-9]{1,7})[x×]([0-9]{1,7})", image, re.ASCII)
    if sides is None:
        raise UsageError(f"--image {image!r}: should be WIDTHxHEIGHT in pixels, as in 1024x768")
    width, height = map(int, sides.groups())
    return model.images(height, width, 1 if count is None else count, processor=_settings(model, processor or ()))


def _settings(model: Model, given: Iterable[str]) -> dict[str, object]:
    """What files and single settings say, the later over the earlier."""
    from ..overrides import parse
    from ..sources.files import is_on_disk, read_object

    found: dict[str, object] = {}
    for each in given:
        if not is_on_disk(each) and "=" in each:
            found |= parse([each])
        elif model.architecture.images is not None:
            found |= model.architecture.images.of_file(read_object(Path(each)))
    return found


def context_of(model: Model, given: int | None, images: Images | None = None) -> int:
    """The context asked for, or the longest that the config names, less the tokens of the images.

    Raises UsageError: none, or images that do not go into it.
    """
    if given is not None:
        return given
    if model.context is None:
        raise UsageError(f"{model.name}: the config names no longest sequence: give --context TOKENS")
    taken = images.tokens if images else 0
    if taken >= model.context:
        raise UsageError(f"{model.name}: images of {taken:,} tokens leave nothing of {model.context:,}: give fewer")
    return model.context - taken

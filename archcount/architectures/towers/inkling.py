"""Inkling's ways in: pixels folded step by step into one vector a patch, and a table for each level of each mel bin."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import ClassVar

from ...blocks import embedding, linear, rms_norm
from ...config import Count, Schema, Size
from ...tree import Module, module

Scale = tuple[int, int, int]  # frames and pixels a side in one vector, and how many channels it has


class InklingVisionConfig(Schema):
    model_type: str = "inkling_vision"
    n_layers: Count = 24
    num_channels: Size = 3
    patch_size: Size = 40
    temporal_patch_size: Size = 2
    also_spelled: ClassVar[dict[str, str]] = {"num_hidden_layers": "n_layers"}
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size", "num_attention_heads", "text_hidden_size"})


class InklingAudioConfig(Schema):
    model_type: str = "inkling_audio"
    n_mel_bins: Size = 80
    mel_vocab_size: Size = 256
    also_spelled: ClassVar[dict[str, str]] = {"num_codebooks": "n_mel_bins", "codebook_size": "mel_vocab_size"}
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size", "text_hidden_size"})


def inkling_audio(config: InklingAudioConfig, hidden: int) -> Module:
    """Sound enters as levels of mel bins, each a row as wide as the language model."""
    table = embedding(config.n_mel_bins * config.mel_vocab_size, hidden)
    return module(encoder=table, final_norm=rms_norm(hidden)).marked(section="audio")


def inkling_vision(config: InklingVisionConfig, hidden: int) -> Module:
    """A matrix for each step from pixel to patch, and a norm after each but the last, which is `hidden` wide."""
    steps = list(itertools.pairwise(_scales(config)))
    children: dict[str, Module] = {}
    for index, ((frames, side, channels), (next_frames, next_side, next_channels)) in enumerate(steps):
        folded = (next_frames // frames) * (next_side // side) ** 2
        is_last = index == len(steps) - 1
        if not is_last:
            children[f"norm_{index}"] = rms_norm(next_channels)
        children[f"linear_{index}"] = linear(channels * folded, hidden if is_last else next_channels)
    return module(layers=module(**children), final_norm=rms_norm(hidden)).marked(section="vision")


def _scales(config: InklingVisionConfig) -> list[Scale]:
    """Where each layer starts and the last one ends, so that the vectors grow as evenly as the factors allow."""
    pixels, colours, frames = int(config.patch_size), int(config.num_channels), int(config.temporal_patch_size)
    sides = list(itertools.accumulate(reversed(list(_prime_factors(pixels))), int.__mul__))
    times = list(itertools.accumulate(reversed(list(_prime_factors(frames))), int.__mul__))
    known: list[Scale] = [(1, 1, colours)]
    known += [(1, side, math.ceil(side * side * colours / 64) * 64) for side in sides]
    known += [(time, pixels, pixels * pixels * colours * time * 64) for time in times]
    whole, layers = math.log(pixels * pixels * frames * colours), config.n_layers
    ideal = [whole * index / layers for index in range(layers + 1)]
    actual = [math.log(time * side * side) for time, side, _ in known]
    chosen = _nearest(ideal, actual) if layers >= len(known) else _assigned(ideal, actual)
    return [known[index] for index in (0, *chosen[1:-1], len(known) - 1)]


def _nearest(ideal: Sequence[float], actual: Sequence[float]) -> list[int]:
    return [min(range(len(actual)), key=lambda index: abs(wanted - actual[index])) for wanted in ideal]


def _assigned(ideal: Sequence[float], actual: Sequence[float]) -> list[int]:
    """To each of `ideal` one of its own of `actual`, with the least distance in all; both rise, so order is kept."""
    choices = itertools.combinations(range(len(actual)), len(ideal))
    return list(min(choices, key=lambda chosen: sum(abs(ideal[i] - actual[j]) for i, j in enumerate(chosen))))


def _prime_factors(number: int) -> Iterator[int]:
    factor = 2
    while factor * factor <= number:
        while number % factor == 0:
            yield factor
            number //= factor
        factor += 1
    if number > 1:
        yield number

"""Tokens and FLOPs of images against the reference's processors and torch's counter (record_images.py)."""

import json
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount.costs.seeing import seeing

RECORDED = Path(__file__).parent / "recorded_images"
WITHOUT_MARKS = {"gemma4"}  # whose helper leaves out the marks around the tokens


def recorded(name: str) -> list[dict[str, Any]]:
    """All that one file holds."""
    found: list[dict[str, Any]] = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    return found


TOKENS = {record["config"]["model_type"]: record for record in recorded("tokens")}
FLOPS = {record["model_type"]: record for record in recorded("flops")}


@pytest.mark.parametrize("model_type", TOKENS)
def test_tokens_are_those_of_the_reference_s_processor(model_type: str) -> None:
    model = archcount.load(TOKENS[model_type]["config"])
    for height, width, tokens in TOKENS[model_type]["tokens"]:
        images = model.images(height, width)
        found = images.each.tokens if model_type in WITHOUT_MARKS else images.tokens
        assert (height, width, found) == (height, width, tokens)


def beyond(model_type: str) -> int:
    """FLOPs of the reference's tower and projector that archcount does not count."""
    record = FLOPS[model_type]
    model = archcount.load(record["config"])
    images = model.images(*record["size"], processor=record["processor"])
    found = seeing(model.rows, model.parts, images.each)
    assert found.left_out == ()
    return int(record["flops"]) - found.total


@pytest.mark.parametrize("model_type", sorted(FLOPS.keys() - {"mllama"}))
def test_flops_of_tower_and_projector_are_those_of_torch(model_type: str) -> None:
    assert beyond(model_type) == 0


def test_the_reference_multiplies_a_mask_of_mllama_s_tiles_with_itself() -> None:
    positions = 4 * 24
    assert beyond("mllama") == 2 * positions * positions

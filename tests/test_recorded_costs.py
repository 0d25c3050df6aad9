"""FLOPs against torch's counter and caches against those the reference allocates, for tiny models (record_costs.py)."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import archcount
from archcount.costs.memory import Memory

RECORDED = {path.stem: path for path in sorted((Path(__file__).parent / "recorded_costs").glob("*.json"))}
BY_ATTENTION_ALONE = (
    "bert", "deepseek_v3", "gemma2", "gemma3_text", "gpt2", "gpt_oss", "gptj", "llama", "mistral", "mixtral", "olmo2",
    "phi3", "qwen2", "qwen3", "qwen3_moe", "t5",
)  # fmt: skip
STATES = {"SSM state": "recurrent_states", "recurrent state": "recurrent_states"}


def recorded(name: str) -> dict[str, Any]:
    """The record of one model."""
    found: dict[str, Any] = json.loads(RECORDED[name].read_text(encoding="utf-8"))
    return found


def flops_of_weights_and_pairs(record: dict[str, Any]) -> int:
    """Less the reference's table of rotary angles, which it computes as a product."""
    return int(record["flops"] - record["flops_of_rotary_tables"])


def beyond(name: str) -> int:
    """FLOPs of the reference that archcount does not count."""
    record = recorded(name)
    flops = archcount.load(record["config"]).flops(record["tokens"], source=record["source"])
    return flops_of_weights_and_pairs(record) - flops.prefill_unmasked


@pytest.mark.parametrize("name", BY_ATTENTION_ALONE)
def test_flops_are_those_of_torch(name: str) -> None:
    assert beyond(name) == 0


def test_the_reference_sends_every_token_through_every_expert_of_llama_4() -> None:
    layers, unchosen, expert, tokens = 4, 3, 3 * 64 * 96, 48
    assert beyond("llama4_text") == layers * unchosen * 2 * expert * tokens


@pytest.mark.parametrize(("name", "layers", "channels", "kernel"), [("lfm2", 2, 64, 3), ("recurrent_gemma", 3, 64, 4)])
def test_the_reference_filters_past_the_end_too(name: str, layers: int, channels: int, kernel: int) -> None:
    assert beyond(name) == layers * 2 * channels * kernel * (kernel - 1)


def test_mamba_s_recurrence_is_left_out_and_said_to_be() -> None:
    layers, channels, kernel, state, tokens = 3, 128, 4, 8, 48
    padding, readout = 2 * channels * kernel * (kernel - 1), 2 * channels * state * tokens
    assert beyond("mamba") == layers * (padding + readout)
    flops = archcount.load(recorded("mamba")["config"]).flops(tokens)
    assert flops.left_out == ("Mamba: what its recurrence does element by element",)


def memory(record: dict[str, Any]) -> Memory:
    """At one byte an element."""
    model = archcount.load(record["config"])
    return model.memory(record["tokens"], source=record["source"], dtype="int8", cache_dtype="int8", state_dtype="int8")


def allocated(record: dict[str, Any], *names: str) -> int:
    """Elements of the tensors whose names end so."""
    kept = (each for each in record["cache"] if each["tensor"].endswith(names))
    return sum(math.prod(each["shape"]) * each["layers"] for each in kept)


def rows_dropped(record: dict[str, Any], windows: int) -> int:
    """The reference drops a window's oldest row before the next token, archcount counts the window whole."""
    sliding = [each for each in record["cache"] if "Sliding" in each["tensor"] and len(each["shape"]) == 4]
    assert all(each["shape"][2] == windows - 1 for each in sliding)
    return sum(math.prod(each["shape"]) // each["shape"][2] * each["layers"] for each in sliding)


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in ("bert", "recurrent_gemma")])
def test_caches_are_those_the_reference_allocates(name: str) -> None:
    record = recorded(name)
    found = memory(record)
    rows = allocated(record, ".keys", ".values") + rows_dropped(record, windows=16)
    assert found.cache_bytes == rows


@pytest.mark.parametrize("name", ["falcon_h1", "jamba", "lfm2", "mamba", "mamba2", "qwen3_next"])
def test_states_are_those_the_reference_allocates(name: str) -> None:
    """But for a convolution's newest input, which it keeps and need not: kernel columns against kernel - 1."""
    record = recorded(name)
    lines = {line.cache.label: line.elements(record["tokens"]) for line in memory(record).states}
    columns = [each["shape"][-1] for each in record["cache"] if each["tensor"].endswith("conv_states")]
    kernel = columns[0]
    assert lines["conv state"] * kernel == allocated(record, ".conv_states") * (kernel - 1)
    recurrent = sum(count for label, count in lines.items() if label in STATES)
    assert recurrent == allocated(record, ".recurrent_states")


def test_an_encoder_keeps_nothing() -> None:
    assert memory(recorded("bert")).lines == ()

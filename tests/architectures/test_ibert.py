"""I-BERT's class saves its tensors a second time in whole numbers: they are in the file, and no parameters."""

import json
from pathlib import Path

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.tree import Storage

from .patterns import expand

RECORD = Path(__file__).parent / "recorded" / "masked" / "ibert.jsonl"
TWO = {"model_type": "ibert", "num_hidden_layers": 2}


def test_every_buffer_is_named() -> None:
    for line in RECORD.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        tensors = archcount.load(record["config"]).tensors()
        found = {tensor.name: tensor.shape for tensor in tensors if tensor.storage is Storage.BUFFER}
        assert found == dict(expand(record["buffers"]))


def test_whole_numbers_are_stored_and_not_counted() -> None:
    totals = archcount.load({"model_type": "ibert"}).totals
    assert totals.parameters == 109_514_298
    assert totals.buffers == 108_936_736
    assert totals.parameters == archcount.load({"model_type": "roberta", "vocab_size": 30522}).totals.parameters


def test_integers_cost_what_the_weights_do_once() -> None:
    flops = archcount.load(TWO).flops(context=64)
    assert flops.left_out == ()
    assert flops.prefill_unmasked == 4_913_037_312  # torch's flop_counter, 64 tokens


def test_another_activation_is_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"^config: hidden_act is 'relu'"):
        archcount.load({**TWO, "hidden_act": "relu"})

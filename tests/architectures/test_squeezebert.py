"""SqueezeBERT's groups, each a key of its own; totals and FLOPs are transformers' and torch's."""

import pytest

import archcount
from archcount.errors import ConfigValueError

TWO: dict[str, object] = {"model_type": "squeezebert", "num_hidden_layers": 2}
GROUPS = {"q": 2, "k": 3, "v": 6, "post_attention": 8, "intermediate": 1, "output": 12}


def test_a_group_reads_its_own_inputs() -> None:
    model = archcount.load({**TWO, **{f"{name}_groups": count for name, count in GROUPS.items()}})
    found = {tensor.name.removeprefix("transformer.encoder.layers.1."): tensor.shape for tensor in model.tensors()}
    expected = {
        "attention.query.weight": (768, 384, 1),
        "attention.key.weight": (768, 256, 1),
        "attention.value.weight": (768, 128, 1),
        "post_attention.conv1d.weight": (768, 96, 1),
        "intermediate.conv1d.weight": (3072, 768, 1),
        "output.conv1d.weight": (768, 256, 1),
    }
    assert {name: found[name] for name in expected} == expected


def test_the_work_of_a_token() -> None:
    flops = archcount.load(TWO).flops(context=64)
    assert flops.left_out == ()
    assert flops.prefill_unmasked == 3_668_508_672  # torch's flop_counter, 64 tokens


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"q_groups": 5}, r"^config: hidden_size \(768\) does not divide by q_groups \(5\)"),
        ({"embedding_size": 128}, r"^config: hidden_size \(768\) should equal embedding_size \(128\)"),
    ],
)
def test_what_cannot_be_built_is_refused(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load({**TWO, **keys})

"""ConvBERT's halves, its matrices in groups, and what its summary projects; totals are those transformers builds."""

import pytest

import archcount
from archcount.errors import ConfigValueError

TWO = {"model_type": "convbert", "num_hidden_layers": 2}
GROUPED = {**TWO, "num_groups": 2, "embedding_size": 128, "hidden_size": 384, "num_attention_heads": 8}


def shapes(config: dict[str, object], name: str) -> dict[str, tuple[int, ...]]:
    model = archcount.load({**config, "architectures": [name]})
    return {tensor.name: tensor.shape for tensor in model.tensors()}


def test_groups_are_a_dimension_of_their_own() -> None:
    found = shapes({**GROUPED, "intermediate_size": 1536}, "ConvBertModel")
    assert found["encoder.layer.0.intermediate.dense.weight"] == (2, 192, 768)
    assert found["encoder.layer.1.output.dense.weight"] == (2, 768, 192)
    assert found["embeddings_project.weight"] == (384, 128)


def test_heads_are_at_least_one() -> None:
    found = shapes({**TWO, "head_ratio": 16, "conv_kernel_size": 5}, "ConvBertModel")
    assert found["encoder.layer.0.attention.self.query.weight"] == (384, 768)
    assert found["encoder.layer.0.attention.self.conv_kernel_layer.weight"] == (5, 384)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, None),
        ({"summary_use_proj": True}, (768, 768)),
        ({"summary_use_proj": True, "summary_proj_to_labels": True, "num_labels": 3}, (3, 768)),
    ],
)
def test_a_summary_is_projected_where_the_config_asks(keys: dict[str, object], expected: tuple[int, ...]) -> None:
    assert shapes({**TWO, **keys}, "ConvBertForMultipleChoice").get("sequence_summary.summary.weight") == expected


def test_cross_attention_is_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"^config: add_cross_attention is true: ConvBERT with cross-attention"):
        archcount.load({**TWO, "add_cross_attention": True})


def test_the_dynamic_convolution_is_what_flops_leave_out() -> None:
    flops = archcount.load(TWO).flops(context=64)
    assert flops.left_out == ("dynamic convolution: what it does among tokens",)
    # What torch's flop_counter counts of 64 tokens, less 384 sums over a kernel of 9 for each token of each layer.
    assert flops.prefill_unmasked == 4_832_919_552 - 2 * 64 * 2 * 9 * 384

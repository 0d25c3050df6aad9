"""MobileBERT's bottlenecks: which are stored, which are used; totals and FLOPs are transformers' and torch's."""

import pytest

import archcount
from archcount.errors import ConfigValueError

TWO: dict[str, object] = {"model_type": "mobilebert", "num_hidden_layers": 2}
LAYER = "mobilebert.encoder.layer.0."


def shapes(config: dict[str, object]) -> dict[str, tuple[int, ...]]:
    return {tensor.name: tensor.shape for tensor in archcount.load(config).tensors()}


@pytest.mark.parametrize(
    ("keys", "parameters"),
    [
        ({}, 18_067_258),
        ({"tie_word_embeddings": False}, 22_004_596),
        ({"use_bottleneck": False, "num_feedforward_networks": 1}, 19_538_746),
        ({"trigram_input": False, "use_bottleneck_attention": True, "normalization_type": "layer_norm"}, 17_837_882),
        ({"classifier_activation": False, "num_attention_heads": 6}, 18_064_174),
    ],
)
def test_every_key_that_shapes_it(keys: dict[str, object], parameters: int) -> None:
    assert archcount.load({**TWO, **keys}).totals.parameters == parameters


def test_values_read_the_whole_width() -> None:
    found = shapes(TWO)
    assert found[f"{LAYER}attention.self.query.weight"] == (128, 128)
    assert found[f"{LAYER}attention.self.value.weight"] == (128, 512)
    assert found["cls.predictions.dense.weight"] == (384, 30522)


def test_the_work_of_a_token() -> None:
    assert archcount.load(TWO).flops(context=64).prefill_unmasked == 2_277_113_856  # torch's flop_counter


def test_a_bottleneck_that_nothing_reads_costs_nothing() -> None:
    both = archcount.load({**TWO, "use_bottleneck_attention": True})
    one = archcount.load({**TWO, "use_bottleneck_attention": True, "key_query_shared_bottleneck": False})
    assert both.totals.parameters - one.totals.parameters == 2 * (512 * 128 + 3 * 128)
    assert both.flops(context=64).matmul_per_token == one.flops(context=64).matmul_per_token


def test_embeddings_as_wide_as_the_stream_lack_nothing() -> None:
    assert "cls.predictions.dense.weight" not in shapes({**TWO, "hidden_size": 128})


def test_embeddings_wider_than_the_stream_are_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"hidden_size - embedding_size makes a tensor of size -64"):
        archcount.load({**TWO, "hidden_size": 64})

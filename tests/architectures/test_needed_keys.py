"""Keys that a class leaves null and its model cannot be built without are asked for, never assumed."""

import pytest

import archcount
from archcount.errors import ConfigValueError

GRANITE = {"model_type": "granite4_vision", "deepstack_layer_map": [[-1, 0]], "downsample_rate": "4/8"}


@pytest.mark.parametrize("key", ["deepstack_layer_map", "downsample_rate"])
def test_granite_vision_says_which_key_it_lacks(key: str) -> None:
    with pytest.raises(ConfigValueError, match=f"{key} is missing"):
        archcount.load({name: value for name, value in GRANITE.items() if name != key})


@pytest.mark.parametrize("rate", ["4", "4/x", "0/8", "1/4/8"])
def test_a_rate_that_is_no_two_sides_is_refused(rate: str) -> None:
    with pytest.raises(ConfigValueError, match="should be two sides in patches"):
        archcount.load(GRANITE | {"downsample_rate": rate})


def test_a_window_and_its_queries_have_the_sides_of_the_rate() -> None:
    shapes = {tensor.name: tensor.shape for tensor in archcount.load(GRANITE | {"downsample_rate": "3/8"}).tensors()}
    assert shapes["model.layerwise_projectors.0.query"] == (1, 9, 768)
    assert shapes["model.spatial_projectors.3.image_positions"] == (1, 64, 768)


def test_deepseek_ocr2_says_that_it_lacks_the_kinds_of_its_layers() -> None:
    text = {"num_hidden_layers": 2, "num_experts_per_tok": 6}
    with pytest.raises(ConfigValueError, match=r"text_config\.mlp_layer_types is missing"):
        archcount.load({"model_type": "deepseek_ocr2", "text_config": text})


def test_deepseek_ocr2_reads_a_picture_without_a_cache() -> None:
    kinds = {"num_hidden_layers": 2, "num_experts_per_tok": 6, "mlp_layer_types": ["dense", "sparse"]}
    model = archcount.load({"model_type": "deepseek_ocr2", "text_config": kinds})
    memory = model.memory(1, dtype="bf16")
    assert [(line.section, line.cache.per_token, line.layers) for line in memory.lines] == [("main", 2 * 4096, 2)]

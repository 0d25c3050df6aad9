"""Configs whose language model once stood at the top level."""

import pytest

import archcount
from archcount.errors import ConfigValueError, UsageError

# Qwen2.5-VL-3B-Instruct's config.json, without what shapes nothing.
FLAT = {
    "model_type": "qwen2_5_vl",
    "architectures": ["Qwen2_5_VLForConditionalGeneration"],
    "hidden_size": 2048,
    "intermediate_size": 11008,
    "max_window_layers": 70,
    "num_attention_heads": 16,
    "num_hidden_layers": 36,
    "num_key_value_heads": 2,
    "vocab_size": 151936,
    "tie_word_embeddings": True,
    "vision_config": {"hidden_size": 1280, "out_hidden_size": 2048},
}


def test_the_top_level_is_the_language_model_s() -> None:
    model = archcount.load(FLAT)
    assert model.totals.parameters == 3_754_622_976  # the published files
    assert model.config.assumed() == []
    assert model.config.unread() == {}


def test_it_is_not_read_where_there_is_a_text_config() -> None:
    model = archcount.load({**FLAT, "text_config": {"num_hidden_layers": 1}})
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    assert shapes["model.embed_tokens.weight"] == (152064, 8192)
    assert model.config.unread()["hidden_size"] == 2048


def test_it_never_stands_in_for_a_tower() -> None:
    flat = {key: value for key, value in FLAT.items() if key != "vision_config"}
    model = archcount.load({**flat, "depth": 3})
    assert model.config.assumed() == ["vision_config"]
    assert "visual.blocks.31.norm1.weight" in {tensor.name for tensor in model.tensors()}


def test_a_setting_changes_one_key_and_leaves_the_rest() -> None:
    model = archcount.load(FLAT, set={"text_config.num_hidden_layers": 35})
    per_layer = 3_754_622_976 - model.totals.parameters
    assert per_layer == 9_439_744 + 67_633_152 + 4_096  # attention, MLP, norms
    with pytest.raises(UsageError, match=r"^--set num_hidden_layers: no such key is read"):
        archcount.load(FLAT, set={"num_hidden_layers": 35})


def test_a_wrong_value_is_named_by_its_place_in_the_language_model() -> None:
    with pytest.raises(ConfigValueError, match=r"text_config\.hidden_size is 'wide': should be a whole number"):
        archcount.load({**FLAT, "hidden_size": "wide"})

"""A model: its config, its rows, and the questions one can ask of them."""

from typing import Any

import archcount


def test_a_model_answers_by_its_public_names() -> None:
    model = archcount.load("llama-3.1-8b")
    assert repr(model) == "<Model llama-3.1-8b: llama, 8,030,261,248 parameters>"
    assert model.totals.by_role["attention"] == 1_342_177_280
    first = next(model.tensors())
    assert (first.name, first.shape) == ("model.embed_tokens.weight", (128_256, 4_096))


def test_the_bytes_of_the_files() -> None:
    assert archcount.load("llama-3.1-8b").stored_bytes == 16_060_522_496  # as published
    assert archcount.load("gpt2").stored_bytes is None  # its config names no type


def test_quantized_tensors_have_widths_of_their_own() -> None:
    sizes = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 1, "vocab_size": 100}
    fp8 = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    raw = {"model_type": "llama", **sizes, "torch_dtype": "bfloat16", "quantization_config": fp8}
    matrices, scales = 4 * 256 * 256 + 3 * 256 * 512, 4 * (2 * 2) + 3 * (4 * 2)
    tables_and_norms = 2 * 100 * 256 + 3 * 256
    assert archcount.load(raw).stored_bytes == matrices + 4 * scales + 2 * tables_and_norms


def test_a_dtype_may_stand_in_a_nested_config() -> None:
    raw = {"model_type": "gemma3", "text_config": {"torch_dtype": "torch.bfloat16"}, "vision_config": {}}
    assert archcount.load(raw).dtype == "bfloat16"


def test_a_model_remembers_what_was_before_set() -> None:
    model = archcount.load("gpt2", {"n_layer": 13})
    before = model.before_set()
    assert before is not None
    assert model.totals.parameters - before.totals.parameters == 7_087_872
    assert before.before_set() is None
    assert archcount.load({"model_type": "gpt2", "n_embd": -1}, {"n_embd": 768}).before_set() is None


def test_setting_leaves_the_given_config_as_it_was() -> None:
    raw = {"model_type": "gemma3", "text_config": {"num_hidden_layers": 34}, "vision_config": {}}
    archcount.load(raw, {"text_config.num_hidden_layers": 2})
    assert raw["text_config"] == {"num_hidden_layers": 34}


def test_the_config_is_a_typed_object() -> None:
    config = archcount.load("llama-3.1-8b").config
    assert isinstance(config, archcount.DecoderConfig)
    assert config.hidden_size == 4096


def test_a_mapping_that_changes_later_changes_no_model() -> None:
    config: dict[str, Any] = {"model_type": "gemma3", "text_config": {"dtype": "bfloat16"}}
    model = archcount.load(config)
    config["text_config"]["dtype"] = "float32"
    assert model.dtype == "bfloat16"
    assert model.raw["text_config"] == {"dtype": "bfloat16"}


def test_a_data_type_of_auto_names_none() -> None:
    assert archcount.load({"model_type": "gpt2", "torch_dtype": "auto"}).dtype is None

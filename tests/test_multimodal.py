"""Where the language model stands in the whole, and which class holds what."""

import pytest

import archcount
from archcount.errors import ConfigValueError

TEXT = {"model_type": "llama", "num_hidden_layers": 1}
TABLE = "embed_tokens.weight"


def names(*classes: str, **keys: object) -> dict[str, str]:
    """Every name, with the name it repeats."""
    model = archcount.load({"model_type": "llava", "architectures": list(classes), "text_config": TEXT, **keys})
    return {tensor.name: tensor.tensor.same_as for tensor in model.tensors()}


@pytest.mark.parametrize("classes", [(), ("LlavaForConditionalGeneration",)])
def test_the_whole(classes: tuple[str, ...]) -> None:
    found = names(*classes, tie_word_embeddings=True)
    assert found["language_model.lm_head.weight"] == f"language_model.model.{TABLE}"
    assert "vision_tower.embeddings.class_embedding" in found


def test_the_bare_model_has_no_head() -> None:
    found = names("LlavaModel")
    assert f"language_model.{TABLE}" in found
    assert "vision_tower.embeddings.class_embedding" in found
    assert not any("lm_head" in name for name in found)


@pytest.mark.parametrize("name", ["LlavaForCausalLM", "LlamaForCausalLM"])
def test_the_language_model_alone_is_that_of_the_nested_config(name: str) -> None:
    found = names(name)
    assert f"model.{TABLE}" in found
    assert not any("vision" in tensor or "layers.1." in tensor for tensor in found)


def test_a_class_of_nobody_s_is_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"^config: architectures is 'LlavaForThings': what it holds "):
        names("LlavaForThings")


@pytest.mark.parametrize(("version", "tower"), [("4.40.0", "vision_tower.vision_model"), ("5.1.0", "vision_tower")])
def test_transformers_4_saved_a_tower_one_level_deeper(version: str, tower: str) -> None:
    assert f"{tower}.post_layernorm.weight" in names(transformers_version=version)


def test_what_layers_inside_repeat_is_renamed_with_the_rest() -> None:
    text = {"model_type": "deepseek_v3", "num_hidden_layers": 4, "num_nextn_predict_layers": 1}
    found = names(text_config=text)
    mtp = "language_model.model.layers.4"
    assert found[f"{mtp}.embed_tokens.weight"] == f"language_model.model.{TABLE}"
    assert found[f"{mtp}.shared_head.head.weight"] == "language_model.lm_head.weight"


def names_of(model_type: str, *classes: str, **keys: object) -> set[str]:
    config = {"model_type": model_type, "architectures": list(classes), "text_config": {"num_hidden_layers": 1}, **keys}
    return {tensor.name for tensor in archcount.load(config).tensors()}


@pytest.mark.parametrize("classes", [(), ("Qwen2VLForConditionalGeneration",)])
def test_parts_beside_a_language_model_that_is_named_as_if_alone(classes: tuple[str, ...]) -> None:
    found = names_of("qwen2_vl", *classes)
    assert {f"model.{TABLE}", "lm_head.weight", "visual.merger.ln_q.weight"} <= found


def test_its_bare_model_holds_both_side_by_side() -> None:
    found = names_of("qwen2_vl", "Qwen2VLModel")
    assert {f"language_model.{TABLE}", "visual.merger.ln_q.weight"} <= found
    assert "lm_head.weight" not in found


@pytest.mark.parametrize("name", ["Qwen2VLForCausalLM", "Qwen2ForCausalLM"])
def test_its_language_model_alone(name: str) -> None:
    found = names_of("qwen2_vl", name)
    assert f"model.{TABLE}" in found
    assert not any("visual" in tensor for tensor in found)


@pytest.mark.parametrize("name", ["UnlimitedOcrForConditionalGeneration", "UnlimitedOCRForCausalLM"])
def test_parts_within_the_decoder(name: str) -> None:
    found = names_of("unlimited_ocr", name)
    assert {f"model.{TABLE}", "lm_head.weight", "model.sam_model.pos_embed", "model.image_newline"} <= found


def test_parts_within_the_bare_decoder() -> None:
    found = names_of("unlimited_ocr", "UnlimitedOcrModel")
    assert {TABLE, "sam_model.pos_embed"} <= found
    assert "lm_head.weight" not in found


def test_a_language_model_that_is_built_already() -> None:
    found = names_of("minimax_m3_vl")
    assert f"language_model.model.{TABLE}" in found
    assert "language_model.model.layers.0.block_sparse_moe.experts.127.w1.weight" in found


@pytest.mark.parametrize("tied", [True, False])
def test_a_language_model_alone_is_tied_as_its_own_config_says(tied: bool) -> None:
    text = {"num_hidden_layers": 1, "tie_word_embeddings": tied}
    config = {"model_type": "qwen4_exp", "text_config": text, "tie_word_embeddings": not tied}
    tensors = archcount.load({**config, "architectures": ["Qwen4ExpForCausalLM"]}).tensors()
    head = next(tensor for tensor in tensors if tensor.name == "lm_head.weight")
    assert head.tensor.same_as == (f"model.{TABLE}" if tied else "")

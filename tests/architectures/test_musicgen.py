"""MusicGen's decoder counts as the class transformers builds of it; the whole, with EnCodec, is refused."""

import pytest

import archcount
from archcount.errors import ConfigValueError

SMALL = {
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "ffn_dim": 96,
    "vocab_size": 1000,
    "num_codebooks": 3,
}


@pytest.mark.parametrize(
    ("model_type", "class_name", "default", "small"),
    [
        ("musicgen", "MusicgenForCausalLM", 419_584_000, 475_200),
        ("musicgen_melody", "MusicgenMelodyForCausalLM", 318_871_552, 442_176),
    ],
)
def test_totals_are_those_of_the_class_that_transformers_builds(
    model_type: str, class_name: str, default: int, small: int
) -> None:
    flat = {"model_type": f"{model_type}_decoder", "architectures": [class_name]}
    assert archcount.load({"model_type": model_type}).totals.parameters == default
    assert archcount.load({"model_type": model_type, "decoder": SMALL}).totals.parameters == small
    assert archcount.load({**flat, **SMALL}).totals.parameters == small


def test_each_codebook_has_a_table_with_one_row_more_than_its_head() -> None:
    model = archcount.load({"model_type": "musicgen_decoder", **SMALL})
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    assert shapes["model.decoder.embed_tokens.2.weight"] == (1001, 64)
    assert shapes["lm_heads.2.weight"] == (1000, 64)
    assert shapes["model.decoder.layers.1.fc1.weight"] == (96, 64)
    assert "model.decoder.layers.1.encoder_attn.q_proj.weight" in shapes
    assert "model.decoder.layers.1.self_attn.q_proj.bias" not in shapes


def test_the_melody_decoder_looks_to_no_other_side() -> None:
    model = archcount.load({"model_type": "musicgen_melody", "decoder": SMALL})
    assert [tensor.name for tensor in model.tensors() if "encoder_attn" in tensor.name] == []


@pytest.mark.parametrize("class_name", ["MusicgenForConditionalGeneration", "MusicgenModel"])
def test_a_class_that_holds_more_or_less_is_refused(class_name: str) -> None:
    with pytest.raises(ConfigValueError, match="EnCodec above all, is not known"):
        archcount.load({"model_type": "musicgen", "architectures": [class_name]})

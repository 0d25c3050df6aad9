"""T5's table stands under three names; what its config says of ties is about the head alone."""

from collections import Counter

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.tree import Storage

SMALL = {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]}
V1_1_SMALL = {**SMALL, "d_ff": 1024, "num_layers": 8, "num_heads": 6, "feed_forward_proj": "gated-gelu"}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (SMALL, 60_506_624),
        ({**V1_1_SMALL, "tie_word_embeddings": False}, 76_961_152),
        ({**V1_1_SMALL, "tie_word_embeddings": True}, 76_961_152 - 32_128 * 512),
        ({"model_type": "mt5", "tie_word_embeddings": False}, 300_176_768),
        ({"model_type": "mt5"}, 172_119_424),
    ],
)
def test_the_head_is_stored_where_the_config_says_it_is_not_tied(config: dict[str, object], parameters: int) -> None:
    assert archcount.load(config).totals.parameters == parameters


@pytest.mark.parametrize("tie", [True, False])
def test_the_table_is_one_matrix_whatever_the_flag(tie: bool) -> None:
    tensors = archcount.load({**SMALL, "tie_word_embeddings": tie}).tensors()
    tables = {tensor.name: (tensor.storage, tensor.tensor.same_as) for tensor in tensors if 32128 in tensor.shape}
    assert tables == {
        "shared.weight": (Storage.OWN, ""),
        "encoder.embed_tokens.weight": (Storage.TIED, "shared.weight"),
        "decoder.embed_tokens.weight": (Storage.TIED, "shared.weight"),
        "lm_head.weight": (Storage.TIED, "shared.weight") if tie else (Storage.OWN, ""),
    }


@pytest.mark.parametrize(("model_type", "biases"), [("t5", 2), ("mt5", 2), ("umt5", 6)])
def test_the_bias_for_distance_stands_in_the_first_layer_or_in_all(model_type: str, biases: int) -> None:
    model = archcount.load({"model_type": model_type, "num_layers": 3})
    found = [row for row in model.rows if "relative_attention_bias" in row.pattern]
    assert sum(row.times for row in found) == biases
    assert {row.tensor.shape for row in found} == {(32, 8 if model_type == "t5" else 6)}


@pytest.mark.parametrize(
    ("keys", "names"),
    [
        ({}, ["wi", "wo"]),
        ({"feed_forward_proj": "gated-gelu"}, ["wi_0", "wi_1", "wo"]),
        ({"feed_forward_proj": "gated-silu"}, ["wi_0", "wi_1", "wo"]),
        ({"is_gated_act": True}, ["wi_0", "wi_1", "wo"]),
    ],
)
def test_the_mlp_is_gated_as_feed_forward_proj_says(keys: dict[str, object], names: list[str]) -> None:
    start = "encoder.block.0.layer.1.DenseReluDense."
    found = [tensor.name for tensor in archcount.load({**SMALL, **keys}).tensors() if tensor.name.startswith(start)]
    assert found == [f"{start}{name}.weight" for name in names]


def test_a_feed_forward_of_another_form_is_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"^config: feed_forward_proj is 'dense-relu': should be relu, "):
        archcount.load({**SMALL, "feed_forward_proj": "dense-relu"})


def test_encoder_and_decoder_may_differ_in_depth() -> None:
    model = archcount.load({**SMALL, "num_layers": 2, "num_decoder_layers": 5})
    blocks: Counter[str] = Counter()
    for row in model.rows:
        if row.pattern.endswith("layer.0.layer_norm.weight"):
            blocks[row.section] += row.times
    assert blocks == {"encoder": 2, "decoder": 5}


ENCODER = {"shared.weight", "encoder.embed_tokens.weight", "encoder.final_layer_norm.weight"}
CLASSIFIER = {"classifier.weight", "classifier.bias"}
SCORE = {f"classification_head.{name}" for name in ("dense.weight", "dense.bias", "out_proj.weight", "out_proj.bias")}
DECODER = {"decoder.embed_tokens.weight", "decoder.final_layer_norm.weight"}


@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("T5ForConditionalGeneration", ENCODER | DECODER | {"lm_head.weight"}),
        ("T5WithLMHeadModel", ENCODER | DECODER | {"lm_head.weight"}),
        ("T5Model", ENCODER | DECODER),
        ("T5EncoderModel", ENCODER),
        ("T5ForQuestionAnswering", ENCODER | DECODER | {"qa_outputs.weight", "qa_outputs.bias"}),
        ("T5ForTokenClassification", {f"transformer.{name}" for name in ENCODER} | CLASSIFIER),
        ("T5ForSequenceClassification", {f"transformer.{name}" for name in ENCODER | DECODER} | SCORE),
    ],
)
def test_the_class_decides_what_stands(name: str, outside: set[str]) -> None:
    model = archcount.load({**SMALL, "architectures": [name]})
    assert {tensor.name for tensor in model.tensors() if ".block." not in tensor.name} == outside


def test_a_token_s_own_cache_and_the_source_s() -> None:
    caches = [(part.cache, part.times) for part in archcount.load(SMALL).parts if part.cache]
    assert sum(cache.elements(tokens=10) * times for cache, times in caches) == 10 * 6 * 2 * 512
    assert sum(cache.elements(tokens=0, source=7) * times for cache, times in caches) == 7 * 6 * 2 * 512

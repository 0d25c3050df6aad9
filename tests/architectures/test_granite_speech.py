"""Granite Speech and GLM-ASR: the head is tied by their own default, and a head's width may be rounded down."""

import pytest

import archcount
from archcount.errors import ConfigValueError

GRANITE, GLM = {"model_type": "granite_speech"}, {"model_type": "glmasr"}
UNTIED = {"tie_word_embeddings": False}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (GRANITE, 6_990_441_514),
        (GRANITE | UNTIED, 6_990_441_514 + 32_000 * 4096),
        (GRANITE | {"text_config": UNTIED}, 6_990_441_514 + 32_000 * 4096),
        (GRANITE | {"architectures": ["GraniteSpeechModel"]}, 6_990_441_514),
        (GLM, 2_136_470_528),
        (GLM | UNTIED, 2_136_470_528 + 59_264 * 2048),
        (GLM | {"text_config": {"num_hidden_layers": 27}}, 2_136_470_528 - 48_238_592),
        (GLM | {"architectures": ["GlmAsrModel"]}, 2_136_470_528),
    ],
)
def test_the_head_is_the_table_unless_a_config_says_it_is_not(config: dict[str, object], parameters: int) -> None:
    assert archcount.load(config).totals.parameters == parameters


def test_six_heads_of_a_width_of_1024_are_170_wide() -> None:
    model = archcount.load({"model_type": "granite_speech_encoder", "num_attention_heads": 6, "num_layers": 1})
    shapes = {tensor.name: tensor.shape for tensor in model.tensors()}
    assert shapes["layers.0.attn.to_kv.weight"] == (2 * 6 * 170, 1024)
    assert shapes["layers.0.attn.rel_pos_emb.weight"] == (1025, 170)


@pytest.mark.parametrize(("window", "queries"), [(15, 3), (14, 2)])
def test_a_query_stands_for_each_whole_run_of_frames_in_a_window(window: int, queries: int) -> None:
    tensors = archcount.load(GRANITE | {"window_size": window}).tensors()
    assert {tensor.name: tensor.shape for tensor in tensors}["projector.query"] == (1, queries, 768)


@pytest.mark.parametrize("config", [GRANITE, GLM])
def test_a_class_whose_head_is_not_known_is_refused(config: dict[str, object]) -> None:
    with pytest.raises(ConfigValueError, match=r"SomeForSequenceClassification"):
        archcount.load(config | {"architectures": ["SomeForSequenceClassification"]})

"""Language models that hear: what their published files hold, and which config says that the head is tied."""

from typing import Any

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.tree import Storage

QWEN2_AUDIO_7B: dict[str, Any] = {
    "model_type": "qwen2_audio",
    "architectures": ["Qwen2AudioForConditionalGeneration"],
    "transformers_version": "4.38.1",
    "audio_config": {"model_type": "qwen2_audio_encoder", "encoder_layers": 32},
    "text_config": {"model_type": "qwen2", "vocab_size": 156_032, "intermediate_size": 11_008},
}


def test_qwen2_audio_7b_has_8_4_billion_parameters() -> None:
    assert archcount.load(QWEN2_AUDIO_7B).totals.by_section == {
        "audio": 636_968_960,
        "projector": 5_246_976,
        "main": 7_754_878_976,
    }


@pytest.mark.parametrize(("version", "storage"), [("4.57.0", Storage.TIED), ("5.24.0", Storage.OWN)])
def test_transformers_4_alone_goes_by_the_language_model_s_tie(version: str, storage: Storage) -> None:
    text = QWEN2_AUDIO_7B["text_config"] | {"tie_word_embeddings": True}
    tensors = archcount.load(QWEN2_AUDIO_7B | {"transformers_version": version, "text_config": text}).tensors()
    assert {tensor.name: tensor.storage for tensor in tensors}["language_model.lm_head.weight"] is storage


@pytest.mark.parametrize(
    ("name", "without"),
    [
        ("VoxtralForConditionalGeneration", 0),
        ("VoxtralModel", 131_072 * 3072),
        ("VoxtralForCausalLM", 636_968_960 + 25_165_824),
    ],
)
def test_the_class_decides_what_stands(name: str, without: int) -> None:
    config = {"model_type": "voxtral", "architectures": [name]}
    assert archcount.load(config).totals.parameters == 4_676_271_104 - without


def test_a_class_whose_head_is_not_known_is_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"VoxtralForSequenceClassification"):
        archcount.load({"model_type": "voxtral", "architectures": ["VoxtralForSequenceClassification"]})


@pytest.mark.parametrize("model_type", ["qwen2_audio_encoder", "voxtral_encoder", "audioflamingo3_encoder"])
def test_the_ears_stand_by_themselves_too(model_type: str) -> None:
    assert archcount.load({"model_type": model_type}).totals.by_section == {"audio": 636_968_960}

"""Mamba and Mamba-2 hold what published weights hold."""

import pytest

from archcount import load
from archcount.errors import ConfigValueError

MAMBA_130M = {"model_type": "mamba", "num_hidden_layers": 24}
FALCON_MAMBA_7B = {
    "model_type": "falcon_mamba",
    "hidden_size": 4096,
    "num_hidden_layers": 64,
    "intermediate_size": 8192,
    "expand": 16,
    "vocab_size": 65024,
    "tie_word_embeddings": False,
}
NEMOTRON_NANO_9B_V2 = {
    "model_type": "nemotron_h",
    "hidden_size": 4480,
    "num_hidden_layers": 56,
    "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
    "intermediate_size": 15680,
    "mamba_head_dim": 80,
    "num_attention_heads": 40,
}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [(MAMBA_130M, 129_135_360), (FALCON_MAMBA_7B, 7_272_665_088), (NEMOTRON_NANO_9B_V2, 8_888_227_328)],
    ids=["mamba-130m-hf", "falcon-mamba-7b", "NVIDIA-Nemotron-Nano-9B-v2"],
)
def test_published_weights(config: dict[str, object], parameters: int) -> None:
    assert load(config).totals.parameters == parameters


def test_two_sizes_for_the_inner_width_are_refused() -> None:
    with pytest.raises(ConfigValueError, match=r"expand × hidden_size \(8192\) should equal num_heads × head_dim"):
        load({"model_type": "mamba2", "num_heads": 64})


def test_a_block_stored_once_and_entered_often_is_counted_once() -> None:
    model = load({"model_type": "zamba2"})
    assert model.totals.parameters == 2_481_848_336
    applied = {
        row.pattern: row.uses for row in model.rows if "layers.12.shared" in row.pattern and ".0.weight" in row.pattern
    }
    name = "model.layers.12.shared_transformer.feed_forward.gate_up_proj_adapter_list.{}.0.weight"
    assert applied == {name.format(entry): int(entry == 1) for entry in range(9)}

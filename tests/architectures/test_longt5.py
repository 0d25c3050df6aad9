"""LongT5 by what transformers 5.24 builds of google/long-t5-local-base and -tglobal-base."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.tree import Storage

BASE: dict[str, object] = {
    "model_type": "longt5",
    "d_model": 768,
    "num_layers": 12,
    "num_decoder_layers": 12,
    "num_heads": 12,
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False,
}


@pytest.mark.parametrize(
    ("class_name", "kind", "parameters", "tensors"),
    [
        ("LongT5ForConditionalGeneration", "local", 222_903_552, 284),
        ("LongT5ForConditionalGeneration", "transient-global", 222_913_152, 297),
        ("LongT5Model", "local", 222_903_552, 283),
        ("LongT5EncoderModel", "local", 109_628_544, 112),
        ("LongT5EncoderModel", "transient-global", 109_638_144, 125),
    ],
)
def test_each_class(class_name: str, kind: str, parameters: int, tensors: int) -> None:
    model = archcount.load({**BASE, "architectures": [class_name], "encoder_attention_type": kind})
    assert (model.totals.parameters, len(list(model.tensors()))) == (parameters, tensors)


def test_the_head_is_the_table_whatever_the_config_says() -> None:
    head = next(tensor for tensor in archcount.load(BASE).tensors() if tensor.name == "lm_head.weight")
    assert (head.storage, head.tensor.same_as) == (Storage.TIED, "shared.weight")


def test_global_tokens_have_a_norm_in_each_layer_and_distances_in_the_first() -> None:
    model = archcount.load({**BASE, "encoder_attention_type": "transient-global"})
    found = {tensor.name: tensor.shape for tensor in model.tensors() if "global_" in tensor.name}
    before = "encoder.block.{}.layer.0.TransientGlobalSelfAttention."
    assert found == {
        before.format(0) + "global_relative_attention_bias.weight": (32, 12),
        **{before.format(layer) + "global_input_layer_norm.weight": (768,) for layer in range(12)},
    }


def test_a_token_of_the_source_meets_its_neighbours_and_a_global_token_for_each_block() -> None:
    """A pair costs 2 × 12 heads × (64 + 64) FLOPs in each of 12 layers: 255 neighbours, and 1,600 ÷ 16 blocks."""
    pair = 2 * 12 * 128 * 12
    attention = {}
    for kind in ("local", "transient-global"):
        flops = archcount.load({**BASE, "encoder_attention_type": kind}).flops(context=1, source=1600)
        attention[kind] = flops.encoder
        assert flops.left_out == (() if kind == "local" else ("global tokens: their keys and values",))
    assert attention["transient-global"] - attention["local"] == pair * 100 * 1600


def test_another_attention_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="should be 'local' or 'transient-global'"):
        archcount.load({**BASE, "encoder_attention_type": "global"})

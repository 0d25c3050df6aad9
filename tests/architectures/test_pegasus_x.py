"""PEGASUS-X by what transformers 5.24 builds of google/pegasus-x-base and -large."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError

LARGE: dict[str, object] = {"model_type": "pegasus_x", "num_global_tokens": 128}
BASE: dict[str, object] = {
    **LARGE,
    "d_model": 768,
    "encoder_layers": 12,
    "decoder_layers": 12,
    "encoder_ffn_dim": 3072,
    "decoder_ffn_dim": 3072,
    "encoder_attention_heads": 12,
    "decoder_attention_heads": 12,
}


@pytest.mark.parametrize(
    ("config", "class_name", "parameters"),
    [
        (LARGE, "PegasusXForConditionalGeneration", 568_667_136),
        (BASE, "PegasusXForConditionalGeneration", 272_292_096),
        (BASE, "PegasusXModel", 272_292_096),
    ],
)
def test_each_size_and_class(config: dict[str, object], class_name: str, parameters: int) -> None:
    assert archcount.load({**config, "architectures": [class_name]}).totals.parameters == parameters


def test_a_token_of_the_source_meets_its_block_and_the_global_tokens() -> None:
    """A pair costs 2 × 12 heads × (64 + 64) FLOPs in each of 12 layers."""
    some = archcount.load(BASE).flops(context=1, source=4096)
    more = archcount.load({**BASE, "block_size": 1024}).flops(context=1, source=4096)
    fewer = archcount.load({**BASE, "num_global_tokens": 64}).flops(context=1, source=4096)
    pair = 2 * 12 * 128 * 12
    assert (more.encoder - some.encoder, some.encoder - fewer.encoder) == (4096 * pair * 512, 4096 * pair * 64)
    assert some.left_out == ("global tokens: what is computed for them",)


def test_a_class_of_the_decoder_alone_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no pegasus_x class of that name is known"):
        archcount.load({**BASE, "architectures": ["PegasusXForCausalLM"]})

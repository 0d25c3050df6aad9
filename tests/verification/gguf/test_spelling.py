"""A name is looked up in the gguf package's table step by step, never by a part of a step."""

from __future__ import annotations

import pytest

from archcount.verification.gguf.spelling import gguf_names_of

TABLE = {
    "model.layers.0.mlp.up_proj.weight": "blk.0.ffn_up.weight",
    "vision_language_model.norm.weight": "v.norm.weight",
}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("model.language_model.layers.0.mlp.up_proj.weight", ("blk.0.ffn_up.weight",)),
        ("language_model.model.layers.0.mlp.up_proj.weight", ("blk.0.ffn_up.weight",)),
        ("vision_language_model.norm.weight", ("v.norm.weight",)),
        ("model.my_language_model.layers.0.mlp.up_proj.weight", ()),
    ],
)
def test_the_wrapper_of_a_language_model_is_a_whole_step(name: str, names: tuple[str, ...]) -> None:
    assert gguf_names_of(name, TABLE.get) == names

"""A known buffer is told by its whole last parts and its shape, never by a part of a name."""

from __future__ import annotations

import pytest

from archcount.verification.buffers import known_buffer


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("h.0.attn.bias", (1, 1, 1024, 1024)),
        ("transformer.h.0.attn.masked_bias", ()),
        ("gpt_neox.layers.0.attention.bias", (1, 1, 2048, 2048)),
        ("gpt_neox.layers.0.attention.masked_bias", ()),
        ("gpt_neox.layers.0.attention.rotary_emb.inv_freq", (12,)),
        ("transformer.h.0.attn.attention.bias", (1, 1, 2048, 2048)),
        ("rope.freqs", (64,)),
        ("embeddings.position_ids", (1, 512)),
        ("embeddings.position_ids", (512,)),
        ("transformer.rotary_pos_emb.inv_freq", (32,)),
        ("model.layers.0.self_attn.rotary_emb.cos_cached", (1, 1, 2048, 128)),
    ],
)
def test_buffers_of_published_files(name: str, shape: tuple[int, ...]) -> None:
    assert known_buffer(name, shape)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("h.0.attn.c_attn.bias", (2304,)),
        ("h.0.attn.bias", (2304,)),
        ("h.0.attn.bias", (1, 1, 1024, 512)),
        ("h.0.xattn.bias", (1, 1, 1024, 1024)),
        ("model.layers.0.mlp.gate.e_score_correction_bias", (256,)),
        ("embeddings.my_position_ids", (1, 512)),
        ("model.position_ids", (2, 512)),
        ("model.inv_freq.weight", (64,)),
    ],
)
def test_what_only_looks_like_one(name: str, shape: tuple[int, ...]) -> None:
    assert known_buffer(name, shape) is None


def test_where_only_names_are_known_a_name_is_enough() -> None:
    assert known_buffer("transformer.h.0.attn.bias", None)

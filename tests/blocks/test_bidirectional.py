"""Attention of every token or patch to every other: biases everywhere, and nothing kept."""

from collections.abc import Callable

import pytest

from archcount.blocks import bidirectional_attention, fused_bidirectional_attention
from archcount.errors import ConfigValueError
from archcount.rows import parts, tensors
from archcount.tree import Module


def test_four_matrices_with_their_biases() -> None:
    found = {tensor.name: tensor.shape for tensor in tensors(bidirectional_attention(64, heads=4))}
    assert found == {
        "q_proj.weight": (64, 64),
        "q_proj.bias": (64,),
        "k_proj.weight": (64, 64),
        "k_proj.bias": (64,),
        "v_proj.weight": (64, 64),
        "v_proj.bias": (64,),
        "out_proj.weight": (64, 64),
        "out_proj.bias": (64,),
    }


def test_the_output_has_a_bias_where_the_fused_matrix_has_none() -> None:
    found = {tensor.name: tensor.shape for tensor in tensors(fused_bidirectional_attention(64, heads=4, bias=False))}
    assert found == {"qkv.weight": (192, 64), "proj.weight": (64, 64), "proj.bias": (64,)}


@pytest.mark.parametrize("build", [bidirectional_attention, fused_bidirectional_attention])
def test_it_keeps_nothing_and_sees_all(build: Callable[..., Module]) -> None:
    (part,) = parts(build(64, heads=4))
    assert part.cache is None
    assert part.attends is not None
    assert (part.kind, part.attends.causal, part.attends.key_width) == ("MHA 4", False, 16)


def test_heads_that_do_not_share_the_width_are_refused() -> None:
    with pytest.raises(ConfigValueError, match="62"):
        bidirectional_attention(62, heads=4)

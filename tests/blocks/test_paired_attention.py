"""Attention that reads another sequence through one matrix for key and value."""

from archcount.blocks import paired_attention
from archcount.rows import rows
from archcount.tree import Module, Per


def test_the_inner_width_is_the_heads_and_keys_and_values_are_read_once() -> None:
    part = paired_attention(12, heads=2, head_dim=3, source_width=5)
    shapes = {row.path: tuple(row.tensor.shape) for row in rows(part)}
    assert list(shapes.values()) == [(6, 12), (12, 5), (12, 6)]
    assert [child.per for _, child in part.children if isinstance(child, Module)] == [None, Per.SOURCE, None]
    assert part.cache is None


def test_a_decoder_keeps_what_it_read() -> None:
    part = paired_attention(12, heads=2, head_dim=3, source_width=5, bias=True, kept=True)
    assert part.cache is not None
    assert part.cache.elements(tokens=100, source=7) == 2 * 2 * 3 * 7
    assert part.attends is not None and part.attends.cross

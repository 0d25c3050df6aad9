"""Kinds of cache: which are known, and what a rule must mark."""

import pytest

from archcount.blocks import attention, linear
from archcount.costs.caches import KINDS, Keeps, Policy, Widths, bytes_of_bits, cache_lines
from archcount.errors import UnknownCostError
from archcount.rows import parts
from archcount.tree import Cache, Module, Role, module, repeat

BF16 = Widths(16)


def layers(attend: Module, count: int = 3) -> Module:
    return module(layers=repeat(count, module(self_attn=attend)))


def test_equal_layers_stand_in_one_line() -> None:
    (line,) = cache_lines(parts(layers(attention(64, heads=4, kv_heads=2, head_dim=16))), BF16)
    assert (line.section, line.cache.label, line.layers, line.keeps) == ("main", "KV", 3, Keeps.TOKENS)
    assert (line.elements(10), line.bytes(10, 2)) == (3 * 2 * 2 * 16 * 10, 3 * 2 * 2 * 16 * 10 * 2 * 2)


def test_each_pass_through_a_layer_keeps_its_own() -> None:
    looped = layers(attention(64, heads=4, head_dim=16).marked(uses=5))
    assert cache_lines(parts(looped), BF16)[0].layers == 15


def test_policies() -> None:
    tree = layers(attention(64, heads=4, head_dim=16, window=8))
    assert cache_lines(parts(tree), BF16)[0].elements(100) == 3 * 128 * 8
    assert cache_lines(parts(tree), BF16, policy=Policy.UNIFIED)[0].elements(100) == 3 * 128 * 100


def test_keys_and_values_of_different_widths() -> None:
    (line,) = cache_lines(parts(attention(64, heads=4, kv_heads=2, head_dim=24, value_dim=16)), BF16)
    assert line.elements(1) == 2 * (24 + 16)


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (linear(8, 8).marked(role=Role.ATTENTION, cache=Cache("ring", per_token=4)), "the unknown kind 'ring'"),
        (linear(8, 8).marked(role=Role.ATTENTION, kind="LSH 4"), r"LSH 4 \(layers.self_attn\): what it keeps"),
        (linear(8, 8).marked(role=Role.SSM, kind="RWKV-9"), r"RWKV-9 \(layers.self_attn\): what it keeps"),
    ],
)
def test_what_is_not_known_is_refused(part: Module, message: str) -> None:
    with pytest.raises(UnknownCostError, match=message):
        cache_lines(parts(layers(part)), BF16)


def test_what_sees_everything_keeps_nothing() -> None:
    assert cache_lines(parts(layers(attention(64, heads=4, head_dim=16, causal=False))), BF16) == ()


def test_a_state_has_a_width_of_its_own() -> None:
    state = Cache("SSM state", fixed=10, dtype="float32")
    assert (BF16.of(state), Widths(16, 8).of(state), BF16.of(Cache("conv state", fixed=10))) == (32, 8, 16)
    with pytest.raises(UnknownCostError, match="posit16"):
        BF16.of(Cache("SSM state", fixed=1, dtype="posit16"))


def test_part_of_a_byte_is_a_byte() -> None:
    assert [bytes_of_bits(bits) for bits in (0, 1, 8, 9)] == [0, 1, 1, 2]


def test_every_kind_grows_with_something() -> None:
    assert set(KINDS.values()) == set(Keeps)

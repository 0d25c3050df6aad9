"""Rows say in a few lines what a walk over every single name would say."""

import math
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archcount
from archcount.dim import Dim
from archcount.rows import rows, tensors
from archcount.sources.catalog import names as known_names
from archcount.tree import Module, Node, Role, Routed, Stack, Storage, Tensor, module, repeat, stack

LEAVES = st.builds(
    Tensor,
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple),
    storage=st.sampled_from(Storage),
)
NAMES = st.sampled_from(["weight", "bias", "mlp", "self_attn", "norm"])


def grown(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    modules = st.builds(
        lambda children, role, section, routed: module(role, None, **children).marked(section=section, routed=routed),
        st.dictionaries(NAMES, nodes, max_size=3),
        st.none() | st.sampled_from(Role),
        st.none() | st.sampled_from(["mtp", "vision"]),
        st.none() | st.sampled_from([Routed(2, 8), Routed(1, 3)]),
    )
    stacks = st.lists(nodes, max_size=3).flatmap(
        lambda layers: st.lists(st.sampled_from(layers), max_size=6) if layers else st.just([])
    )
    return modules | stacks.map(stack) | st.builds(repeat, st.integers(0, 4), nodes)


TREES = st.recursive(LEAVES, grown, max_leaves=12).map(lambda node: module(model=node))


Walked = tuple[str, tuple[int, ...], Storage, Role, str]


def one_by_one(node: Node, name: str = "", role: Role = Role.OTHER, section: str = "") -> Iterator[Walked]:
    """Every tensor of a tree, with no thought of speed."""
    match node:
        case Tensor():
            yield name[1:], tuple(node.shape), node.storage, role, section
        case Module(children):
            role, section = node.role or role, section if node.section is None else node.section
            for step, child in children:
                yield from one_by_one(child, f"{name}.{step}", role, section)
        case Stack(groups):
            for where, layer in groups:
                for index in where:
                    yield from one_by_one(layer, f"{name}.{index}", role, section)


@given(TREES)
def test_rows_are_a_walk_over_every_name(tree: Module) -> None:
    by_row = [
        (name, tuple(row.tensor.shape), row.tensor.storage, row.role, row.section)
        for row in rows(tree)
        for name in row.names()
    ]
    assert Counter(by_row) == Counter(one_by_one(tree))


@given(TREES)
def test_tensors_are_the_same_one_by_one(tree: Module) -> None:
    listed = [(found.name, tuple(found.shape), found.storage, found.role, found.section) for found in tensors(tree)]
    assert Counter(listed) == Counter(one_by_one(tree))


@given(TREES)
def test_elements_are_the_sum_over_names(tree: Module) -> None:
    by_name = sum(math.prod(found.shape) for found in tensors(tree))
    assert sum(row.elements for row in rows(tree)) == by_name
    assert all(row.times == len(list(row.names())) for row in rows(tree))


@given(st.lists(LEAVES, min_size=1, max_size=3).flatmap(lambda kinds: st.lists(st.sampled_from(kinds), max_size=8)))
def test_grouped_layers_are_those_not_grouped(layers: list[Tensor]) -> None:
    apart = Stack(tuple(((index,), layer) for index, layer in enumerate(layers)))
    assert [(found.name, found.shape) for found in tensors(stack(layers))] == [
        (found.name, found.shape) for found in tensors(apart)
    ]


@pytest.mark.parametrize("name", known_names())
def test_the_rows_of_a_known_model_are_a_walk_over_every_name_each_once(name: str) -> None:
    model = archcount.load(name)
    walked = list(one_by_one(model.tree))
    found = Counter(name for row in model.rows for name in row.names())
    assert found == Counter(name for name, *_ in walked)
    assert [name for name, times in found.items() if times > 1] == []
    own = sum(
        math.prod(shape) for _, shape, storage, _, section in walked if storage is Storage.OWN and section != "mtp"
    )
    assert model.totals.parameters == own


def test_a_layer_follows_the_layer_before_it() -> None:
    dense, sparse = module(a=Tensor((1,)), b=Tensor((2,))), module(a=Tensor((3,)))
    tree = module(layers=stack([dense, sparse, dense]))
    assert [found.name for found in tensors(tree)] == [
        "layers.0.a",
        "layers.0.b",
        "layers.1.a",
        "layers.2.a",
        "layers.2.b",
    ]


def test_marks_reach_down_until_others_are_set() -> None:
    inner = module(Role.ROUTER, gate=Tensor((1,)))
    tree = module(Role.MLP, up=Tensor((1,)), inner=inner).marked(section="mtp", routed=Routed(2, 8), uses=3)
    found = {row.pattern: (row.role, row.section, row.routed, row.uses) for row in rows(tree)}
    assert found == {
        "up": (Role.MLP, "mtp", Routed(2, 8), 3),
        "inner.gate": (Role.ROUTER, "mtp", Routed(2, 8), 3),
    }


def test_a_token_passes_the_experts_chosen() -> None:
    expert = module(w=Tensor((10, 10))).marked(routed=Routed(2, 8))
    row = rows(module(experts=repeat(8, expert)))[0]
    assert (row.elements, row.active) == (800, 200)


def test_what_a_token_passes_keeps_no_formula() -> None:
    """Sums of it over hundreds of rows would be formulas too deep to copy."""
    expert = module(w=Tensor((10, 10))).marked(routed=Routed(Dim(2, "chosen"), Dim(8, "experts")))
    assert type(rows(module(experts=repeat(8, expert)))[0].active) is int
    assert type(archcount.load("deepseek-v3").totals.active_without_input_embedding) is int

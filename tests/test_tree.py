"""Names are keywords, equal layers are held once, and a tensor under a second name is counted once."""

import pickle

import pytest

from archcount.dim import Dim, formula
from archcount.errors import ConfigValueError
from archcount.rows import rows
from archcount.tree import (
    Attends,
    Cache,
    Module,
    Role,
    Routed,
    Stack,
    Storage,
    Tensor,
    Use,
    copied,
    in_turn,
    module,
    repeat,
    stack,
    tied,
)

WIDE, NARROW = Tensor((4, 8), Use.MATMUL), Tensor((8,), Use.SCALE)


def names_of(node: Module | Stack) -> list[str]:
    return [name for row in rows(node) for name in row.names()]


def test_a_keyword_is_a_name_and_an_absent_child_is_left_out() -> None:
    part = module(Role.MLP, "GELU MLP", up=WIDE, bias=None, down=NARROW)
    assert names_of(part) == ["up", "down"]
    assert (part.role, part.kind) == (Role.MLP, "GELU MLP")


def test_children_are_added_before_after_and_in_place() -> None:
    part = module(b=WIDE)
    assert names_of(part.prepend(a=NARROW, x=None)) == ["a", "b"]
    assert names_of(part.extend(c=NARROW, x=None)) == ["b", "c"]
    assert module(a=WIDE, b=WIDE).replacing(a=NARROW) == module(a=NARROW, b=WIDE)
    assert names_of(module(a=WIDE, b=WIDE).replacing(a=None)) == ["b"]
    assert names_of(part) == ["b"]


def test_a_mark_left_out_stays_and_a_mark_given_changes() -> None:
    part = module(Role.MLP, "SwiGLU", up=WIDE).marked(routed=Routed(2, 8))
    assert part.marked(section="mtp") == Module(part.children, Role.MLP, "SwiGLU", "mtp", Routed(2, 8))
    assert part.marked(role=Role.EXPERTS).role is Role.EXPERTS
    assert part.marked(uses=0).uses == 0


def test_equal_layers_are_held_once_wherever_they_stand() -> None:
    dense, sparse, dense_again = module(w=WIDE), module(w=NARROW), module(w=Tensor((4, 8), Use.MATMUL))
    assert stack([dense, sparse, dense_again, sparse]).groups == (((0, 2), dense), ((1, 3), sparse))


def test_runs_of_layers_are_the_stack_of_each_layer_by_itself() -> None:
    dense, sparse = module(mlp=WIDE), module(mlp=NARROW)
    runs = in_turn((2, dense), (0, sparse), (-1, sparse), (3, sparse), (1, dense))
    assert runs == stack([dense, dense, sparse, sparse, sparse, dense])
    assert runs.groups == (((0, 1, 5), dense), (range(2, 5), sparse))
    assert in_turn((1, None), (2, dense), start=4).groups == ((range(5, 7), dense),)
    assert stack([dense, module(mlp=WIDE)]) == in_turn((2, dense)) == repeat(2, dense)


def test_layers_may_start_at_a_number_and_leave_one_out() -> None:
    layer = module(w=WIDE)
    assert stack([layer, None, layer], start=5).groups == (((5, 7), layer),)


def test_ten_thousand_layers_cost_no_more_than_one() -> None:
    assert repeat(10_000, WIDE).groups == ((range(10_000), WIDE),)
    assert repeat(0, WIDE).groups == ()


def test_sizes_that_agree_by_chance_stay_two_tensors() -> None:
    by_width, by_vocabulary = Tensor((Dim(64, "hidden_size"),)), Tensor((Dim(64, "vocab_size"),))
    assert by_width != by_vocabulary
    assert by_width == Tensor((Dim(64, "hidden_size"),))
    assert len(stack([by_width, by_vocabulary]).groups) == 2


def test_a_tensor_counts_its_elements_and_keeps_its_formula() -> None:
    tensor = Tensor((Dim(4, "heads") * 16, Dim(128, "hidden_size")))
    assert tensor.elements == 8192
    assert type(tensor.elements) is int
    assert formula(tensor.size) == "heads × 16 × hidden_size"
    assert Tensor(()).elements == 1


def test_no_tensor_is_empty() -> None:
    image, patch = Dim(7, "image_size"), Dim(14, "patch_size")
    with pytest.raises(ConfigValueError, match=r"^image_size ÷ patch_size makes a tensor of size 0: "):
        Tensor((image // patch, 3))
    with pytest.raises(ConfigValueError, match=r"^image_size - patch_size makes a tensor of size -7: "):
        Tensor((3, image - patch))


@pytest.mark.parametrize(
    ("storage", "in_file", "parameter"),
    [
        (Storage.OWN, True, True),
        (Storage.BUFFER, True, False),
        (Storage.COPY, True, False),
        (Storage.TIED, False, False),
    ],
)
def test_where_a_tensor_is_and_whether_it_counts(storage: Storage, in_file: bool, parameter: bool) -> None:
    assert (storage.is_in_file, storage.is_parameter) == (in_file, parameter)


def test_a_tie_names_the_original_of_every_tensor_below_it() -> None:
    block = module(proj=module(weight=WIDE), layers=repeat(2, module(norm=NARROW)))
    again = rows(module(other=tied(block, "model.block")))
    assert [(name, row.tensor.same_as) for row in again for name in row.names()] == [
        ("other.proj.weight", "model.block.proj.weight"),
        ("other.layers.0.norm", "model.block.layers.0.norm"),
        ("other.layers.1.norm", "model.block.layers.1.norm"),
    ]
    assert {row.tensor.storage for row in again} == {Storage.TIED}


def test_a_copy_is_in_the_file_and_is_a_matmul_still() -> None:
    again = copied(WIDE, "model.head.weight")
    assert (again.storage, again.same_as, again.use, again.shape) == (
        Storage.COPY,
        "model.head.weight",
        Use.MATMUL,
        (4, 8),
    )


@pytest.mark.parametrize(
    ("cache", "tokens", "source", "elements"),
    [
        (Cache("KV", per_token=2048), 100, 0, 204_800),
        (Cache("sliding KV", per_token=2048, window=64), 100, 0, 131_072),
        (Cache("sliding KV", per_token=2048, window=64), 10, 0, 20_480),
        (Cache("state", fixed=4096), 100, 0, 4096),
        (Cache("cross KV", per_source=2560), 100, 1500, 3_840_000),
    ],
)
def test_what_a_sequence_leaves_in_memory(cache: Cache, tokens: int, source: int, elements: int) -> None:
    assert cache.elements(tokens, source) == elements


def test_a_tree_survives_pickling() -> None:
    tree = module(layers=repeat(3, module(w=Tensor((Dim(8, "hidden_size") * 2,))).marked(attends=Attends(4, 2, 2))))
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert formula(rows(again)[0].tensor.shape[0]) == "hidden_size × 2"

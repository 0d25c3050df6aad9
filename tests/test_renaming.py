"""Parts under other names."""

from archcount.blocks import attention, gated_mlp, linear
from archcount.renaming import renamed, without_a_name
from archcount.rows import rows
from archcount.tree import Module, Role, module, repeat


def names(tree: Module) -> list[str]:
    return [name for row in rows(tree) for name in row.names()]


def test_every_child_of_a_name_is_called_otherwise_at_any_depth() -> None:
    tree = module(layers=repeat(2, module(up=linear(2, 3), down=linear(3, 2))), up=linear(1, 1))
    assert names(renamed(tree, {"up": "w1", "layers": "blocks"})) == [
        "blocks.0.w1.weight",
        "blocks.1.w1.weight",
        "blocks.0.down.weight",
        "blocks.1.down.weight",
        "w1.weight",
    ]


def test_marks_stay() -> None:
    tree = module(mlp=gated_mlp(2, 3))
    assert dict(renamed(tree, {"mlp": "feed_forward"}).children)["feed_forward"] == gated_mlp(2, 3)


def test_a_part_without_a_name_leaves_its_marks_to_its_first_child() -> None:
    part = attention(4, heads=2, head_dim=2)
    children = without_a_name(part)
    assert list(children) == ["q_proj", "k_proj", "v_proj", "o_proj"]
    first, *rest = children.values()
    assert isinstance(first, Module)
    assert (first.role, first.kind, first.cache, first.attends) == (part.role, part.kind, part.cache, part.attends)
    assert all(isinstance(child, Module) and child.role is Role.ATTENTION for child in rest)

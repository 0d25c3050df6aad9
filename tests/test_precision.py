"""Parts that a file keeps in a type of their own."""

from archcount.blocks import linear
from archcount.precision import kept_in
from archcount.rows import rows
from archcount.tree import Role, module, repeat


def test_every_tensor_is_stored_so_at_any_depth_and_the_marks_stay() -> None:
    part = module(Role.MLP, "kind", layers=repeat(2, linear(2, 3, bias=True)), up=linear(1, 1))
    kept = kept_in("float32", part)
    assert (kept.role, kept.kind) == (Role.MLP, "kind")
    assert [row.tensor.dtype for row in rows(kept)] == ["float32"] * 3
    assert [name for row in rows(kept) for name in row.names()] == [name for row in rows(part) for name in row.names()]

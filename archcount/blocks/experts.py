"""Mixtures of experts: a router, experts stored one by one or packed, and experts every token shares."""

from __future__ import annotations

from ..tree import Module, Node, Role, Routed, Tensor, Use, module, repeat
from .linear import bias_of
from .mlp import activation_name, gated_mlp


def router(width: int, experts: int, *, correction: bool = False, bias: bool = False) -> Module:
    """`weight` [experts, width]; `correction` adds DeepSeek-V3's `e_score_correction_bias` [experts]."""
    return module(
        Role.ROUTER,
        weight=Tensor((experts, width), Use.MATMUL),
        bias=bias_of(experts) if bias else None,
        e_score_correction_bias=bias_of(experts) if correction else None,
    )


def sparse_mlp(
    width: int,
    inner: int,
    *,
    experts: int,
    active: int,
    activation: str = "silu",
    correction: bool = False,
    expert_names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
    shared: int | None = None,
    **more: Node | None,
) -> Module:
    """`gate` chooses `active` of `experts` gated MLPs [inner, width]; `shared` is the width of `shared_experts`.

    `more` adds further children by their checkpoint names.
    """
    expert = gated_mlp(width, inner, activation=activation, routed=Routed(active, experts), names=expert_names)
    return module(
        gate=router(width, experts, correction=correction),
        experts=repeat(experts, expert),
        shared_experts=gated_mlp(width, shared, activation=activation) if shared else None,
        **more,
    ).marked(kind=f"{experts} experts, top {active}")


def packed_experts(
    width: int,
    inner: int,
    *,
    experts: int,
    active: int,
    activation: str = "silu",
    bias: bool = False,
    names: tuple[str, str] = ("gate_up_proj", "down_proj"),
    transposed: bool = False,
) -> Module:
    """All experts in two tensors: gate and up [experts, 2 × inner, width], down [experts, width, inner].

    `transposed` stores them the other way round ([experts, width, 2 × inner]); a bias is named `gate_up_proj_bias`.
    """
    up, down = (2 * inner, width), (width, inner)
    if transposed:
        up, down = up[::-1], down[::-1]
    children = {
        names[0]: Tensor((experts, *up), Use.MATMUL),
        f"{names[0]}_bias": Tensor((experts, 2 * inner), Use.BIAS) if bias else None,
        names[1]: Tensor((experts, *down), Use.MATMUL),
        f"{names[1]}_bias": Tensor((experts, width), Use.BIAS) if bias else None,
    }
    kind = activation_name(activation, gated=True)
    return module(Role.EXPERTS, kind, **children).marked(routed=Routed(active, experts))

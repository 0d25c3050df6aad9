"""Mixtures of experts: a router, experts stored one by one or packed, and experts every token shares."""

from __future__ import annotations

from ..tree import Module, Node, Role, Routed, Stack, Tensor, Use, module, repeat
from .linear import bias_of
from .mlp import activation_name, gated_mlp, mlp

CORRECTION = "e_score_correction_bias"


def router(width: int, experts: int, *, correction: str | bool = False, bias: bool = False) -> Module:
    """`weight` [experts, width]; `correction` adds DeepSeek-V3's `e_score_correction_bias` [experts], or its name."""
    children = {
        "weight": Tensor((experts, width), Use.MATMUL),
        "bias": bias_of(experts) if bias else None,
        correction if isinstance(correction, str) else CORRECTION: bias_of(experts) if correction else None,
    }
    return module(Role.ROUTER, **children)


def routed_experts(
    width: int,
    inner: int,
    *,
    experts: int,
    active: int,
    activation: str = "silu",
    bias: bool = False,
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
) -> Stack:
    """`experts` gated MLPs [inner, width], stored one by one, of which a token visits `active`."""
    routed = routed_to(active, experts)
    return repeat(experts, gated_mlp(width, inner, bias=bias, activation=activation, routed=routed, names=names))


def sparse_mlp(
    width: int,
    inner: int,
    *,
    experts: int,
    active: int,
    activation: str = "silu",
    correction: str | bool = False,
    expert_names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
    shared: int | None = None,
    bias: bool = False,
    names: tuple[str, str] = ("gate", "shared_experts"),
    **more: Node | None,
) -> Module:
    """A router chooses `active` of `experts` gated MLPs [inner, width]; `shared` is the width of the one all visit.

    `names` are those of the router and of the shared expert, `bias` is the MLPs', and `more` adds further children by
    their checkpoint names.
    """
    gate, shared_name = names
    one_by_one = routed_experts(
        width, inner, experts=experts, active=active, activation=activation, bias=bias, names=expert_names
    )
    children: dict[str, Node | None] = {
        gate: router(width, experts, correction=correction),
        "experts": one_by_one,
        shared_name: gated_mlp(width, shared, bias=bias, activation=activation) if shared else None,
        **more,
    }
    return mixture(experts, active, **children)


def routed_to(active: int, experts: int) -> Routed:
    """The mark of an expert; a token cannot visit more than there are."""
    return Routed(min(active, experts), experts)


def expert_layout(experts: int, active: int) -> str:
    """The words for a mixture: `128 experts, top 8`."""
    return f"{experts} experts, top {active}"


def mixture(total: int, active: int, /, **children: Node | None) -> Module:
    """A router, `total` experts and what stands beside them, by their checkpoint names.

    What is neither expert nor shared MLP belongs to the router: a gate, a correction of its scores.
    """
    return module(Role.ROUTER, expert_layout(total, active), **children)


def named_experts(
    width: int,
    inner: int,
    *,
    experts: int,
    active: int,
    activation: str,
    bias: bool,
    names: tuple[str, str],
    router_bias: bool = False,
) -> Module:
    """`router.classifier` chooses `active` of `expert_0`, `expert_1` …: MLPs [inner, width] without a gate."""
    one = mlp(width, inner, bias=bias, activation=activation, routed=routed_to(active, experts), names=names)
    return mixture(
        experts,
        active,
        router=module(classifier=router(width, experts, bias=router_bias)),
        experts=module(**{f"expert_{number}": one for number in range(experts)}),
    )


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
    return module(Role.EXPERTS, kind, **children).marked(routed=routed_to(active, experts))


def stacked_linear(inputs: int, outputs: int, *, experts: int, active: int, kind: str | None = None) -> Module:
    """One matrix of every expert in one tensor: `weight` [experts, outputs, inputs]."""
    weight = Tensor((experts, outputs, inputs), Use.MATMUL)
    return module(Role.EXPERTS, kind, weight=weight).marked(routed=routed_to(active, experts))


def stacked_mlp(width: int, inner: int, *, experts: int, active: int, activation: str = "silu") -> Module:
    """Granite's mixture: `input_linear` (gate and up), `output_linear` and `router.layer`."""
    kind = activation_name(activation, gated=True)
    return mixture(
        experts,
        active,
        input_linear=stacked_linear(width, 2 * inner, experts=experts, active=active, kind=kind),
        output_linear=stacked_linear(inner, width, experts=experts, active=active),
        router=module(layer=router(width, experts)),
    )

"""Feed-forward parts: two matrices and an activation, or three with a gate (Shazeer 2020)."""

from __future__ import annotations

from ..tree import Module, Role, Routed, module
from .linear import Projection, linear

GATED_NAMES = {"silu": "SwiGLU", "swish": "SwiGLU", "relu": "ReGLU", "sigmoid": "GLU", "swiglu": "SwiGLU"}
PLAIN_NAMES = {"silu": "SiLU", "swish": "SiLU", "relu": "ReLU", "relu2": "ReLU²", "sigmoid": "sigmoid", "tanh": "tanh"}


def activation_name(activation: str, *, gated: bool) -> str:
    """The word for an MLP: SwiGLU, GEGLU, ReGLU; GELU MLP, ReLU MLP."""
    if gated:
        return GATED_NAMES.get(activation) or ("GEGLU" if activation.startswith("gelu") else f"gated {activation}")
    return f"{PLAIN_NAMES.get(activation) or ('GELU' if activation.startswith('gelu') else activation)} MLP"


def gated_mlp(
    width: int,
    inner: int,
    *,
    bias: bool = False,
    activation: str = "silu",
    routed: Routed | None = None,
    names: tuple[str, str, str] = ("gate_proj", "up_proj", "down_proj"),
    projection: Projection = linear,
) -> Module:
    """Gate and up [inner, width], down [width, inner]; `routed` makes it one expert of many."""
    gate, up, down = names
    kind = activation_name(activation, gated=True)
    children = {
        gate: projection(width, inner, bias=bias),
        up: projection(width, inner, bias=bias),
        down: projection(inner, width, bias=bias),
    }
    return module(Role.EXPERTS if routed else Role.MLP, kind, **children).marked(routed=routed)


def fused_gated_mlp(
    width: int,
    inner: int,
    *,
    bias: bool = False,
    activation: str = "silu",
    names: tuple[str, str] = ("gate_up_proj", "down_proj"),
) -> Module:
    """Gate and up in one matrix [2 × inner, width]; down [width, inner]."""
    gate_up, down = names
    children = {gate_up: linear(width, 2 * inner, bias=bias), down: linear(inner, width, bias=bias)}
    return module(Role.MLP, activation_name(activation, gated=True), **children)


def mlp(
    width: int,
    inner: int,
    *,
    bias: bool = True,
    activation: str = "gelu",
    routed: Routed | None = None,
    names: tuple[str, str] = ("fc1", "fc2"),
    projection: Projection = linear,
) -> Module:
    """Up [inner, width] and down [width, inner]; `projection` may be `conv1d`."""
    up, down = names
    children = {up: projection(width, inner, bias=bias), down: projection(inner, width, bias=bias)}
    role = Role.EXPERTS if routed else Role.MLP
    return module(role, activation_name(activation, gated=False), **children).marked(routed=routed)

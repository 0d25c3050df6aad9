"""Matrices and kernels, with or without a bias."""

from __future__ import annotations

from collections.abc import Callable

from ..tree import Module, Role, Tensor, Use, module

Projection = Callable[..., Module]
"""`linear`, `conv1d` or another function of (inputs, outputs, *, bias)."""


def linear(inputs: int, outputs: int, *, bias: bool = False, role: Role | None = None) -> Module:
    """`weight` [outputs, inputs] and, where asked, `bias` [outputs]."""
    return module(role, weight=Tensor((outputs, inputs), Use.MATMUL), bias=bias_of(outputs) if bias else None)


def conv1d(inputs: int, outputs: int, *, bias: bool = True, role: Role | None = None) -> Module:
    """GPT-2's projection, stored the other way round: `weight` [inputs, outputs], `bias` [outputs]."""
    return module(role, weight=Tensor((inputs, outputs), Use.MATMUL), bias=bias_of(outputs) if bias else None)


def convolution(
    inputs: int, outputs: int, *kernel: int, groups: int = 1, bias: bool = True, role: Role | None = None
) -> Module:
    """`weight` [outputs, inputs ÷ groups, *kernel]: a kernel size for each dimension of the convolution."""
    each = inputs if groups == 1 else 1 if groups == inputs else inputs // groups
    weight = Tensor((outputs, each, *kernel), Use.CONVOLUTION)
    return module(role, weight=weight, bias=bias_of(outputs) if bias else None)


def bias_of(width: int) -> Tensor:
    """One learned constant per output: [width]."""
    return Tensor((width,), Use.BIAS)

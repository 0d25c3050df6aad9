"""A layer of the usual shapes: attention, then an MLP, with their norms named as in Llama."""

from __future__ import annotations

from ..tree import Module, Node, module


def pre_norm_layer(self_attn: Node, mlp: Node, norm: Module | None) -> Module:
    """`input_layernorm` before attention and `post_attention_layernorm` before the MLP, both of them `norm`."""
    return module(None, "pre-norm", self_attn=self_attn, mlp=mlp, input_layernorm=norm, post_attention_layernorm=norm)


def post_norm_layer(self_attn: Node, mlp: Node, norm: Module) -> Module:
    """`post_attention_layernorm` after attention and `post_feedforward_layernorm` after the MLP (OLMo 2)."""
    return module(
        None, "post-norm", self_attn=self_attn, mlp=mlp, post_attention_layernorm=norm, post_feedforward_layernorm=norm
    )


SANDWICH_NORMS = (
    "input_layernorm",
    "post_attention_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)


def sandwich_layer(
    self_attn: Node, mlp: Node, norm: Module, *, names: tuple[str, str, str, str] = SANDWICH_NORMS
) -> Module:
    """A norm on either side of attention, and on either side of the MLP (Gemma 2)."""
    return module(None, "pre- and post-norm", self_attn=self_attn, mlp=mlp, **dict.fromkeys(names, norm))

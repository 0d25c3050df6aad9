"""MobileNetV5's encoder, 300M as Gemma 3n has it: inverted bottlenecks, then multi-query attention between them.

It has no sizes in a config: the one architecture that files name is written out here.
"""

from __future__ import annotations

from ...blocks import convolution, rms_norm
from ...errors import ConfigValueError
from ...tree import Attends, Module, Node, Role, Tensor, Use, module, stack

NAME = "mobilenetv5_300m_enc"
WIDTH = 2048


def mobilenetv5(architecture: str) -> Module:
    """`conv_stem`, `blocks` and `msfa`, which joins the last two stages.

    Raises ConfigValueError: another architecture than the one there is.
    """
    if architecture != NAME:
        raise ConfigValueError(f"vision_config.architecture is {architecture!r}: only {NAME} is known")
    stem = convolution(3, 64, 3, 3)
    fused = module(pw_exp=_normed(640 + 1280, 3840, 1), pw_proj=_normed(3840, WIDTH, 1))
    return module(
        conv_stem=module(Role.EMBEDDING, "patch embedding", conv=stem, bn=rms_norm(64)),
        blocks=stack(stack(blocks) for blocks in (_edges(), _bottlenecks(), _third(), _fourth())),
        msfa=module(ffn=fused, norm=rms_norm(WIDTH)).marked(role=Role.MLP),
    ).marked(section="vision")


def _edges() -> list[Node]:
    """Convolutions that expand at once."""

    def edge(inputs: int, outputs: int) -> Module:
        return module(
            Role.MLP,
            conv_exp=convolution(inputs, 4 * inputs, 3, 3, bias=False),
            bn1=rms_norm(4 * inputs),
            conv_pwl=convolution(4 * inputs, outputs, 1, 1, bias=False),
            bn2=rms_norm(outputs),
        )

    return [edge(64, 128), *[edge(128, 128)] * 2]


def _bottlenecks() -> list[Node]:
    wide, narrow = _bottleneck(256, 256, 4, start=5), _bottleneck(256, 256, 4, start=3)
    return [_bottleneck(128, 256, 6, start=3, middle=5), wide, narrow, wide, narrow]


def _third() -> list[Node]:
    """Attention here reads keys and values from a plane of half the height and width."""
    local = [_bottleneck(640, 640, 4, start=5)] * 7
    pair = [_attention(640, 12, 64, halved=True), _bottleneck(640, 640, 2)]
    return [_bottleneck(256, 640, 6, start=5, middle=5), *local, _bottleneck(640, 640, 1), *pair * 14]


def _fourth() -> list[Node]:
    pair = [_attention(1280, 16, 96, halved=False), _bottleneck(1280, 1280, 2)]
    return [_bottleneck(640, 1280, 6, start=5, middle=5), *pair * 19]


def _bottleneck(inputs: int, outputs: int, factor: int, *, start: int = 0, middle: int = 0) -> Module:
    """To `factor` times the channels and back, with a filter a channel of that size before and between, where not 0."""
    inner = factor * inputs
    return module(
        Role.MLP,
        "inverted bottleneck",
        dw_start=_filtered(inputs, start) if start else None,
        pw_exp=_normed(inputs, inner, 1),
        dw_mid=_filtered(inner, middle) if middle else None,
        pw_proj=_normed(inner, outputs, 1),
        layer_scale=module(gamma=Tensor((outputs,), Use.SCALE)),
    )


def _attention(width: int, heads: int, head_dim: int, *, halved: bool) -> Module:
    def read() -> Module:
        return module(
            down_conv=convolution(width, width, 3, 3, groups=width, bias=False) if halved else None,
            norm=rms_norm(width) if halved else None,
            proj=convolution(width, head_dim, 1, 1, bias=False),
        )

    attn = module(
        Role.ATTENTION,
        f"MQA {heads}/1",
        query=module(proj=convolution(width, heads * head_dim, 1, 1, bias=False)),
        key=read(),
        value=read(),
        output=module(proj=convolution(heads * head_dim, width, 1, 1, bias=False)),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False, every=4 if halved else 1))
    return module(
        None, "pre-norm", norm=rms_norm(width), attn=attn, layer_scale=module(gamma=Tensor((width,), Use.SCALE))
    )


def _normed(inputs: int, outputs: int, kernel: int) -> Module:
    return module(conv=convolution(inputs, outputs, kernel, kernel, bias=False), bn=rms_norm(outputs))


def _filtered(channels: int, kernel: int) -> Module:
    plain = convolution(channels, channels, kernel, kernel, groups=channels, bias=False)
    return module(conv=plain, bn=rms_norm(channels))

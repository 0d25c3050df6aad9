"""VQGAN (Esser et al. 2021): convolutions and a little attention between an image and the codes that stand for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...blocks import convolution, layer_norm
from ...tree import Attends, Module, Node, Role, module, repeat, stack


def residual_block(inputs: int, outputs: int) -> Module:
    """Two convolutions with a norm before each, and a third of 1 × 1 beside them where the channels change."""
    return module(
        norm1=group_norm(inputs),
        conv1=convolution(inputs, outputs, 3, 3),
        norm2=group_norm(outputs),
        conv2=convolution(outputs, outputs, 3, 3),
        nin_shortcut=None if int(inputs) == int(outputs) else convolution(inputs, outputs, 1, 1),
    )


def spatial_attention(channels: int) -> Module:
    """One head over all places of the plane."""
    matrix = convolution(channels, channels, 1, 1)
    return module(
        Role.ATTENTION, "MHA 1", norm=group_norm(channels), q=matrix, k=matrix, v=matrix, proj_out=matrix
    ).marked(attends=Attends(1, channels, channels, causal=False))


def middle(channels: int, *, attends: bool = True) -> Module:
    """Attention between two residual blocks, or nothing between them."""
    block = residual_block(channels, channels)
    return module(block_1=block, attn_1=spatial_attention(channels) if attends else None, block_2=block)


def group_norm(channels: int) -> Module:
    """`weight` and `bias` [channels]: a mean and a variance for each group of channels."""
    return layer_norm(channels).marked(kind="GroupNorm")


def resampling(channels: int) -> Module:
    """The convolution that halves the plane, or the one after it was doubled."""
    return module(conv=convolution(channels, channels, 3, 3))


def blocks_of(inputs: int, outputs: int, count: int) -> Iterator[Module]:
    """`count` residual blocks, of which the first changes the channels."""
    first, other = residual_block(inputs, outputs), residual_block(outputs, outputs)
    return (other if index else first for index in range(count))


def vq_encoder(
    channels: int,
    base: int,
    multipliers: Sequence[int],
    blocks: int,
    latent: int,
    *,
    attending: Collection[int] | None = None,
    middle_attends: bool = True,
) -> Module:
    """Levels of `base × multiplier`; those of the indices `attending` attend after each block (the last by default)."""
    widths = [base, *(base * multiplier for multiplier in multipliers)]
    last = len(multipliers) - 1
    attending = (last,) if attending is None else attending
    levels = [
        module(
            block=stack(blocks_of(widths[index], width, blocks)),
            attn=repeat(blocks, spatial_attention(width)) if index in attending else None,
            downsample=resampling(width) if index < last else None,
        )
        for index, width in enumerate(widths[1:])
    ]
    return module(
        conv_in=convolution(channels, base, 3, 3),
        down=stack(levels),
        mid=middle(widths[-1], attends=middle_attends),
        norm_out=group_norm(widths[-1]),
        conv_out=convolution(widths[-1], latent, 3, 3),
    )


def vq_decoder(channels: int, base: int, multipliers: Sequence[int], blocks: int, latent: int) -> Module:
    """The way back: levels from the last to the first, one block more in each."""
    widths = [base * multiplier for multiplier in reversed(multipliers)]
    before, last = [widths[0], *widths], len(widths) - 1

    def level(index: int) -> Module:
        width = widths[index]
        return module(
            block=stack(blocks_of(before[index], width, blocks + 1)),
            attn=repeat(blocks + 1, spatial_attention(width)) if index == 0 else None,
            upsample=resampling(width) if index < last else None,
        )

    up: list[Node] = [level(index) for index in range(last + 1)]
    return module(
        conv_in=convolution(latent, widths[0], 3, 3),
        mid=middle(widths[0]),
        up=stack(up),
        norm_out=group_norm(widths[-1]),
        conv_out=convolution(widths[-1], channels, 3, 3),
    )

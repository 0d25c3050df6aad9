"""What Segment Anything (Kirillov et al. 2023) does after it has seen: prompts in, and masks out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ...blocks import attention, convolution, embedding, layer_norm, linear, mlp
from ...dim import exact_div
from ...tree import Module, Storage, Tensor, module, repeat, stack

WIDTH, HEADS, INNER = 256, 8, 2048
MASKS = 4  # three of different sizes, and one for where there is no doubt


def prompt_encoder() -> Module:
    """Points by where they are and of which of four kinds; a rough mask by three convolutions."""
    point = embedding(1, WIDTH)
    frequencies = Tensor((2, WIDTH // 2), storage=Storage.BUFFER)
    halving = [
        convolution(1, 4, 2, 2),
        layer_norm(4),
        None,
        convolution(4, 16, 2, 2),
        layer_norm(16),
        None,
        convolution(16, WIDTH, 1, 1),
    ]
    return module(
        pe_layer=module(positional_encoding_gaussian_matrix=frequencies),
        point_embeddings=repeat(4, point),
        not_a_point_embed=point,
        mask_downscaling=stack(halving),
        no_mask_embed=point,
    )


def mask_decoder() -> Module:
    """Two layers in which prompts and image read each other; a small MLP a mask makes a filter over the image."""
    hyper = _in_turn((WIDTH, WIDTH, WIDTH, WIDTH // 8))
    doubling = [_doubled(WIDTH, WIDTH // 4), layer_norm(WIDTH // 4), None, _doubled(WIDTH // 4, WIDTH // 8)]
    return module(
        transformer=module(
            layers=repeat(2, _two_way_layer()),
            final_attn_token_to_image=_attention(2),
            norm_final_attn=layer_norm(WIDTH),
        ),
        iou_token=embedding(1, WIDTH),
        mask_tokens=embedding(MASKS, WIDTH),
        output_upscaling=stack(doubling),
        output_hypernetworks_mlps=repeat(MASKS, hyper),
        iou_prediction_head=_in_turn((WIDTH, WIDTH, WIDTH, MASKS)),
    )


def _two_way_layer() -> Module:
    norm = layer_norm(WIDTH)
    return module(
        None,
        "post-norm",
        self_attn=_attention(1),
        norm1=norm,
        cross_attn_token_to_image=_attention(2),
        norm2=norm,
        mlp=mlp(WIDTH, INNER, activation="relu", names=("lin1", "lin2")),
        norm3=norm,
        norm4=norm,
        cross_attn_image_to_token=_attention(2),
    )


def _attention(narrowed: int) -> Module:
    """Between prompts and image, both of one width, in a space `narrowed` so many times; nothing is kept."""
    head_dim = exact_div(WIDTH // narrowed, HEADS)
    names = ("q_proj", "k_proj", "v_proj", "out_proj")
    return attention(WIDTH, heads=HEADS, head_dim=head_dim, bias=True, causal=False, names=names)


def _doubled(inputs: int, outputs: int) -> Module:
    """A transposed convolution, which stores its inputs first."""
    turned = convolution(outputs, inputs, 2, 2, bias=False)
    return turned.extend(bias=Tensor((outputs,)))


def _in_turn(widths: Sequence[int]) -> Module:
    pairs = itertools.pairwise(widths)
    return module(layers=stack([linear(inputs, outputs, bias=True) for inputs, outputs in pairs]))

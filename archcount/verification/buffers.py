"""Tensors that published files hold, that are no parameters, and that no config foretells: masks, frequencies, ids."""

from __future__ import annotations

from collections.abc import Callable

Shape = tuple[int, ...]


def _is_mask(shape: Shape) -> bool:
    """One square of positions for every head: [1, 1, n, n]."""
    return len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def _is_number(shape: Shape) -> bool:
    return shape in ((), (1,))


def _is_vector(shape: Shape) -> bool:
    return len(shape) == 1


def _are_positions(shape: Shape) -> bool:
    """[n] or [1, n]."""
    return len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)


def _is_table(shape: Shape) -> bool:
    """A sine or cosine for each position: [n, d], with ones before it."""
    return len(shape) >= 2 and set(shape[:-2]) <= {1}


MASK, NUMBER, FREQUENCIES = "a causal mask", "the number that a mask writes", "frequencies of rotary positions"
POSITIONS, TABLE, VERSION = "position ids", "a table of sines and cosines", "a version or a marker of the writer's"

KNOWN: dict[tuple[str, ...], tuple[Callable[[Shape], bool], str]] = {
    ("attn", "bias"): (_is_mask, MASK),
    ("attention", "bias"): (_is_mask, MASK),
    ("attn", "attention", "bias"): (_is_mask, MASK),
    ("self_attn", "bias"): (_is_mask, MASK),
    ("crossattention", "bias"): (_is_mask, MASK),
    ("attn", "causal_mask"): (_is_mask, MASK),
    ("masked_bias",): (_is_number, NUMBER),
    ("rotary_emb", "inv_freq"): (_is_vector, FREQUENCIES),
    ("rotary_emb", "original_inv_freq"): (_is_vector, FREQUENCIES),
    ("rotary_embeddings", "inv_freq"): (_is_vector, FREQUENCIES),
    ("rotary_pos_emb", "inv_freq"): (_is_vector, FREQUENCIES),
    ("rotary_pos_emb", "freqs"): (_is_vector, FREQUENCIES),
    ("rotary_emb", "freqs"): (_is_vector, FREQUENCIES),
    ("rotary_emb", "scale"): (_is_vector, FREQUENCIES),
    ("rope", "freqs"): (_is_vector, FREQUENCIES),
    ("rope_freqs", "weight"): (_is_vector, FREQUENCIES),
    ("rope_factors_long", "weight"): (_is_vector, FREQUENCIES),
    ("rope_factors_short", "weight"): (_is_vector, FREQUENCIES),
    ("rotary_emb", "cos_cached"): (_is_table, TABLE),
    ("rotary_emb", "sin_cached"): (_is_table, TABLE),
    ("attn", "embed_positions"): (_is_table, TABLE),
    ("position_ids",): (_are_positions, POSITIONS),
    ("token_type_ids",): (_are_positions, "token type ids"),
    ("embed_positions", "_float_tensor"): (_is_number, VERSION),
    ("decoder", "version"): (_is_number, VERSION),
}
"""The last parts of a name, in full, and the shape that tells it from a parameter of that name."""

LONGEST = max(map(len, KNOWN))


def known_buffer(name: str, shape: Shape | None) -> str | None:
    """What the tensor is, or None for one that is no known buffer; `shape` is None where only names are known."""
    parts = tuple(name.rsplit(".", LONGEST)[-LONGEST:])
    for length in range(LONGEST, 0, -1):
        fits, what = KNOWN.get(parts[-length:], (None, ""))
        if fits is not None and (shape is None or fits(shape)):
            return what
    return None

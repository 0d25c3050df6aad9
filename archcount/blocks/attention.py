"""Attention of every head layout: MHA, GQA, MQA, fused or split projections, and DeepSeek's latent form."""

from __future__ import annotations

from ..dim import exact_div
from ..tree import Attends, Cache, Grouped, Module, Node, Per, Role, module
from .linear import Projection, linear
from .norms import rms_norm


def attention(
    width: int,
    *,
    heads: int,
    kv_heads: int | None = None,
    head_dim: int,
    value_dim: int | None = None,
    bias: bool = False,
    key_bias: bool | None = None,
    out_bias: bool | None = None,
    query_norm: Module | None = None,
    key_norm: Module | None = None,
    window: int | None = None,
    positions: str | None = None,
    causal: bool = True,
    source_width: int | None = None,
    names: tuple[str, str, str, str] = ("q_proj", "k_proj", "v_proj", "o_proj"),
    norm_names: tuple[str, str] = ("q_norm", "k_norm"),
    projection: Projection = linear,
    output_width: int | None = None,
    gated: bool = False,
) -> Module:
    """Four matrices: query [heads × head_dim, width], key and value [kv_heads × …, width], output [width, heads × …].

    `bias` is that of query, key and value (`key_bias` where the key differs), `out_bias` the output's (as `bias` if not
    given). `source_width` makes it cross-attention: keys and values are read from the other side, once. `gated` doubles
    the query's rows: the second half is a gate on the output (Qwen3-Next).
    """
    kv_heads, value_dim = kv_heads or heads, value_dim or head_dim
    source, query, key, value, out = source_width or width, *names
    cross = source_width is not None
    children: dict[str, Module | None] = {
        query: projection(width, (2 if gated else 1) * (heads * head_dim), bias=bias),
        key: _grouped(
            projection(source, kv_heads * head_dim, bias=bias if key_bias is None else key_bias),
            kv_heads,
            head_dim,
            cross,
        ),
        value: _grouped(projection(source, kv_heads * value_dim, bias=bias), kv_heads, value_dim, cross),
        out: projection(heads * value_dim, output_width or width, bias=bias if out_bias is None else out_bias),
        norm_names[0]: query_norm,
        norm_names[1]: key_norm,
    }
    attends = Attends(
        heads, head_dim, value_dim, window, causal, cross, positions, _kind(query_norm), kv_heads=kv_heads
    )
    return module(Role.ATTENTION, head_layout(heads, kv_heads), **children).marked(
        cache=kv_cache(kv_heads, head_dim, value_dim, window, cross) if causal or cross else None, attends=attends
    )


def fused_attention(
    width: int,
    *,
    heads: int,
    kv_heads: int | None = None,
    head_dim: int,
    bias: bool = False,
    out_bias: bool | None = None,
    query_norm: Module | None = None,
    key_norm: Module | None = None,
    window: int | None = None,
    positions: str | None = None,
    causal: bool = True,
    names: tuple[str, str] = ("qkv_proj", "o_proj"),
    norm_names: tuple[str, str] = ("q_norm", "k_norm"),
    projection: Projection = linear,
) -> Module:
    """One matrix for query, key and value [(heads + 2 × kv_heads) × head_dim, width]; output [width, heads × …]."""
    kv = kv_heads or heads
    rows = 3 * (heads * head_dim) if kv_heads is None else (heads + 2 * kv) * head_dim
    children: dict[str, Module | None] = {
        names[0]: projection(width, rows, bias=bias).marked(grouped=Grouped(kv, 2 * kv * head_dim)),
        names[1]: projection(heads * head_dim, width, bias=bias if out_bias is None else out_bias),
        norm_names[0]: query_norm,
        norm_names[1]: key_norm,
    }
    attends = Attends(heads, head_dim, head_dim, window, causal, False, positions, _kind(query_norm), kv_heads=kv)
    return module(Role.ATTENTION, head_layout(heads, kv), **children).marked(
        cache=kv_cache(kv, head_dim, head_dim, window, cross=False) if causal else None, attends=attends
    )


def latent_attention(
    width: int,
    *,
    heads: int,
    query_rank: int | None,
    kv_rank: int,
    nope_dim: int,
    rope_dim: int,
    value_dim: int,
    bias: bool = False,
    out_bias: bool | None = None,
    positions: str | None = None,
    out_name: str = "o_proj",
    **more: Node | None,
) -> Module:
    """Multi-head latent attention (DeepSeek-V2, 2024): keys and values rebuilt from one row of kv_rank + rope_dim.

    `bias` is that of the two down-projections (query_a and kv_a), as DeepSeek's `attention_bias` has it. `more` adds
    further children by their checkpoint names.
    """
    query, expanded = heads * (nope_dim + rope_dim), heads * (nope_dim + rope_dim + value_dim)
    return module(
        Role.ATTENTION,
        f"MLA {heads}",
        q_proj=None if query_rank else linear(width, query),
        q_a_proj=linear(width, query_rank, bias=bias) if query_rank else None,
        q_a_layernorm=rms_norm(query_rank) if query_rank else None,
        q_b_proj=linear(query_rank, query) if query_rank else None,
        kv_a_proj_with_mqa=linear(width, kv_rank + rope_dim, bias=bias),
        kv_a_layernorm=rms_norm(kv_rank),
        kv_b_proj=linear(kv_rank, heads * (nope_dim + value_dim)),
        **{out_name: linear(heads * value_dim, width, bias=bias if out_bias is None else out_bias), **more},
    ).marked(
        cache=Cache("latent", per_token=kv_rank + rope_dim, expanded=expanded),
        attends=Attends(heads, nope_dim + rope_dim, value_dim, positions=positions),
    )


def _grouped(projection: Module, heads: int, width: int, cross: bool) -> Module:
    """A projection to keys or to values, of the other side's tokens in cross-attention."""
    return projection.marked(per=Per.SOURCE if cross else None, grouped=Grouped(heads, heads * width))


def _kind(norm: Module | None) -> str | None:
    return norm.kind if norm else None


def head_layout(heads: int, kv_heads: int) -> str:
    """`MHA 32`, `GQA 32/8` or `MQA 32/1`: query heads, then key-value heads.

    Raises ConfigValueError: query heads that do not share out evenly among the key-value heads.
    """
    exact_div(heads, kv_heads)
    if heads == kv_heads:
        return f"MHA {heads}"
    return f"{'MQA' if kv_heads == 1 else 'GQA'} {heads}/{kv_heads}"


def kv_cache(kv_heads: int, key_dim: int, value_dim: int, window: int | None, cross: bool) -> Cache:
    """Elements a layer keeps: a key and a value for each token, or for each source token in cross-attention."""
    row = 2 * kv_heads * key_dim if key_dim == value_dim else kv_heads * (key_dim + value_dim)
    if cross:
        return Cache("cross KV", per_source=row)
    return Cache("KV" if window is None else "sliding KV", per_token=row, window=window)

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
) -> Module:
    """Four matrices: query [heads × head_dim, width], key and value [kv_heads × …, width], output [width, heads × …].

    `bias` is that of query, key and value, `out_bias` the output's (as `bias` if not given). `source_width` makes it
    cross-attention: keys and values are read from the other side, once.
    """
    keys, values, cross = kv_heads or heads, value_dim or head_dim, source_width is not None
    attends = Attends(heads, head_dim, values, window, causal, cross, positions, _kind(query_norm), kv_heads=keys)
    matrices = _projections(attends, width, source_width or width, projection, bias)
    matrices.append(projection(heads * values, width, bias=bias if out_bias is None else out_bias))
    norms = {norm_names[0]: query_norm, norm_names[1]: key_norm}
    return attending(attends, **dict(zip(names, matrices, strict=True)), **norms)


def attending(attends: Attends, **children: Node | None) -> Module:
    """Attention made of `children`, by their checkpoint names: what it costs, and what it keeps of a sequence.

    Raises ConfigValueError: query heads that do not share out evenly among the key-value heads.
    """
    heads, cross = attends.kv_heads or attends.heads, attends.cross
    cache = kv_cache(heads, attends.key_width, attends.value_width, attends.window, cross)
    return module(Role.ATTENTION, head_layout(attends.heads, heads), **children).marked(
        cache=cache if attends.causal or cross else None, attends=attends
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
    return attending(attends, **children)


def without_key_bias(attention: Module) -> Module:
    """The same attention, whose keys alone have no bias: to each query one would add the same score everywhere."""
    keys = dict(attention.children)["k_proj"]
    return attention.replacing(k_proj=keys.replacing(bias=None)) if isinstance(keys, Module) else attention


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
    positions: str | None = None,
    out_name: str = "o_proj",
    **more: Node | None,
) -> Module:
    """Multi-head latent attention (DeepSeek-V2, 2024): keys and values rebuilt from one row of kv_rank + rope_dim.

    `bias` is that of the down-projections and the output, as DeepSeek's `attention_bias` has it. `more` adds further
    children by their checkpoint names.
    """
    key_dim = nope_dim + rope_dim
    children = {
        **_latent_query(width, query_rank, heads * key_dim, bias),
        "kv_a_proj_with_mqa": linear(width, kv_rank + rope_dim, bias=bias),
        "kv_a_layernorm": rms_norm(kv_rank),
        "kv_b_proj": linear(kv_rank, heads * (nope_dim + value_dim)),
        out_name: linear(heads * value_dim, width, bias=bias),
    }
    cache = Cache("latent", per_token=kv_rank + rope_dim, expanded=heads * (nope_dim + rope_dim + value_dim))
    attends = Attends(heads, key_dim, value_dim, positions=positions)
    return module(Role.ATTENTION, f"MLA {heads}", **children, **more).marked(cache=cache, attends=attends)


def _latent_query(width: int, rank: int | None, rows: int, bias: bool) -> dict[str, Module]:
    """The query's one matrix, or two with a norm where it has a rank."""
    if rank is None:
        return {"q_proj": linear(width, rows)}
    down, up = linear(width, rank, bias=bias), linear(rank, rows)
    return {"q_a_proj": down, "q_a_layernorm": rms_norm(rank), "q_b_proj": up}


def _projections(attends: Attends, width: int, source: int, projection: Projection, bias: bool) -> list[Module]:
    """Query, key and value; keys and values read what is `source` wide."""
    heads = attends.kv_heads or attends.heads
    query = projection(width, attends.heads * attends.key_width, bias=bias)
    kept = [(projection(source, heads * each, bias=bias), each) for each in (attends.key_width, attends.value_width)]
    return [query, *(_grouped(matrix, heads, each, attends.cross) for matrix, each in kept)]


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

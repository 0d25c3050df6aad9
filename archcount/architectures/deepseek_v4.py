"""DeepSeek-V4: one key-value head, older tokens pooled and some chosen by an indexer; several residual streams.

Longer than most: three kinds of attention over pooled tokens stand in no other family.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    embedding,
    gated_mlp,
    hyper_connection,
    linear,
    lm_head,
    mixture,
    rms_norm,
    routed_experts,
    router,
)
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import SLIDING, layer_kinds, stack_of
from ..tree import Attends, Cache, Module, Role, Storage, Tensor, Use, module, repeat, tied

POOLED, CHOSEN = "heavily_compressed_attention", "compressed_sparse_attention"
HASHED, SCORED = "hash_moe", "moe"
KIND_OF_RATIO = {0: SLIDING, 4: CHOSEN, 128: POOLED}
GATED = ("w1", "w3", "w2")
SPELLINGS = {"": "model.", "embed.": "model.embed_tokens.", "hc_head_": "model.hc_head.hc_"}
"""How the published files name what transformers saves under other names."""


class CompressRates(Schema):
    heavily_compressed_attention: Count = 128
    compressed_sparse_attention: Count = 4


class DeepseekV4Config(ModelConfig, Rotary):
    vocab_size: Size = 129280
    hidden_size: Size = 4096
    moe_intermediate_size: Size = 2048
    num_hidden_layers: Count = 43
    num_attention_heads: Count = 64
    head_dim: Size = 512
    q_lora_rank: Size = 1024
    o_groups: Count = 8
    o_lora_rank: Size = 1024
    sliding_window: Count = 128
    layer_types: list[str] | None = None
    compress_ratios: list[CountOrZero] | None = None
    compress_rates: CompressRates = CompressRates()
    compress_rate_csa: Count | None = None
    compress_rate_hca: Count | None = None
    index_n_heads: Count = 64
    index_head_dim: Size = 128
    index_topk: Count = 512
    hc_mult: Count = 4
    num_experts_per_tok: Count = 6
    n_routed_experts: Count = 256
    mlp_layer_types: list[str] | None = None
    num_hash_layers: CountOrZero = 3
    mlp_bias: bool = False
    hidden_act: str = "silu"
    num_nextn_predict_layers: CountOrZero = 1
    dspark_block_size: CountOrZero = 0
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "n_routed_experts",
        "intermediate_size": "moe_intermediate_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"num_key_value_heads", "n_shared_experts", "qk_rope_head_dim", "hc_sinkhorn_iters"}
    )


@architecture("deepseek_v4", config=DeepseekV4Config, spellings=SPELLINGS)
def deepseek_v4(config: DeepseekV4Config) -> Module:
    hidden, vocab, streams = config.hidden_size, config.vocab_size, config.hc_mult
    kinds = zip(_attention_kinds(config), _mlp_kinds(config), strict=True)
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=stack_of(kinds, lambda kind: _layer(config, *kind)),
        norm=rms_norm(hidden),
        hc_head=module(**hyper_connection(hidden, streams, streams, 1, ("hc_fn", "hc_base", "hc_scale"))),
    )
    whole = causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings, head="head")
    # With DSpark the files hold other layers in their place, and how many no key says for certain: not counted.
    ahead = 0 if config.dspark_block_size else config.num_nextn_predict_layers
    return whole.extend(mtp=repeat(ahead, _look_ahead(config)) if ahead else None)


def _layer(config: DeepseekV4Config, attends: str, mlp: str) -> Module:
    hidden, streams = config.hidden_size, config.hc_mult
    mixes = (2 + streams) * streams
    return module(
        None,
        "pre-norm",
        attn=_attention(config, attends),
        ffn=_experts(config, mlp),
        attn_norm=rms_norm(hidden),
        ffn_norm=rms_norm(hidden),
        **hyper_connection(hidden, streams, mixes, 3, ("hc_attn_fn", "hc_attn_base", "hc_attn_scale")),
        **hyper_connection(hidden, streams, mixes, 3, ("hc_ffn_fn", "hc_ffn_base", "hc_ffn_scale")),
    )


def _look_ahead(config: DeepseekV4Config) -> Module:
    """A layer with a window alone that predicts a further token; it reads the model's table and head.

    Of the published files only those of the base model hold the two again (`mtp.0.emb.tok_emb`, `mtp.0.head`).
    """
    hidden, streams, names = config.hidden_size, config.hc_mult, ("hc_head_fn", "hc_head_base", "hc_head_scale")
    return (
        _layer(config, SLIDING, SCORED)
        .marked(section="mtp")
        .extend(
            emb=module(tok_emb=tied(embedding(config.vocab_size, hidden), "model.embed_tokens")),
            enorm=rms_norm(hidden),
            hnorm=rms_norm(hidden),
            e_proj=linear(hidden, hidden),
            h_proj=linear(hidden, hidden),
            norm=rms_norm(hidden),
            head=tied(lm_head(hidden, config.vocab_size), "head"),
            **hyper_connection(hidden, streams, streams, 1, names),
        )
    )


def _attention_kinds(config: DeepseekV4Config) -> list[str]:
    """As `layer_types` says, or `compress_ratios`; what either lists past the last layer is another part's."""
    layers, given, ratios = config.num_hidden_layers, config.layer_types, config.compress_ratios
    if given is None and ratios is not None:
        for index, ratio in enumerate(ratios):
            if ratio not in KIND_OF_RATIO:
                raise ConfigValueError(f"compress_ratios[{index}] is {int(ratio)}: should be one of 0, 4, 128")
        given = [KIND_OF_RATIO[ratio] for ratio in ratios]
    known = (SLIDING, CHOSEN, POOLED)
    return layer_kinds(
        layers, given and given[:layers], lambda index: CHOSEN if index > 1 and index % 2 else POOLED, known=known
    )


def _mlp_kinds(config: DeepseekV4Config) -> list[str]:
    layers, given = config.num_hidden_layers, config.mlp_layer_types

    def hashed_first(index: int) -> str:
        return HASHED if index < config.num_hash_layers else SCORED

    return layer_kinds(layers, given and given[:layers], hashed_first, known=(HASHED, SCORED), key="mlp_layer_types")


def _attention(config: DeepseekV4Config, kind: str) -> Module:
    """Queries of many heads, one row of `head_dim` as key and value, outputs in groups of low rank; a learned sink."""
    hidden, heads, head_dim, rank = config.hidden_size, config.num_attention_heads, config.head_dim, config.q_lora_rank
    outputs = config.o_groups * config.o_lora_rank
    return module(
        Role.ATTENTION,
        f"MQA {heads}/1",
        wq_a=linear(hidden, rank),
        q_norm=rms_norm(rank),
        wq_b=linear(rank, heads * head_dim),
        wkv=linear(hidden, head_dim),
        norm=rms_norm(head_dim),
        wo_a=linear(exact_div(heads * head_dim, config.o_groups), outputs),
        wo_b=linear(outputs, hidden),
        attn_sink=Tensor((heads,), dtype="float32"),
        compressor=None if kind == SLIDING else _compressor(config, kind),
        indexer=_indexer(config) if kind == CHOSEN else None,
    ).marked(
        cache=Cache("shared KV", per_token=head_dim, window=config.sliding_window),
        attends=Attends(heads, head_dim, head_dim, config.sliding_window, positions=config.rope),
    )


def _compressor(config: DeepseekV4Config, kind: str) -> Module:
    """Pools every few tokens into one row that stays; two overlapping sets of weights where an indexer chooses."""
    heads, head_dim, every = config.num_attention_heads, config.head_dim, _rate(config, kind)
    chosen = config.index_topk if kind == CHOSEN else None
    pooled = _pool(config.hidden_size, head_dim, every, sets=1 if kind == POOLED else 2)
    return pooled.marked(
        cache=Cache("pooled KV", per_token=head_dim, every=every),
        attends=Attends(heads, head_dim, head_dim, chosen=chosen, every=every),
    )


def _indexer(config: DeepseekV4Config) -> Module:
    heads, head_dim, every = config.index_n_heads, config.index_head_dim, _rate(config, CHOSEN)
    return module(
        None,
        f"indexer {heads}",
        wq_b=linear(config.q_lora_rank, heads * head_dim),
        weights_proj=linear(config.hidden_size, heads),
        compressor=_pool(config.hidden_size, head_dim, every, sets=2),
    ).marked(cache=Cache("indexer", per_token=head_dim, every=every), attends=Attends(heads, head_dim, 0, every=every))


def _pool(width: int, head_dim: int, every: int, *, sets: int) -> Module:
    inner = head_dim if sets == 1 else sets * head_dim
    return module(
        wkv=linear(width, inner),
        wgate=linear(width, inner),
        norm=rms_norm(head_dim),
        ape=Tensor((every, inner), Use.OTHER, dtype="float32"),
    )


def _rate(config: DeepseekV4Config, kind: str) -> int:
    if kind == CHOSEN:
        return config.compress_rate_csa or config.compress_rates.compressed_sparse_attention
    return config.compress_rate_hca or config.compress_rates.heavily_compressed_attention


def _experts(config: DeepseekV4Config, kind: str) -> Module:
    """Experts chosen by score, or in the first layers by a fixed table from token to experts."""
    hidden, inner, active = config.hidden_size, config.moe_intermediate_size, config.num_experts_per_tok
    experts, act = config.n_routed_experts, config.hidden_act
    table = Tensor((config.vocab_size, active), Use.LOOKUP, Storage.BUFFER, dtype="int64")
    scored = router(hidden, experts, correction="bias")
    return mixture(
        experts,
        active,
        gate=scored if kind == SCORED else router(hidden, experts).extend(tid2eid=table),
        experts=routed_experts(hidden, inner, experts=experts, active=active, activation=act, names=GATED),
        shared_experts=gated_mlp(hidden, inner, bias=config.mlp_bias, activation=act, names=GATED),
    )

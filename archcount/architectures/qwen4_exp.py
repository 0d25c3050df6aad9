"""Qwen4's experiment: Qwen3-Next's mixers, several residual streams, indexed attention, tables of word groups.

Longer than most: residual streams, indexed attention and tables of word groups stand in no other family.
"""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from typing import ClassVar

from ..blocks import causal_convolution, embedding, linear, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..dim import exact_div, round_up
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..schedules import LINEAR, layer_kinds, stack_of
from ..tree import Attends, Cache, Module, Role, Storage, Tensor, Use, module, repeat
from .qwen3_next import DeltaNetConfig, ExpertKeys, delta_net, experts, gated_attention
from .towers.pictures import QWEN_IMAGES
from .towers.qwen3_vl import Qwen3VisionConfig, qwen3_vision

INDEXED, FORMERLY = "indexed_attention", "full_attention"


class Qwen4ExpTextConfig(DeltaNetConfig, ExpertKeys):
    vocab_size: Size = 248320
    hidden_size: Size = 2048
    num_hidden_layers: Count = 40
    num_key_value_heads: Count = 2
    num_experts_per_tok: Count = 10
    num_experts: Count = 512
    tie_word_embeddings: bool = False
    hc_count: Count = 4
    hc_lowrank: Size = 320
    ple_layer_ids: list[Count] | None = None
    ple_embed_dim: Size | None = None
    ple_conv_kernel_size: Count = 4
    ngram_size: Count = 3
    heads_per_ngram: Count = 8
    ngram_vocab_size_base: Size = 20000000
    make_ngram_vocab_size_divisible_by: Count = 128
    split_ngram_parts: Count = 512
    indexer_n_heads: Count | None = None
    indexer_kv_heads: Count | None = None
    indexer_head_dim: Size | None = None
    indexer_budget: Count | None = None
    indexer_compress_ratio: Count | None = None
    mtp_num_hidden_layers: CountOrZero = 0
    ignored: ClassVar[frozenset[str]] = frozenset({"number_of_conv_states"})


@architecture("qwen4_exp_text", config=Qwen4ExpTextConfig)
def qwen4_exp_text(config: Qwen4ExpTextConfig) -> Module:
    hidden, layers, vocab = config.hidden_size, config.num_hidden_layers, config.vocab_size
    with_tables = sorted(set(config.ple_layer_ids or ()))
    tables = [with_tables.index(index + 1) if index + 1 in with_tables else None for index in range(layers)]
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=stack_of(zip(_kinds(config), tables, strict=True), lambda kind: _layer(config, *kind)),
        hyper_connection_mixer=_gated_residual(config, injects=False),
    )
    whole = causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)
    return whole.extend(mtp=_look_ahead(config) if config.mtp_num_hidden_layers else None)


def _layer(config: Qwen4ExpTextConfig, mixer: str, table: int | None = None) -> Module:
    mixers = {"linear_attn": delta_net(config)} if mixer == LINEAR else {"self_attn": _attention(config)}
    return module(
        None,
        "pre-norm",
        **mixers,
        mlp=experts(config, config.hidden_size, config.hidden_act),
        ple=None if table is None else _group_layer(config, table),
        attn_hyper_connection=_gated_residual(config),
        mlp_hyper_connection=_gated_residual(config),
    )


def _look_ahead(config: Qwen4ExpTextConfig) -> Module:
    """Attending layers that predict a token further, from all streams; they share the model's table and head."""
    hidden = config.hidden_size
    return module(
        fc_embedding=linear(hidden, hidden),
        fc_hidden=linear(hidden, hidden),
        pre_fc_norm_embedding=rms_norm(hidden),
        pre_fc_norm_hidden=rms_norm(config.hc_count * hidden),
        layers=repeat(config.mtp_num_hidden_layers, _layer(config, INDEXED)),
        hyper_connection_mixer=_gated_residual(config, injects=False),
    ).marked(section="mtp")


def _kinds(config: Qwen4ExpTextConfig) -> list[str]:
    given = config.layer_types and [INDEXED if kind == FORMERLY else kind for kind in config.layer_types]

    def derived(index: int) -> str:
        return LINEAR if (index + 1) % config.full_attention_interval else INDEXED

    return layer_kinds(config.num_hidden_layers, given, derived, known=(LINEAR, INDEXED))


def _gated_residual(config: Qwen4ExpTextConfig, *, injects: bool = True) -> Module:
    """What a part reads of the residual streams, and which of them it writes to."""
    width, rank = config.hc_count * config.hidden_size, config.hc_lowrank
    return module(
        hc_norm=rms_norm(width),
        input_mix_weight_down=linear(width, rank),
        input_mix_weight_up=linear(rank, width),
        block_inject_weight=linear(width, config.hc_count) if injects else None,
    )


def _attention(config: Qwen4ExpTextConfig) -> Module:
    """Gated attention to the tokens in the blocks that an indexer chose."""
    heads, kv_heads, head_dim = config.indexer_n_heads, config.indexer_kv_heads, config.indexer_head_dim
    budget, ratio, attention = config.indexer_budget, config.indexer_compress_ratio, gated_attention(config)
    if heads is None or kv_heads is None or head_dim is None or budget is None or ratio is None:
        keys = "indexer_n_heads, indexer_kv_heads, indexer_head_dim, indexer_budget and indexer_compress_ratio"
        raise ConfigValueError(f"layers with indexed attention need {keys}, which have no default: give all five")
    indexer = module(
        Role.ATTENTION,
        f"indexer {heads}",
        index_qk_proj=linear(config.hidden_size, (heads + kv_heads) * head_dim),
        q_layernorm=rms_norm(head_dim),
        k_layernorm=rms_norm(head_dim),
    ).marked(
        cache=Cache("indexer", per_token=kv_heads * head_dim),
        attends=Attends(heads, head_dim, 0, every=ratio),
    )
    chosen = None if attention.attends is None else replace(attention.attends, chosen=budget)
    return attention.marked(attends=chosen).extend(indexer=indexer)


def _group_layer(config: Qwen4ExpTextConfig, index: int) -> Module:
    """Looks up the last tokens, taken together, in tables of their own, and adds what it finds to every stream."""
    hidden, width = config.hidden_size, config.hc_count * config.hidden_size
    found, kernel = config.ple_embed_dim or hidden, config.ple_conv_kernel_size
    kept = Cache("conv state", fixed=width * (kernel - 1) * config.ngram_size)
    return module(
        ple_embedding=_group_tables(config, found, index),
        key_proj=linear(found, width),
        value_proj=linear(found, hidden),
        norm_query=rms_norm(width),
        norm_key=rms_norm(width),
        norm_conv=rms_norm(width),
        conv1d=causal_convolution(width, kernel).marked(cache=kept),
    )


def _group_tables(config: Qwen4ExpTextConfig, found: int, index: int) -> Module:
    """One table whose heads are each a prime number of rows high, stored in parts; its hashes stand beside it."""
    heads = (config.ngram_size - 1) * config.heads_per_ngram
    if heads == 0:
        raise ConfigValueError(f"ngram_size is {int(config.ngram_size)}: tables of word groups need at least 2")
    heights = _primes_from(config.ngram_vocab_size_base, heads * (index + 1))[heads * index :]
    rows = round_up(sum(heights), config.make_ngram_vocab_size_divisible_by)
    part = -(-rows // config.split_ngram_parts)
    sizes = [min(part, rows - start) for start in range(0, rows, part)]
    shards = {size: embedding(size, exact_div(found, heads)) for size in dict.fromkeys(sizes)}
    numbers = {"layer_multipliers": config.ngram_size, "ngram_heads_vocab_sizes": heads, "ngram_heads_offsets": heads}
    return module(
        **{name: Tensor((count,), Use.OTHER, Storage.BUFFER, dtype="int64") for name, count in numbers.items()},
        ngram_embedding=module(**{f"shard_{index}": shards[size] for index, size in enumerate(sizes)}),
    )


def _primes_from(least: int, count: int) -> list[int]:
    """The first `count` primes from `least` on, sieved in a stretch that doubles until it holds enough."""
    start, stretch = max(int(least), 2), 32 * int(count)
    while True:
        is_prime = bytearray(b"\x01") * stretch
        for divisor in range(2, isqrt(start + stretch) + 1):
            first = max(divisor * divisor, -(-start // divisor) * divisor) - start
            is_prime[first::divisor] = bytes(len(range(first, stretch, divisor)))
        found = [start + offset for offset, prime in enumerate(is_prime) if prime]
        if len(found) >= count:
            return found[:count]
        stretch *= 2


class Qwen4ExpConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen4_exp_text")
    vision_config: Qwen3VisionConfig = Qwen3VisionConfig()
    tie_word_embeddings: bool = False


@architecture("qwen4_exp", config=Qwen4ExpConfig, images=QWEN_IMAGES)
def qwen4_exp(config: Qwen4ExpConfig) -> Module:
    """With Qwen3.5's eyes."""
    parts = {"visual": qwen3_vision(config.vision_config)}
    return with_language_beside(config, config.text_config, parts, tie=config.tie_word_embeddings)

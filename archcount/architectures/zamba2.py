"""Zamba2: Mamba-2 layers, and a few transformer blocks entered in turn, with an adapter for each entry."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, fused_gated_mlp, linear, mamba2, rms_norm
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import HYBRID, LINEAR, layer_kinds, renewed
from ..tree import Module, Stack, module, stack, tied

ENTERED = frozenset((6, 12, 18, 24, 30, 36, 42, 47, 51))  # of the class's own 54 layers


class Zamba2Config(ModelConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 2560
    intermediate_size: Size | None = None
    num_hidden_layers: Count = 54
    layers_block_type: list[str] | None = None
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    attention_hidden_size: Size | None = None
    attention_head_dim: Size | None = None
    hidden_act: str = "gelu"
    mamba_d_state: Size = 64
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_ngroups: Count = 1
    n_mamba_heads: Count = 8
    add_bias_linear: bool = False
    num_mem_blocks: Count = 1
    use_shared_attention_adapter: bool = False
    adapter_rank: Size = 128
    use_mem_rope: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"layer_types": "layers_block_type", "head_dim": "attention_head_dim"}
    ignored: ClassVar[frozenset[str]] = frozenset({"chunk_size", "kv_channels", "mamba_headdim", "num_query_groups"})


@architecture("zamba2", config=Zamba2Config)
def zamba2(config: Zamba2Config) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    given = renewed(config.layers_block_type) or [HYBRID if index in ENTERED else LINEAR for index in range(54)]
    known, key = (LINEAR, HYBRID), "layers_block_type"
    kinds = layer_kinds(config.num_hidden_layers, given, str, known=known, key=key)
    entries = [index for index, kind in enumerate(kinds) if kind == HYBRID]
    state_space = module(None, "pre-norm", mamba=_state_space(config), input_layernorm=rms_norm(hidden))

    def hybrid(index: int) -> Module:
        entry = entries.index(index)
        owner = entries[entry % config.num_mem_blocks]
        block = _shared_block(config, entry, len(entries))
        # The class ties the head and the shared blocks by the one flag; without it each place has a block of its own.
        if config.tie_word_embeddings and owner != index:
            block = tied(block, f"model.layers.{owner}.shared_transformer")
        return module(shared_transformer=block, linear=linear(hidden, hidden), mamba_decoder=state_space)

    layers = stack([state_space if kind == LINEAR else hybrid(index) for index, kind in enumerate(kinds)])
    model = module(embed_tokens=embedding(vocab, hidden), layers=layers, final_layernorm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def _shared_block(config: Zamba2Config, entry: int, entries: int) -> Module:
    """One of `num_mem_blocks` transformer blocks; attention reads the layer's input beside the embedding."""
    hidden, heads, inner = config.hidden_size, config.num_attention_heads, config.intermediate_size
    joined = config.attention_hidden_size or 2 * hidden
    head_dim = config.attention_head_dim or 2 * hidden // heads
    self_attn = attention(
        joined,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        positions=config.rope if config.use_mem_rope else None,
    ).replacing(o_proj=linear(heads * head_dim, hidden))
    if config.use_shared_attention_adapter:
        adapters = _adapters(config, joined, joined, entry, entries)
        self_attn = self_attn.extend(**{f"linear_{letter}_adapter_list": adapters for letter in "qkv"})
    inner = inner or 4 * hidden
    feed_forward = fused_gated_mlp(hidden, inner, bias=config.add_bias_linear, activation=config.hidden_act)
    return module(
        None,
        "pre-norm",
        self_attn=self_attn,
        feed_forward=feed_forward.extend(
            gate_up_proj_adapter_list=_adapters(config, hidden, 2 * inner, entry, entries)
        ),
        input_layernorm=rms_norm(joined),
        pre_ff_layernorm=rms_norm(hidden),
    )


def _adapters(config: Zamba2Config, width: int, outputs: int, entry: int, entries: int) -> Stack:
    """Low-rank adapters of one block, numbered by entry; of those stored at an entry, its own alone is applied."""
    rank, blocks = config.adapter_rank, config.num_mem_blocks
    adapter = module(**{"0": linear(width, rank), "1": linear(rank, outputs)})
    applied, stored = adapter.marked(uses=1), adapter.marked(uses=0)
    mine = [applied if other == entry else stored for other in range(entries)]
    return stack([each if other % blocks == entry % blocks else None for other, each in enumerate(mine)])


def _state_space(config: Zamba2Config) -> Module:
    return mamba2(
        config.hidden_size,
        inner=config.mamba_expand * config.hidden_size,
        heads=config.n_mamba_heads,
        state=config.mamba_d_state,
        groups=config.mamba_ngroups,
        kernel=config.mamba_d_conv,
        bias=config.add_bias_linear,
    )

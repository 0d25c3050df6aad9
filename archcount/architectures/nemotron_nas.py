"""Nemotron NAS (Llama-Nemotron Super and Ultra): found by search, each block with its own heads and width, or none."""

from __future__ import annotations

from typing import Any

from ..blocks import attention, embedding, gated_mlp, linear, rms_norm
from ..config import Count, Factor, ModelConfig, Schema, Size
from ..dim import exact_div, round_up
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import checked_length
from ..tree import Module, Role, module, stack


class AttentionBlock(Schema):
    no_op: bool = False
    replace_with_linear: bool = False
    n_heads_in_group: Count | None = None
    window_length: Size | None = None
    sparsify: Any = None
    num_sink_tokens: int | None = None
    unshifted_sink: bool = False
    use_prefill_window_in_sink_attention: bool = False


class FeedForwardBlock(Schema):
    no_op: bool = False
    replace_with_linear: bool = False
    ffn_mult: Factor | None = None
    intermediate_size: Size | None = None
    sparsify: Any = None


class BlockConfig(Schema):
    attention: AttentionBlock
    ffn: FeedForwardBlock


class NemotronNasConfig(ModelConfig, Rotary):
    vocab_size: Size = 128256
    hidden_size: Size
    num_hidden_layers: Count
    num_attention_heads: Count
    block_configs: list[BlockConfig]
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "silu"
    tie_word_embeddings: bool = False


@architecture("nemotron-nas", config=NemotronNasConfig)
def nemotron_nas(config: NemotronNasConfig) -> Module:
    hidden = config.hidden_size
    blocks = checked_length(config.block_configs, config.num_hidden_layers, "block_configs")
    layers = [layer(config, block, f"block_configs[{index}]") for index, block in enumerate(blocks)]
    model = module(embed_tokens=embedding(config.vocab_size, hidden), layers=stack(layers), norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=config.tie_word_embeddings)


def layer(config: NemotronNasConfig, block: BlockConfig, where: str) -> Module:
    """A block with the two parts it keeps; a part that is left out takes its norm with it."""
    attends, feeds = not block.attention.no_op, not block.ffn.no_op
    return module(
        None,
        "pre-norm",
        input_layernorm=rms_norm(config.hidden_size) if attends else None,
        self_attn=attention_part(config, block.attention, where) if attends else None,
        post_attention_layernorm=rms_norm(config.hidden_size) if feeds else None,
        mlp=mlp_part(config, block.ffn, where) if feeds else None,
    )


def attention_part(config: NemotronNasConfig, block: AttentionBlock, where: str) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    if block.replace_with_linear:
        return module(Role.ATTENTION, linear_attn=linear(hidden, hidden))
    if block.n_heads_in_group is None:
        raise ConfigValueError(
            f"{where}.attention.n_heads_in_group is missing: give it, or no_op or replace_with_linear"
        )
    return attention(
        hidden,
        heads=heads,
        kv_heads=exact_div(heads, block.n_heads_in_group),
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        window=block.window_length,
        positions=config.rope,
    )


def mlp_part(config: NemotronNasConfig, block: FeedForwardBlock, where: str) -> Module:
    hidden = config.hidden_size
    if block.replace_with_linear:
        return module(Role.MLP, linear_mlp=linear(hidden, hidden))
    if block.intermediate_size is None and block.ffn_mult is None:
        raise ConfigValueError(f"{where}.ffn.ffn_mult is missing: give it, or no_op or replace_with_linear")
    inner = block.intermediate_size or round_up(int(2 * (block.ffn_mult or 0) * hidden / 3), 256)
    return gated_mlp(hidden, inner, bias=config.mlp_bias, activation=config.hidden_act)

"""Qwen (the first): GPT-2's names, a bias on query, key and value, and a config that states twice the MLP's width."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fused_attention, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class QwenConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 4096
    intermediate_size: Size = 22016
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    kv_channels: Size = 128
    no_bias: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "n_embd": "hidden_size",
        "ffn_hidden_size": "intermediate_size",
        "n_layer": "num_hidden_layers",
        "n_head": "num_attention_heads",
        "rotary_emb_base": "rope_theta",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_positions", "padded_vocab_size"})


@architecture("qwen", config=QwenConfig)
def qwen(config: QwenConfig) -> Module:
    hidden, bias = config.hidden_size, not config.no_bias
    each = exact_div(config.intermediate_size, 2)  # the config counts the gate and the up-projection together
    layer = module(
        None,
        "pre-norm",
        ln_1=rms_norm(hidden),
        attn=fused_attention(
            hidden,
            heads=config.num_attention_heads,
            head_dim=config.kv_channels,
            bias=True,
            out_bias=bias,
            positions=config.rope,
            names=("c_attn", "c_proj"),
        ),
        ln_2=rms_norm(hidden),
        mlp=gated_mlp(hidden, each, bias=bias, names=("w2", "w1", "c_proj")),
    )
    model = module(
        wte=embedding(config.vocab_size, hidden),
        h=repeat(config.num_hidden_layers, layer),
        ln_f=rms_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, base="transformer", table="wte")

"""InternLM2: Llama's layer with query, key and value in one matrix, under Meta's names."""

from __future__ import annotations

from ..blocks import embedding, fused_attention, gated_mlp, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .llama import LlamaConfig


class InternLm2Config(LlamaConfig):
    vocab_size: Size = 103168
    num_key_value_heads: Count | None = None
    bias: bool = True


@architecture("internlm2", config=InternLm2Config)
def internlm2(config: InternLm2Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = module(
        None,
        "pre-norm",
        attention=fused_attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads or heads,
            head_dim=exact_div(hidden, heads),
            bias=config.bias,
            positions=config.rope,
            names=("wqkv", "wo"),
        ),
        feed_forward=gated_mlp(
            hidden, config.intermediate_size, activation=config.hidden_act, names=("w1", "w3", "w2")
        ),
        attention_norm=rms_norm(hidden),
        ffn_norm=rms_norm(hidden),
    )
    model = module(
        tok_embeddings=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, layer),
        norm=rms_norm(hidden),
    )
    tie, table = config.tie_word_embeddings, "tok_embeddings"
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, table=table, head="output")

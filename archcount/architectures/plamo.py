"""PLaMo: attention and MLP side by side on one norm, and a key-value head for every few query heads."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import ceil_div, exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat


class PlamoConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 13312
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    n_shared_head: Count = 8


@architecture("plamo", config=PlamoConfig)
def plamo(config: PlamoConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = module(
        None,
        "parallel",
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=ceil_div(heads, config.n_shared_head),
            head_dim=exact_div(hidden, heads),
            positions=config.rope,
        ),
        mlp=gated_mlp(hidden, config.intermediate_size),
        norm=rms_norm(hidden),
    )
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=module(layers=repeat(config.num_hidden_layers, layer)),
        norm=rms_norm(hidden),
    )
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=config.tie_word_embeddings)

"""TeleChat: query apart, key and value together, BLOOM's names, and a tied head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, gated_mlp, layer_norm, linear, rms_norm
from ..blocks.attention import head_layout, kv_cache
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Attends, Module, Role, module, repeat


class TelechatConfig(ModelConfig, Rotary):
    vocab_size: Size = 160256
    hidden_size: Size = 4096
    ffn_hidden_size: Size = 12288
    n_layer: Count = 30
    n_head: Count = 32
    num_key_value_heads: Count | None = None
    embed_layernorm: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}


@architecture("telechat", config=TelechatConfig)
def telechat(config: TelechatConfig) -> Module:
    hidden, heads = config.hidden_size, config.n_head
    kv_heads, head_dim = config.num_key_value_heads or heads, exact_div(hidden, heads)
    self_attention = module(
        Role.ATTENTION,
        head_layout(heads, kv_heads),
        query=linear(hidden, heads * head_dim),
        key_value=linear(hidden, 2 * kv_heads * head_dim),
        dense=linear(hidden, hidden, bias=True),
    ).marked(
        cache=kv_cache(kv_heads, head_dim, head_dim, None, cross=False),
        attends=Attends(heads, head_dim, head_dim, positions=config.rope),
    )
    down = linear(config.ffn_hidden_size, hidden, bias=True)  # the only bias of the MLP
    layer = module(
        None,
        "pre-norm",
        input_layernorm=rms_norm(hidden),
        self_attention=self_attention,
        post_attention_layernorm=rms_norm(hidden),
        mlp=gated_mlp(hidden, config.ffn_hidden_size).replacing(down_proj=down),
    )
    model = module(
        word_embeddings=embedding(config.vocab_size, hidden),
        word_embeddings_layernorm=layer_norm(hidden) if config.embed_layernorm else None,
        h=repeat(config.n_layer, layer),
        ln_f=rms_norm(hidden),
    )
    tie, table = config.tie_word_embeddings, "word_embeddings"
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, base="transformer", table=table)

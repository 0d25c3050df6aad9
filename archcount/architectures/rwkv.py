"""RWKV-4: a recurrence in the place of attention, and a gated MLP that looks one token back."""

from __future__ import annotations

from ..blocks import embedding, layer_norm, receptance_attention, receptance_mlp
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, stack


class RwkvConfig(ModelConfig):
    vocab_size: Size = 50277
    hidden_size: Size = 4096
    num_hidden_layers: Count = 32
    attention_hidden_size: Size | None = None
    intermediate_size: Size | None = None
    tie_word_embeddings: bool = False


@architecture("rwkv", config=RwkvConfig)
def rwkv(config: RwkvConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    block = module(
        None,
        "pre-norm",
        ln1=layer_norm(hidden),
        ln2=layer_norm(hidden),
        attention=receptance_attention(hidden, config.attention_hidden_size or hidden),
        feed_forward=receptance_mlp(hidden, config.intermediate_size or 4 * hidden),
    )
    first = block.prepend(pre_ln=layer_norm(hidden))
    model = module(
        embeddings=embedding(vocab, hidden),
        blocks=stack([first] + [block] * (config.num_hidden_layers - 1)),
        ln_out=layer_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, base="rwkv", table="embeddings", head="head")

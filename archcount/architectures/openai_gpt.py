"""The first GPT (2018): GPT-2 with each norm after its part, and none at the end."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import conv1d, embedding, layer_norm, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .gpt2 import conv_attention


class OpenAIGptConfig(ModelConfig):
    vocab_size: Size = 40478
    n_positions: Size = 512
    n_embd: Size = 768
    n_layer: Count = 12
    n_head: Count = 12
    afn: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_ctx", "n_special"})


@architecture("openai-gpt", config=OpenAIGptConfig, spellings={"": "transformer."})
def openai_gpt(config: OpenAIGptConfig) -> Module:
    width, heads, vocab = config.n_embd, config.n_head, config.vocab_size
    layer = module(
        None,
        "post-norm",
        attn=conv_attention(width, heads),
        ln_1=layer_norm(width),
        mlp=mlp(width, 4 * width, activation=config.afn, names=("c_fc", "c_proj"), projection=conv1d),
        ln_2=layer_norm(width),
    )
    model = module(
        tokens_embed=embedding(vocab, width),
        positions_embed=position_embedding(config.n_positions, width),
        h=repeat(config.n_layer, layer),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=tie, base="transformer", table="tokens_embed")

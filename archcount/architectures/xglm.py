"""XGLM: fairseq's decoder with the norms before each part and sinusoidal positions that no file holds."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from ..blocks import embedding, fairseq_attention, fairseq_layer, layer_norm
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class XglmConfig(ModelConfig):
    vocab_size: Size = 256008
    d_model: Size = 1024
    ffn_dim: Size = 4096
    num_layers: Count = 24
    attention_heads: Count = 16
    activation_function: str = "gelu"
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "attention_heads",
        "num_hidden_layers": "num_layers",
    }


@architecture("xglm", config=XglmConfig)
def xglm(config: XglmConfig) -> Module:
    width, vocab = config.d_model, config.vocab_size
    attend = partial(fairseq_attention, width, heads=config.attention_heads, positions="sinusoidal")
    layer = fairseq_layer(
        width,
        config.ffn_dim,
        self_attn=attend(),
        encoder_attn=attend(source_width=width) if config.add_cross_attention else None,
        activation=config.activation_function,
        kind="pre-norm",
    )
    model = module(
        embed_tokens=embedding(vocab, width),
        layers=repeat(config.num_layers, layer),
        layer_norm=layer_norm(width),
    )
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=config.tie_word_embeddings)

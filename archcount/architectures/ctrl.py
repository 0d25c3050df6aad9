"""CTRL: a plain decoder with sinusoidal positions that no file holds, and a bias on its tied head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, layer_norm, linear, mlp
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class CtrlConfig(ModelConfig):
    vocab_size: Size = 246534
    n_positions: Size = 256
    n_embd: Size = 1280
    dff: Size = 8192
    n_layer: Count = 48
    n_head: Count = 16
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }


@architecture("ctrl", config=CtrlConfig)
def ctrl(config: CtrlConfig) -> Module:
    width, vocab = config.n_embd, config.vocab_size
    layer = module(
        None,
        "pre-norm",
        multi_head_attention=attention(
            width,
            heads=config.n_head,
            head_dim=exact_div(width, config.n_head),
            bias=True,
            positions="sinusoidal",
            names=("Wq", "Wk", "Wv", "dense"),
        ),
        ffn=mlp(width, config.dff, activation="relu", names=("0", "2")),  # 1 is the activation between them
        layernorm1=layer_norm(width),
        layernorm2=layer_norm(width),
    )
    model = module(w=embedding(vocab, width), h=repeat(config.n_layer, layer), layernorm=layer_norm(width))
    if config.class_name.endswith("ForSequenceClassification"):
        return module(transformer=model, classifier=linear(width, config.labels, role=Role.HEAD))
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=tie, base="transformer", table="w", head_bias=True)

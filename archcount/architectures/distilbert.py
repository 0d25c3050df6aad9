"""DistilBERT: BERT with half the layers, without token types, and with names of its own."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import bidirectional_attention, encoder_embeddings, layer_norm, linear, lm_head, mlp
from ..config import Count, ModelConfig, Size
from ..encoder_heads import encoder, score
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class DistilBertConfig(ModelConfig):
    vocab_size: Size = 30522
    dim: Size = 768
    hidden_dim: Size = 3072
    n_layers: Count = 6
    n_heads: Count = 12
    max_position_embeddings: Size = 512
    activation: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "dim",
        "num_attention_heads": "n_heads",
        "num_hidden_layers": "n_layers",
    }


@architecture("distilbert", config=DistilBertConfig)
def distilbert(config: DistilBertConfig) -> Module:
    width, vocab, name = config.dim, config.vocab_size, config.class_name
    model = module(
        embeddings=encoder_embeddings(width, vocab=vocab, positions=config.max_position_embeddings),
        transformer=module(layer=repeat(config.n_layers, _layer(config))),
    )
    matrix = linear(width, width, bias=True, role=Role.HEAD)
    if name.endswith(("ForSequenceClassification", "ForMultipleChoice")):
        labels = 1 if name.endswith("ForMultipleChoice") else config.labels
        return module(distilbert=model, pre_classifier=matrix, classifier=score(width, labels))
    tied_to = "distilbert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = {
        "vocab_transform": matrix,
        "vocab_layer_norm": layer_norm(width),
        "vocab_projector": lm_head(width, vocab, tied_to=tied_to, bias=True),
    }
    return encoder(config, model, base="distilbert", hidden=width, language_head=head)


def _layer(config: DistilBertConfig) -> Module:
    width, heads = config.dim, config.n_heads
    return module(
        None,
        "post-norm",
        attention=bidirectional_attention(width, heads=heads, names=("q_lin", "k_lin", "v_lin", "out_lin")),
        sa_layer_norm=layer_norm(width),
        ffn=mlp(width, config.hidden_dim, activation=config.activation, names=("lin1", "lin2")),
        output_layer_norm=layer_norm(width),
    )

"""The class named in `architectures` decides what stands on top of a decoder: a head, a score, or nothing."""

from __future__ import annotations

from .blocks import embedding, linear, lm_head
from .config import DecoderConfig, ModelConfig
from .tree import Module, Node, module


def causal_lm(
    config: ModelConfig,
    model: Module,
    *,
    hidden: int,
    vocab: int,
    tie: bool,
    base: str = "model",
    table: str = "embed_tokens",
    head: str = "lm_head",
    head_bias: bool = False,
    head_width: int | None = None,
) -> Module:
    """`model` under the name `base`, and the head that the config's class has.

    `…ForCausalLM` and every class not named below: `head` [vocab, hidden], tied to `table` where `tie` says so.
    `…ForSequenceClassification`, `…ForTokenClassification`, `…ForQuestionAnswering`: `score` or `qa_outputs`, as
    Hugging Face's generic heads are. A bare `…Model`: no head, and no prefix.
    """
    name = config.class_name
    if name.endswith("ForSequenceClassification"):
        return module(**{base: model, "score": linear(hidden, config.labels)})
    if name.endswith("ForTokenClassification"):
        return module(**{base: model, "score": linear(hidden, config.labels, bias=True)})
    if name.endswith("ForQuestionAnswering"):
        return module(**{base: model, "qa_outputs": linear(hidden, 2, bias=True)})
    if name.endswith("Model") and not name.endswith("LMHeadModel"):
        return model
    tied_to = f"{base}.{table}.weight" if tie else None
    return module(**{base: model, head: lm_head(head_width or hidden, vocab, tied_to=tied_to, bias=head_bias)})


def decoder_lm(
    config: DecoderConfig,
    layers: Node,
    norm: Module | None,
    *,
    base: str = "model",
    norm_name: str = "norm",
    head_bias: bool = False,
) -> Module:
    """The usual decoder: `embed_tokens`, `layers` and a last `norm` under `base`, and the head that the class has."""
    hidden, vocab = config.hidden_size, config.vocab_size
    model = module(**{"embed_tokens": embedding(vocab, hidden), "layers": layers, norm_name: norm})
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, base=base, head_bias=head_bias)

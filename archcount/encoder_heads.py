"""The class named in `architectures` decides what stands on top of an encoder: a language head, a score, or nothing."""

from __future__ import annotations

from collections.abc import Mapping

from .blocks import layer_norm, linear, lm_head
from .blocks.linear import bias_of
from .config import ModelConfig
from .errors import ConfigValueError
from .faults import LONGEST_NAME, shown
from .tree import Module, Node, Per, Role, module, tied

Heads = Mapping[str, Node]
POOLED = frozenset(
    {"ForPreTraining", "ForNextSentencePrediction", "ForSequenceClassification", "ForMultipleChoice"}
)  # classes that read the first token


def encoder(
    config: ModelConfig,
    model: Module,
    *,
    base: str,
    hidden: int,
    language_head: Heads,
    pooler: Module | None = None,
    deep_classifier: bool = False,
) -> Module:
    """`model` under the name `base`, and what the config's class adds; a config that names none has a language head.

    The bare `…Model` and the classes that read the first token pool it with `pooler`. With `deep_classifier`
    (RoBERTa) a sequence is classified by two matrices on the first token, unpooled.

    Raises ConfigValueError: a class whose head is not known.
    """
    pooled, known = model.extend(pooler=pooler), _known_heads(config, hidden, language_head)
    name = config.class_name or "ForMaskedLM"
    last = next((last for last in known if name.endswith(last)), "")
    if not last and name.endswith("Model"):
        return pooled
    if not last:
        raise unknown_class(config)
    if deep_classifier and last == "ForSequenceClassification":
        return module(**{base: model}, classifier=dense_classifier(hidden, config.labels))
    return module(**{base: pooled if last in POOLED else model}, **known[last])


def _known_heads(config: ModelConfig, hidden: int, language_head: Heads) -> dict[str, Heads]:
    """What the classes put on top, by the end of their names."""
    scores = score(hidden, config.labels)
    return {
        "ForMaskedLM": language_head,
        "ForCausalLM": language_head,
        "LMHeadModel": language_head,
        "ForPreTraining": _with_next_sentence(language_head, hidden),
        "ForNextSentencePrediction": _with_next_sentence({}, hidden),
        "ForSequenceClassification": {"classifier": scores},
        "ForMultipleChoice": {"classifier": score(hidden, 1)},
        "ForTokenClassification": {"classifier": scores},
        "ForQuestionAnswering": {"qa_outputs": scores},
    }


def unknown_class(config: ModelConfig) -> ConfigValueError:
    """The error for a class whose tensors are not known."""
    name = shown(config.class_name, LONGEST_NAME)
    found = f"architectures is {name}: no {config.model_type} class of that name is known"
    return ConfigValueError(f"{found}; leave it out to count the language model")


def pooler(width: int) -> Module:
    """`dense` [width, width] on the first token."""
    return module(Role.HEAD, dense=linear(width, width, bias=True)).marked(per=Per.SEQUENCE)


def score(width: int, labels: int) -> Module:
    """`weight` [labels, width] and `bias` [labels]."""
    return linear(width, labels, bias=True, role=Role.HEAD)


def dense_classifier(width: int, labels: int) -> Module:
    """`dense` [width, width], then `out_proj` [labels, width]."""
    return module(Role.HEAD, dense=linear(width, width, bias=True), out_proj=linear(width, labels, bias=True))


def bert_head(width: int, vocab: int, *, table: str | None, inner: int | None = None) -> Heads:
    """BERT's `cls.predictions`: a transform to `inner`, then [vocab, inner], tied to `table` with its bias."""
    inner = inner or width
    predictions = module(
        bias=bias_of(vocab),
        transform=module(dense=linear(width, inner, bias=True), LayerNorm=layer_norm(inner)),
        decoder=biased_twice(inner, vocab, table=table, bias="cls.predictions.bias"),
    )
    return {"cls": module(Role.HEAD, predictions=predictions)}


def roberta_head(width: int, vocab: int, *, table: str | None) -> Heads:
    """RoBERTa's `lm_head`: `dense` [width, width], a norm, then [vocab, width], tied to `table` with its bias."""
    head = module(
        Role.HEAD,
        bias=bias_of(vocab),
        dense=linear(width, width, bias=True),
        layer_norm=layer_norm(width),
        decoder=biased_twice(width, vocab, table=table, bias="lm_head.bias"),
    )
    return {"lm_head": head}


def generator_head(width: int, vocab: int, *, table: str | None, inner: int) -> Heads:
    """ELECTRA's generator: a transform to `inner` and a norm, then [vocab, inner], tied to `table`, and its bias."""
    transform = module(Role.HEAD, dense=linear(width, inner, bias=True), LayerNorm=layer_norm(inner))
    return {
        "generator_predictions": transform,
        "generator_lm_head": lm_head(inner, vocab, tied_to=table, bias=True),
    }


def biased_twice(width: int, vocab: int, *, table: str | None, bias: str) -> Module:
    """A head whose bias has a second name `bias`; both names are one tensor where the head is tied to `table`."""
    head = lm_head(width, vocab, tied_to=table, bias=True)
    return head.replacing(bias=tied(bias_of(vocab), bias)) if table else head


def _with_next_sentence(heads: Heads, hidden: int) -> Heads:
    cls, answer = heads.get("cls"), linear(hidden, 2, bias=True)
    if isinstance(cls, Module):
        return {**heads, "cls": cls.extend(seq_relationship=answer)}
    return {**heads, "cls": module(Role.HEAD, seq_relationship=answer)}

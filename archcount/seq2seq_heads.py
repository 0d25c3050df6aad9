"""The class named in `architectures` decides how an encoder and a decoder are put together, and what stands on top."""

from __future__ import annotations

from dataclasses import dataclass

from .blocks import embedding, lm_head
from .config import ModelConfig
from .encoder_heads import dense_classifier, score, unknown_class
from .tree import Module, Node, Storage, Tensor, module, tied

GENERATORS = ("ForConditionalGeneration", "MTModel")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What both sides look words up in: one table `shared`, or with `target` (rows of the decoder's) one each.

    `width` is a row's; `tie` says whether the sides and the head use that one table.
    """

    rows: int
    width: int
    tie: bool
    target: int | None = None

    @property
    def outputs(self) -> int:
        """Words the decoder chooses among."""
        return self.target or self.rows

    def tables(self, shared: str) -> tuple[Module, Module]:
        """The encoder's and the decoder's table; `shared` is the full name of the one they may share."""
        own = embedding(self.rows, self.width), embedding(self.outputs, self.width)
        return (tied(own[0], shared), tied(own[1], shared)) if self.tie and self.target is None else own


def seq2seq(
    config: ModelConfig,
    encoder: Module,
    decoder: Module,
    vocabulary: Vocabulary,
    *,
    logits_bias: bool = True,
    base: str = "model",
    has_causal_class: bool = True,
) -> Module:
    """Both parts under `base` with a table each, and what the class adds.

    `logits_bias` is BART's stored buffer of zeros. `…ForCausalLM` is the decoder alone, where the family
    `has_causal_class`; a config that names no class is the whole model with its head.

    Raises ConfigValueError: a class whose tensors are not known.
    """
    name = config.class_name
    if name.endswith("ForCausalLM") and has_causal_class:
        return _decoder_alone(decoder, vocabulary)
    bare = name.endswith("Model") and not name.endswith(GENERATORS)
    whole = _whole(encoder, decoder, vocabulary, shared="shared" if bare else f"{base}.shared")
    if bare:
        return whole
    zeros = Tensor((1, vocabulary.outputs), storage=Storage.BUFFER) if logits_bias else None
    generates: dict[str, Node | None] = {"lm_head": _head(vocabulary, base), "final_logits_bias": zeros}
    return module(**{base: whole}, **_on_top(config, vocabulary.width, generates))


def _on_top(config: ModelConfig, width: int, generates: dict[str, Node | None]) -> dict[str, Node | None]:
    """What the class has beside both sides; `generates` where it is a language model."""
    known: dict[str, dict[str, Node | None]] = {
        **dict.fromkeys(GENERATORS, generates),
        "ForSequenceClassification": {"classification_head": dense_classifier(width, config.labels)},
        "ForQuestionAnswering": {"qa_outputs": score(width, 2)},
    }
    last = next((last for last in known if (config.class_name or GENERATORS[0]).endswith(last)), None)
    if last is None:
        raise unknown_class(config)
    return known[last]


def _decoder_alone(decoder: Module, vocabulary: Vocabulary) -> Module:
    table = embedding(vocabulary.outputs, vocabulary.width)
    tied_to = "model.decoder.embed_tokens.weight" if vocabulary.tie else None
    head = lm_head(vocabulary.width, vocabulary.outputs, tied_to=tied_to)
    return module(model=module(decoder=decoder.prepend(embed_tokens=table)), lm_head=head)


def _whole(encoder: Module, decoder: Module, vocabulary: Vocabulary, *, shared: str) -> Module:
    first, second = vocabulary.tables(shared)
    return module(
        shared=embedding(vocabulary.rows, vocabulary.width) if vocabulary.target is None else None,
        encoder=encoder.prepend(embed_tokens=first).marked(section="encoder"),
        decoder=decoder.prepend(embed_tokens=second).marked(section="decoder"),
    )


def _head(vocabulary: Vocabulary, base: str) -> Module:
    source = "shared" if vocabulary.target is None else "decoder.embed_tokens"
    tied_to = f"{base}.{source}.weight" if vocabulary.tie else None
    return lm_head(vocabulary.width, vocabulary.outputs, tied_to=tied_to)

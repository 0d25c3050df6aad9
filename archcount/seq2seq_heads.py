"""The class named in `architectures` decides how an encoder and a decoder are put together, and what stands on top."""

from __future__ import annotations

from .blocks import embedding, linear, lm_head
from .config import ModelConfig
from .encoder_heads import dense_classifier, unknown_class
from .tree import Module, Role, Storage, Tensor, module, tied

GENERATORS = ("ForConditionalGeneration", "MTModel")


def seq2seq(
    config: ModelConfig,
    encoder: Module,
    decoder: Module,
    *,
    width: int,
    vocab: int,
    tie: bool,
    base: str = "model",
    shared: str = "shared",
    table: str = "embed_tokens",
    target_vocab: int | None = None,
    logits_bias: bool = True,
) -> Module:
    """Both parts under the name `base` with a `table` each, tied to one table `shared`, and what the class adds.

    `target_vocab` makes them two vocabularies, unshared. `logits_bias` is BART's stored buffer of zeros. `…ForCausalLM`
    is the decoder alone; a config that names no class is the whole model with its head.

    Raises ConfigValueError: a class whose tensors are not known.
    """
    name, outputs = config.class_name, target_vocab or vocab
    if name.endswith("ForCausalLM"):
        own = module(decoder=decoder.prepend(**{table: embedding(outputs, width)}))
        table_name = f"{base}.decoder.{table}.weight" if tie else None
        return module(**{base: own}, lm_head=lm_head(width, outputs, tied_to=table_name))
    bare = name.endswith("Model") and not name.endswith(GENERATORS)
    one = ("" if bare else f"{base}.") + shared

    def table_of(rows: int) -> Module:
        return tied(embedding(rows, width), one) if tie and target_vocab is None else embedding(rows, width)

    whole = module(
        **{shared: embedding(vocab, width) if target_vocab is None else None},
        encoder=encoder.prepend(**{table: table_of(vocab)}).marked(section="encoder"),
        decoder=decoder.prepend(**{table: table_of(outputs)}).marked(section="decoder"),
    )
    if bare:
        return whole
    if not name or name.endswith(GENERATORS):
        source = one if target_vocab is None else f"{base}.decoder.{table}"
        zeros = Tensor((1, outputs), storage=Storage.BUFFER) if logits_bias else None
        head = lm_head(width, outputs, tied_to=f"{source}.weight" if tie else None)
        return module(final_logits_bias=zeros, **{base: whole}, lm_head=head)
    if name.endswith("ForSequenceClassification"):
        return module(**{base: whole}, classification_head=dense_classifier(width, config.labels))
    if name.endswith("ForQuestionAnswering"):
        return module(**{base: whole}, qa_outputs=linear(width, 2, bias=True, role=Role.HEAD))
    raise unknown_class(config)

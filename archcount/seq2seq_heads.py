"""The class named in `architectures` decides how an encoder and a decoder are put together, and what stands on top."""

from __future__ import annotations

from .blocks import embedding, lm_head
from .config import ModelConfig
from .encoder_heads import dense_classifier, score, unknown_class
from .tree import Module, Node, Storage, Tensor, module, tied

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
    bare = name.endswith("Model") and not name.endswith(GENERATORS)
    if name.endswith("ForCausalLM"):
        own = module(decoder=decoder.prepend(**{table: embedding(outputs, width)}))
        table_name = f"{base}.decoder.{table}.weight" if tie else None
        return module(**{base: own}, lm_head=lm_head(width, outputs, tied_to=table_name))
    is_shared = target_vocab is None
    one = ("" if bare else f"{base}.") + shared
    tables = [
        tied(embedding(rows, width), one) if tie and is_shared else embedding(rows, width) for rows in (vocab, outputs)
    ]
    whole = module(
        **{shared: embedding(vocab, width) if is_shared else None},
        encoder=encoder.prepend(**{table: tables[0]}).marked(section="encoder"),
        decoder=decoder.prepend(**{table: tables[1]}).marked(section="decoder"),
    )
    if bare:
        return whole
    source = one if is_shared else f"{base}.decoder.{table}"
    head = lm_head(width, outputs, tied_to=f"{source}.weight" if tie else None)
    zeros = Tensor((1, outputs), storage=Storage.BUFFER) if logits_bias else None
    known: dict[str, dict[str, Node | None]] = {
        "ForConditionalGeneration": {"lm_head": head, "final_logits_bias": zeros},
        "MTModel": {"lm_head": head, "final_logits_bias": zeros},
        "ForSequenceClassification": {"classification_head": dense_classifier(width, config.labels)},
        "ForQuestionAnswering": {"qa_outputs": score(width, 2)},
    }
    last = next((last for last in known if (name or GENERATORS[0]).endswith(last)), None)
    if last is None:
        raise unknown_class(config)
    return module(**{base: whole}, **known[last])

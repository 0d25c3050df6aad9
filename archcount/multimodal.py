"""A language model and what it sees and hears with: three layouts of published files, and the class that decides."""

from __future__ import annotations

from collections.abc import Mapping

from .class_names import plain, stem
from .config import ModelConfig
from .errors import ConfigValueError
from .faults import LONGEST_NAME, shown
from .heads import refuse_other_heads
from .nested import CompositeConfig, built, ties
from .tree import Module, Node, module, relocated

LLAVA_SPELLINGS = {
    "model.language_model.": "language_model.model.",
    "language_model.model.": "language_model.",
    "lm_head.": "language_model.lm_head.",
    "model.vision_tower.": "vision_tower.",
    "model.multi_modal_projector.": "multi_modal_projector.",
    "model.image_newline": "image_newline",
    "vision_tower.vision_model.": "vision_tower.",
}
"""How the layout `with_language_inside` is met as well: classes of transformers 4.52 to 4.57 saved the other one, and
transformers 5 saves a bare `…Model` under the names of the whole."""


def with_language_inside(
    config: ModelConfig,
    text: ModelConfig | Module,
    parts: Mapping[str, Node | None],
    *,
    tie: bool,
    name: str = "language_model",
) -> Module:
    """The first layout: the language model is whole under `name`, its head with it (`language_model.lm_head`).

    Raises ConfigValueError: a class whose head is not known.
    """
    if _is_language_alone(config):
        return _by_itself(text)
    alone = _alone(text, tie)
    if _is_bare(config):
        return _module(parts, **{name: _body(alone)})
    return _module(parts, **{name: relocated(alone, "", f"{name}.")})


def with_language_beside(
    config: ModelConfig,
    text: ModelConfig | Module,
    parts: Mapping[str, Node | None],
    *,
    tie: bool,
    name: str = "language_model",
    base: str = "model",
) -> Module:
    """The second layout: all parts stand under `base`, the language model without its head, which stands at the top.

    `name` may lead several levels down.

    Raises ConfigValueError: a class whose head is not known.
    """
    if _is_language_alone(config):
        return _by_itself(text)
    alone = _alone(text, tie)
    if _is_bare(config):
        return _module(parts, **_at(name, _body(alone)))
    (former, _), *_ = alone.children
    moved = relocated(alone, f"{former}.", f"{base}.{name}.")
    _, *heads = moved.children
    return module(**{base: _module(parts, **_at(name, _body(moved)))}, **dict(heads))


def with_language_on_top(
    config: ModelConfig, text: ModelConfig | Module, parts: Mapping[str, Node | None], *, tie: bool
) -> Module:
    """The third layout: the language model is named as if it stood alone, and the other parts stand beside it.

    Raises ConfigValueError: a class whose head is not known.
    """
    if _is_language_alone(config):
        return _by_itself(text)
    alone = _alone(text, tie)
    if _is_bare(config):
        return _module(parts, language_model=_body(alone))
    return alone.prepend(**parts)


def with_parts_within(
    config: ModelConfig, text: ModelConfig | Module, parts: Mapping[str, Node | None], *, tie: bool
) -> Module:
    """The fourth layout: the other parts stand in the decoder's own module, beside its table (DeepSeek-OCR).

    A class `…ForCausalLM` holds them too: its repository's own code calls the whole model so.

    Raises ConfigValueError: a class whose head is not known.
    """
    (name, decoder), *head = _alone(text, tie).children
    within = decoder.prepend(**parts) if isinstance(decoder, Module) else decoder
    if config.class_name.endswith("Model") and _is_own(config) and isinstance(within, Module):
        return within
    refuse_other_heads(config)
    return module(**{name: within}, **dict(head))


def is_whole(config: ModelConfig) -> bool:
    """Does the class hold the language model, its head and all it sees and hears with?

    Raises ConfigValueError: a class of which that is not known.
    """
    return not _is_language_alone(config) and not _is_bare(config)


def is_tied(config: CompositeConfig, text: ModelConfig) -> bool:
    """Is the head the embedding table? The outer config says it, for transformers 4 the language model's does.

    An outer config that does not say leaves it to a language model's that does.
    """
    inner = "tie_word_embeddings" in text.model_fields_set and "tie_word_embeddings" not in config.model_fields_set
    decides = text if inner or config.is_written_by_transformers_4 else config
    return ties(decides)


def tower(tree: Module, config: ModelConfig) -> Module:
    """A tower of CLIP's or SigLIP's making: transformers 4 and older saved it as `vision_model` below its own name."""
    return module(vision_model=tree) if config.is_written_by_transformers_4 else tree


def _by_itself(text: ModelConfig | Module) -> Module:
    """The language model where its class loads nothing else: the nested config alone says whether its head is tied."""
    return text if isinstance(text, Module) else built(text)


def _alone(text: ModelConfig | Module, tie: bool) -> Module:
    """The language model by itself, head and all: by the rule of its own model_type, or as it was built before."""
    return text if isinstance(text, Module) else built(text, tie_word_embeddings=tie)


def _module(parts: Mapping[str, Node | None], **more: Node) -> Module:
    return module(**parts, **more)


def _at(path: str, node: Node) -> dict[str, Node]:
    """`node` one level down for each further step of the path."""
    first, *inner = path.split(".")
    for step in reversed(inner):
        node = module(**{step: node})
    return {first: node}


def _body(alone: Module) -> Node:
    """What stands under the first name: the decoder without its head."""
    return alone.children[0][1]


def _is_language_alone(config: ModelConfig) -> bool:
    return config.class_name.endswith("ForCausalLM") and _is_own(config)


def _is_bare(config: ModelConfig) -> bool:
    name = config.class_name
    if not name or name.endswith("ForConditionalGeneration"):
        return False
    if name.endswith("Model") and _is_own(config):
        return True
    mend = "name the class it was written from, or give [] for the whole model"
    raise ConfigValueError(f"architectures is {shown(name, LONGEST_NAME)}: what it holds is not known; {mend}")


def _is_own(config: ModelConfig) -> bool:
    return plain(stem(config.class_name)) == plain(config.model_type)

"""The class named in `architectures` decides what stands on top of a decoder: a head, a score, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .blocks import embedding, linear, lm_head
from .class_names import BARE, LANGUAGE_HEADS, OTHER_HEADS, REWARDS
from .config import DecoderConfig, ModelConfig
from .errors import ConfigValueError
from .faults import LONGEST_NAME, shown
from .tree import Module, Node, Role, module

# Their decoder is `transformer` under this one head, as the first files with it had it.
CALLED_TRANSFORMER = frozenset(
    f"{family}ForQuestionAnswering"
    for family in (
        "Arcee", "DiffLlama", "Exaone4", "Llama", "Ministral", "Nemotron", "Qwen2", "Qwen3", "Qwen3Moe", "Qwen3Next",
        "SeedOss", "SmolLM3",
    )
)  # fmt: skip


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
    token_head: str = "score",
) -> Module:
    """`model` under the name `base`, and the head that the config's class has.

    `…ForCausalLM`, `…LMHeadModel` and their like, and a config that names no class: `head` [vocab, hidden], tied to
    `table` where `tie` says so. `…ForSequenceClassification`, `…ForTokenClassification`, `…ForQuestionAnswering`:
    `score` (for tokens `token_head`) or `qa_outputs`, as Hugging Face's generic heads are. Reward models: as each was
    published. A bare `…Model`: no head, and no prefix. Under a `…_text` model_type, `…ForConditionalGeneration` is the
    multimodal class that wraps this decoder, which then stands at `model.language_model`.

    Raises ConfigValueError: a class whose head is not known.
    """
    name = config.class_name
    base = "transformer" if name in CALLED_TRANSFORMER else base
    wrapped = config.model_type.endswith("_text") and name.endswith("ForConditionalGeneration")
    tied_to = f"{base}.language_model.{table}.weight" if wrapped else f"{base}.{table}.weight"
    top = lm_head(hidden, vocab, tied_to=tied_to if tie else None, bias=head_bias)
    body = module(language_model=model) if wrapped else model
    return with_head(config, body, {head: top}, hidden=hidden, base=base, token_head=token_head)


def transformer_lm(
    config: ModelConfig, model: Module, *, hidden: int, vocab: int, tie: bool, table: str = "wte"
) -> Module:
    """GPT-2's layout: `model` is called `transformer`, and a head on tokens `classifier`.

    Raises ConfigValueError: a class whose head is not known.
    """
    base, token_head = "transformer", "classifier"
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, base=base, table=table, token_head=token_head)


def with_head(
    config: ModelConfig,
    body: Module,
    language_head: Mapping[str, Node | None],
    *,
    hidden: int,
    base: str = "model",
    token_head: str = "score",
) -> Module:
    """`body` under the name `base`, beside it `language_head` or what else the class has; a bare `…Model` is `body`.

    Raises ConfigValueError: a class whose head is not known.
    """
    name = config.class_name
    if has_language_head(config):
        return module(**{base: body}, **language_head)
    if (top := _score(name, hidden, config.labels, token_head)) is not None:
        return module(**{base: body}, **top)
    if name.endswith(BARE) and not name.endswith((*REWARDS, *OTHER_HEADS)):
        return body
    raise _unknown_head(name)


def has_language_head(config: ModelConfig) -> bool:
    """Is the class one with a language head, or none named?"""
    return not config.class_name or config.class_name.endswith(LANGUAGE_HEADS)


def refuse_other_heads(config: ModelConfig) -> None:
    """For a family of which only the whole model is published, under its class with a language head.

    Raises ConfigValueError: another class.
    """
    if not has_language_head(config):
        raise _unknown_head(config.class_name)


def _unknown_head(name: str) -> ConfigValueError:
    mend = "name the class it was written from, or give [] for the language model"
    return ConfigValueError(f"architectures is {shown(name, LONGEST_NAME)}: its head is not known; {mend}")


def _score(name: str, hidden: int, labels: int, token_head: str) -> dict[str, Module] | None:
    """What a class that scores puts on top: Hugging Face's generic heads, and reward models as published."""
    if name.endswith("ForSequenceClassification"):
        return {"score": _head(hidden, labels)}
    if name.endswith("ForTokenClassification"):
        return {token_head: _head(hidden, labels, bias=True)}
    if name.endswith("ForQuestionAnswering"):
        return {"qa_outputs": _head(hidden, 2, bias=True)}
    reward = REWARD_HEADS.get(name)
    return reward(hidden) if reward else None


def _two_matrices(hidden: int, outputs: int) -> dict[str, Module]:
    first, last = _head(hidden, hidden, bias=True), _head(hidden, outputs, bias=True)
    return {"score": Module((("0", first), ("2", last)))}  # 1 is the activation between them


REWARD_HEADS: dict[str, Callable[[int], dict[str, Module]]] = {
    "EurusRewardModel": lambda hidden: {"regression_head": _head(hidden, 1)},  # Eurus-RM-7b
    "GPTNeoXRewardModel": lambda hidden: {"out_proj": _head(hidden, 1, bias=True)},  # oasst-rm-2.1-pythia-1.4b
    "InternLM2ForRewardModel": lambda hidden: {"v_head": _head(hidden, 1)},  # internlm2-7b-reward
    "LlamaRewardModel": lambda hidden: {"regression_head": _head(hidden, 1)},  # UltraRM-13b
    "Qwen2ForProcessRewardModel": lambda hidden: _two_matrices(hidden, 2),  # Qwen2.5-Math-PRM-7B
    "Qwen2ForRewardModel": lambda hidden: _two_matrices(hidden, 1),  # Qwen2.5-Math-RM-72B
}


def _head(hidden: int, outputs: int, *, bias: bool = False) -> Module:
    return linear(hidden, outputs, bias=bias, role=Role.HEAD)


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

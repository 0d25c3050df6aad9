"""Qwen3.5: Qwen3-Next's mixers with their projections apart; a gated MLP, or experts in every layer."""

from __future__ import annotations

from ..blocks import embedding, gated_mlp, lm_head, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..heads import causal_lm, with_head
from ..registry import architecture
from ..schedules import FULL, LINEAR, stack_of
from ..tree import Module, module
from .qwen3_next import DeltaNetConfig, ExpertKeys, delta_net, experts, gated_attention, look_ahead, mixed_layer
from .towers.pictures import QWEN_IMAGES
from .towers.qwen3_vl import Qwen3VisionConfig, qwen3_vision

MLX = {
    "language_model.lm_head.": "lm_head.",
    "language_model.model.": "model.language_model.",
    "vision_tower.": "model.visual.",
}
"""How files converted for MLX spell the prefixes."""


class _Qwen35Keys(DeltaNetConfig):
    vocab_size: Size = 248320
    mtp_num_hidden_layers: CountOrZero = 0
    tie_word_embeddings: bool = False


class Qwen35TextConfig(_Qwen35Keys):
    model_type: str = "qwen3_5_text"
    hidden_size: Size = 4096
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 32
    num_key_value_heads: Count = 4


class Qwen35MoeTextConfig(_Qwen35Keys, ExpertKeys):
    model_type: str = "qwen3_5_moe_text"
    hidden_size: Size = 2048
    num_hidden_layers: Count = 40
    num_key_value_heads: Count = 2
    num_experts_per_tok: Count = 8
    num_experts: CountOrZero = 256


@architecture("qwen3_5_text", config=Qwen35TextConfig)
@architecture("qwen3_5_moe_text", config=Qwen35MoeTextConfig)
def qwen3_5_text(config: Qwen35TextConfig | Qwen35MoeTextConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    top = causal_lm(config, language_model(config), hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)
    return top.extend(mtp=mtp(config))


class Qwen35Config(ModelConfig):
    text_config: Qwen35TextConfig = Qwen35TextConfig()
    vision_config: Qwen3VisionConfig = Qwen3VisionConfig()
    tie_word_embeddings: bool = False


class Qwen35MoeConfig(ModelConfig):
    text_config: Qwen35MoeTextConfig = Qwen35MoeTextConfig()
    vision_config: Qwen3VisionConfig = Qwen3VisionConfig()
    tie_word_embeddings: bool = False


@architecture("qwen3_5", config=Qwen35Config, spellings=MLX, images=QWEN_IMAGES)
@architecture("qwen3_5_moe", config=Qwen35MoeConfig, spellings=MLX, images=QWEN_IMAGES)
def qwen3_5(config: Qwen35Config | Qwen35MoeConfig) -> Module:
    text = config.text_config
    if config.class_name.endswith("ForCausalLM"):  # the language model alone
        return qwen3_5_text(text)
    tied_to = "model.language_model.embed_tokens.weight" if config.tie_word_embeddings else None
    model = module(visual=qwen3_vision(config.vision_config), language_model=language_model(text))
    head = lm_head(text.hidden_size, text.vocab_size, tied_to=tied_to)
    return with_head(config, model, {"lm_head": head}, hidden=text.hidden_size).extend(mtp=mtp(text))


def language_model(config: Qwen35TextConfig | Qwen35MoeTextConfig) -> Module:
    """`embed_tokens`, `layers` and `norm`."""
    hidden = config.hidden_size
    layers = stack_of(config.kinds(), lambda kind: _layer(config, kind))
    return module(embed_tokens=embedding(config.vocab_size, hidden), layers=layers, norm=rms_norm(hidden))


def mtp(config: Qwen35TextConfig | Qwen35MoeTextConfig) -> Module | None:
    """The layers that predict a token further, where the config declares them."""
    return look_ahead(_layer(config, FULL), config.hidden_size, config.mtp_num_hidden_layers)


def _layer(config: Qwen35TextConfig | Qwen35MoeTextConfig, kind: str) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    mixers = {LINEAR: delta_net(config), FULL: gated_attention(config)}
    if isinstance(config, ExpertKeys):
        return mixed_layer(kind, mixers, experts(config, hidden, activation), hidden)
    return mixed_layer(kind, mixers, gated_mlp(hidden, config.intermediate_size, activation=activation), hidden)

"""Llama 3.2 Vision: a tower, then Llama's layers, some of which attend to the picture instead of the text."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, linear, pre_norm_layer, rms_norm
from ..config import Count, CountOrZero, DecoderConfig, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..images.seen import ImageRule
from ..multimodal import LLAVA_SPELLINGS, with_language_inside
from ..nested import CompositeConfig, nested, size_of
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Tensor, module, stack
from .towers.mllama import MllamaVisionConfig, mllama_vision, tiles


class MllamaTextConfig(DecoderConfig, Rotary):
    vocab_size: Size = 128256
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 8
    hidden_act: str = "silu"
    cross_attention_layers: tuple[CountOrZero, ...] = (3, 8, 13, 18, 23, 28, 33, 38)


class MllamaConfig(CompositeConfig):
    text_config: ModelConfig = nested("mllama_text_model")
    vision_config: MllamaVisionConfig = MllamaVisionConfig()


@architecture(
    "mllama",
    config=MllamaConfig,
    spellings={**LLAVA_SPELLINGS, "model.vision_model.": "vision_model."},
    images=ImageRule(lambda config, _: tiles(config.vision_config)),
)
def mllama(config: MllamaConfig) -> Module:
    hidden, features = size_of(config.text_config, "hidden_size"), config.vision_config.vision_output_dim
    parts = {
        "vision_model": mllama_vision(config.vision_config),
        "multi_modal_projector": linear(features, hidden, bias=True).marked(section="projector"),
    }
    return with_language_inside(config, config.text_config, parts, tie=False)


@architecture("mllama_text_model", config=MllamaTextConfig)
def mllama_text_model(config: MllamaTextConfig) -> Module:
    """The table and the head are of different heights, so they are never tied."""
    hidden, vocab = config.hidden_size, config.vocab_size
    return causal_lm(config, decoder(config), hidden=hidden, vocab=vocab, tie=False)


def decoder(config: MllamaTextConfig) -> Module:
    """The table has eight rows more than there are words: one of them stands for the picture."""
    hidden, crosses = config.hidden_size, config.cross_attention_layers
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    plain, crossing = pre_norm_layer(_attention(config), mlp, rms_norm(hidden)), _crossing_layer(config, mlp)
    layers = [crossing if index in crosses else plain for index in range(config.num_hidden_layers)]
    table = embedding(config.vocab_size + 8, hidden)
    return module(embed_tokens=table, layers=stack(layers), norm=rms_norm(hidden))


def _crossing_layer(config: MllamaTextConfig, mlp: Module) -> Module:
    """Both its parts are let in by a learned gate, which training opens from 0."""
    return module(
        None,
        "pre-norm",
        cross_attn=_attention(config, crosses=True),
        cross_attn_attn_gate=Tensor((1,)),
        mlp=mlp,
        cross_attn_mlp_gate=Tensor((1,)),
        input_layernorm=rms_norm(config.hidden_size),
        post_attention_layernorm=rms_norm(config.hidden_size),
    )


def _attention(config: MllamaTextConfig, *, crosses: bool = False) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(hidden, heads)
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim) if crosses else None,
        key_norm=rms_norm(head_dim) if crosses else None,
        positions=None if crosses else config.rope,
        causal=not crosses,
        source_width=hidden if crosses else None,
    )

"""GPT-NeoX, Pythia and their Japanese kin: query, key and value in one matrix, LayerNorms, a plain MLP."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import bias_of, embedding, fused_attention, layer_norm, mlp
from ..config import Count, DecoderConfig, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Node, module, repeat, stack

MLP_NAMES = "dense_h_to_4h", "dense_4h_to_h"


class GptNeoXConfig(DecoderConfig, Rotary):
    vocab_size: Size = 50432
    hidden_size: Size = 6144
    intermediate_size: Size = 24576
    num_hidden_layers: Count = 44
    num_attention_heads: Count = 64
    attention_bias: bool = True
    use_parallel_residual: bool = True
    hidden_act: str = "gelu"
    also_spelled: ClassVar[dict[str, str]] = {"rotary_emb_base": "rope_theta"}


class GptNeoXJapaneseConfig(ModelConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 2560
    intermediate_multiple_size: Size = 4
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"rotary_emb_base": "rope_theta"}


@architecture("gpt_neox", "gpt_neox_reward_model", config=GptNeoXConfig)
def gpt_neox(config: GptNeoXConfig) -> Module:
    hidden, bias = config.hidden_size, config.attention_bias
    layer = neox_layer(
        config,
        attention=fused(config, bias=bias),
        mlp=mlp(hidden, config.intermediate_size, activation=config.hidden_act, names=MLP_NAMES),
        kind="parallel" if config.use_parallel_residual else "pre-norm",
    )
    return neox_lm(config, repeat(config.num_hidden_layers, layer), base="gpt_neox")


@architecture("gpt_neox_japanese", config=GptNeoXJapaneseConfig)
def gpt_neox_japanese(config: GptNeoXJapaneseConfig) -> Module:
    hidden, inner = config.hidden_size, config.hidden_size * config.intermediate_multiple_size
    attention = fused(config, bias=False)
    feed_forward = mlp(hidden, inner, bias=False, activation=config.hidden_act, names=MLP_NAMES)
    layer = neox_layer(config, attention, feed_forward, kind="pre-norm")
    last = neox_layer(config, attention.extend(dense_bias=bias_of(hidden)), feed_forward, kind="pre-norm")
    layers = stack([layer] * (config.num_hidden_layers - 1) + [last])  # only the last layer has an output bias
    return neox_lm(config, layers, base="gpt_neox_japanese")


Config = GptNeoXConfig | GptNeoXJapaneseConfig


def fused(config: Config, *, bias: bool) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return fused_attention(
        hidden,
        heads=heads,
        head_dim=exact_div(hidden, heads),
        bias=bias,
        positions=config.rope,
        names=("query_key_value", "dense"),
    )


def neox_layer(config: Config, attention: Module, mlp: Module, kind: str) -> Module:
    norm = layer_norm(config.hidden_size)
    return module(None, kind, input_layernorm=norm, post_attention_layernorm=norm, attention=attention, mlp=mlp)


def neox_lm(config: Config, layers: Node, base: str) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    model = module(embed_in=embedding(vocab, hidden), layers=layers, final_layer_norm=layer_norm(hidden))
    return causal_lm(
        config,
        model,
        hidden=hidden,
        vocab=vocab,
        tie=tie,
        base=base,
        table="embed_in",
        head="embed_out",
        token_head="classifier",
    )

"""Apertus: QK-norm, and a plain MLP whose xIELU activation is learned."""

from __future__ import annotations

from ..blocks import attention, embedding, mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm, decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Stack, Storage, Tensor, module, repeat


class ApertusConfig(DecoderConfig, Rotary):
    vocab_size: Size = 131072
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False
    hidden_act: str = "xielu"


class Apertus1p5TextConfig(ApertusConfig):
    vocab_size: Size = 266752
    output_vocab_size: Size | None = None


@architecture("apertus", config=ApertusConfig)
def apertus(config: ApertusConfig) -> Module:
    return decoder_lm(config, layers(config), rms_norm(config.hidden_size))


@architecture("apertus1p5_text", config=Apertus1p5TextConfig)
def apertus1p5_text(config: Apertus1p5TextConfig) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    rows = config.output_vocab_size or vocab  # a head of its own may keep the first, text-only rows
    if rows > vocab:
        raise ConfigValueError(f"output_vocab_size is {rows}: should be at most vocab_size, {vocab}")
    model = module(embed_tokens=embedding(vocab, hidden), layers=layers(config), norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab if tie else rows, tie=tie)


def layers(config: ApertusConfig) -> Stack:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        positions=config.rope,
    )
    names, activation = ("up_proj", "down_proj"), config.hidden_act
    feed_forward = mlp(hidden, config.intermediate_size, bias=False, activation=activation, names=names)
    layer = module(
        None,
        "pre-norm",
        self_attn=self_attn,
        mlp=feed_forward.extend(act_fn=xielu() if activation == "xielu" else None),
        attention_layernorm=rms_norm(hidden),
        feedforward_layernorm=rms_norm(hidden),
    )
    return repeat(config.num_hidden_layers, layer)


def xielu() -> Module:
    """Two learned slopes and two constants that the file keeps with them (arXiv 2411.13010)."""
    slope, constant = Tensor((1,)), Tensor((), storage=Storage.BUFFER)
    return module(Role.MLP, alpha_p=slope, alpha_n=slope, beta=constant, eps=constant)

"""Falcon: attention and MLP side by side; one key-value head, a few (the new architecture), or one a query head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fused_attention, layer_norm, mlp
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import transformer_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat
from .bloom import FUSED, UP_AND_DOWN


class FalconConfig(ModelConfig, Rotary):
    vocab_size: Size = 65024
    hidden_size: Size = 4544
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 71
    num_kv_heads: Count | None = None
    ffn_hidden_size: Size | None = None
    num_ln_in_parallel_attn: Count | None = None
    new_decoder_architecture: bool = False
    multi_query: bool = True
    parallel_attn: bool = True
    alibi: bool = False
    bias: bool = False
    activation: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"n_embed": "hidden_size"}


class RefinedWebModelConfig(FalconConfig):
    """Falcon-7B as first published, with code of its own that had no defaults of any model's."""

    vocab_size: Size
    hidden_size: Size
    num_hidden_layers: Count
    num_attention_heads: Count
    multi_query: bool = False
    parallel_attn: bool = False
    also_spelled: ClassVar[dict[str, str]] = {
        "n_head": "num_attention_heads",
        "n_head_kv": "num_kv_heads",
        "n_layer": "num_hidden_layers",
    }


class RefinedWebConfig(RefinedWebModelConfig):
    """Falcon-40B as first published: the new architecture, before there was a key for it."""

    new_decoder_architecture: bool = True


@architecture("falcon", config=FalconConfig)
@architecture("RefinedWebModel", config=RefinedWebModelConfig)
@architecture("RefinedWeb", config=RefinedWebConfig)
def falcon(config: FalconConfig) -> Module:
    width, vocab = config.hidden_size, config.vocab_size
    part = mlp(
        width,
        config.ffn_hidden_size or 4 * width,
        bias=config.bias,
        activation=config.activation,
        names=UP_AND_DOWN,
    )
    kind = "parallel" if config.parallel_attn else "pre-norm"
    layer = module(None, kind, self_attention=_attention(config), mlp=part, **_norms(config))
    model = module(
        word_embeddings=embedding(vocab, width),
        h=repeat(config.num_hidden_layers, layer),
        ln_f=layer_norm(width),
    )
    return transformer_lm(
        config, model, hidden=width, vocab=vocab, tie=config.tie_word_embeddings, table="word_embeddings"
    )


def _attention(config: FalconConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    several = config.num_kv_heads or heads
    return fused_attention(
        width,
        heads=heads,
        kv_heads=several if config.new_decoder_architecture else 1 if config.multi_query else None,
        head_dim=exact_div(width, heads),
        bias=config.bias,
        positions="ALiBi" if config.alibi else config.rope,
        names=FUSED,
    )


def _norms(config: FalconConfig) -> dict[str, Module]:
    """One norm for both parts, one for each (twice in the new architecture), or one before each in turn."""
    twice = 2 if config.new_decoder_architecture else 1
    names: tuple[str, ...] = ("input_layernorm",)
    if not config.parallel_attn:
        names = ("input_layernorm", "post_attention_layernorm")
    elif (config.num_ln_in_parallel_attn or twice) == 2:
        names = ("ln_attn", "ln_mlp")
    return {name: layer_norm(config.hidden_size) for name in names}

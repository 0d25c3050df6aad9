"""GPT-2: learned positions, biases everywhere, and a plain GELU MLP four times the width."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..blocks import conv1d, embedding, fused_attention, layer_norm, linear, mlp, position_embedding
from ..blocks.attention import attending
from ..blocks.linear import Projection
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import transformer_lm
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Per, module, repeat

ATTENTION_NAMES = ("c_attn", "c_proj")


class Gpt2Config(ModelConfig):
    vocab_size: Size = 50257
    n_positions: Size = 1024
    n_embd: Size = 768
    n_layer: Count = 12
    n_head: Count = 12
    n_inner: Size | None = None
    activation_function: str = "gelu_new"
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "n_embd",
        "max_position_embeddings": "n_positions",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_ctx"})


@architecture("gpt2", "gpt-sw3", config=Gpt2Config, spellings={"": "transformer."})
def gpt2(config: Gpt2Config) -> Module:
    width, heads = config.n_embd, config.n_head
    crosses = {"crossattention": cross_attention(width, heads), "ln_cross_attn": layer_norm(width)}
    return decoder(
        config, conv_attention(width, heads), crosses if config.add_cross_attention else {}, projection=conv1d
    )


def conv_attention(width: int, heads: int) -> Module:
    """Query, key and value in one matrix, stored the other way round as `conv1d` is."""
    return fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        positions="learned",
        names=ATTENTION_NAMES,
        projection=conv1d,
    )


def decoder(
    config: Gpt2Config, attn: Module, crosses: Mapping[str, Module], *, projection: Projection = linear
) -> Module:
    """GPT-2's tables, layers and head around attention; `crosses` stands in each layer before its MLP."""
    width, names, activation = config.n_embd, ("c_fc", "c_proj"), config.activation_function
    layer = module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        attn=attn,
        ln_2=layer_norm(width),
        **crosses,
        mlp=mlp(width, config.n_inner or 4 * width, activation=activation, names=names, projection=projection),
    )
    model = module(
        wte=embedding(config.vocab_size, width),
        wpe=position_embedding(config.n_positions, width),
        h=repeat(config.n_layer, layer),
        ln_f=layer_norm(width),
    )
    return transformer_lm(config, model, hidden=width, vocab=config.vocab_size, tie=config.tie_word_embeddings)


def cross_attention(width: int, heads: int) -> Module:
    """One matrix for key and value, one for query: what a vision encoder's captioner reads the image with."""
    head_dim, keys = exact_div(width, heads), conv1d(width, 2 * width)
    return attending(
        Attends(heads, head_dim, head_dim, cross=True, kv_heads=heads),
        c_attn=keys.marked(per=Per.SOURCE, grouped=Grouped(heads, 2 * width)),
        q_attn=conv1d(width, width),
        c_proj=conv1d(width, width),
    )

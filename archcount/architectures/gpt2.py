"""GPT-2: learned positions, biases everywhere, and a plain GELU MLP four times the width."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import conv1d, embedding, fused_attention, layer_norm, mlp, position_embedding
from ..blocks.attention import head_layout, kv_cache
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Per, Role, module, repeat


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
    layer = module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        attn=fused_attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            bias=True,
            positions="learned",
            names=("c_attn", "c_proj"),
            projection=conv1d,
        ),
        ln_2=layer_norm(width),
        crossattention=cross_attention(width, heads) if config.add_cross_attention else None,
        ln_cross_attn=layer_norm(width) if config.add_cross_attention else None,
        mlp=mlp(
            width,
            config.n_inner or 4 * width,
            activation=config.activation_function,
            names=("c_fc", "c_proj"),
            projection=conv1d,
        ),
    )
    model = module(
        wte=embedding(config.vocab_size, width),
        wpe=position_embedding(config.n_positions, width),
        h=repeat(config.n_layer, layer),
        ln_f=layer_norm(width),
    )
    tie = config.tie_word_embeddings
    return causal_lm(
        config,
        model,
        hidden=width,
        vocab=config.vocab_size,
        tie=tie,
        base="transformer",
        table="wte",
        token_head="classifier",
    )


def cross_attention(width: int, heads: int) -> Module:
    """One matrix for key and value, one for query: what a vision encoder's captioner reads the image with."""
    head_dim, keys = exact_div(width, heads), conv1d(width, 2 * width)
    return module(
        Role.ATTENTION,
        head_layout(heads, heads),
        c_attn=keys.marked(per=Per.SOURCE, grouped=Grouped(heads, 2 * width)),
        q_attn=conv1d(width, width),
        c_proj=conv1d(width, width),
    ).marked(
        cache=kv_cache(heads, head_dim, head_dim, None, cross=True),
        attends=Attends(heads, head_dim, head_dim, cross=True, kv_heads=heads),
    )

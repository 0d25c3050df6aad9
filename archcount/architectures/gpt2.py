"""GPT-2: learned positions, biases everywhere, and a plain GELU MLP four times the width."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import conv1d, embedding, fused_attention, layer_norm, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class Gpt2Config(ModelConfig):
    vocab_size: Size = 50257
    n_positions: Size = 1024
    n_embd: Size = 768
    n_layer: Count = 12
    n_head: Count = 12
    n_inner: Size | None = None
    activation_function: str = "gelu_new"
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
    return causal_lm(config, model, hidden=width, vocab=config.vocab_size, tie=tie, base="transformer", table="wte")

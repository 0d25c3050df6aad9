"""GPT-J: attention and MLP side by side after one norm, rotary positions, and a bias on the head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, layer_norm, mlp
from ..config import Count, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .gpt2 import Gpt2Config


class GptjConfig(Gpt2Config):
    vocab_size: Size = 50400
    n_positions: Size = 2048
    n_embd: Size = 4096
    n_layer: Count = 28
    n_head: Count = 16
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"rotary_dim"})  # how much of each head is rotated


@architecture("gptj", config=GptjConfig)
def gptj(config: GptjConfig) -> Module:
    width, heads = config.n_embd, config.n_head
    layer = module(
        None,
        "parallel",
        ln_1=layer_norm(width),
        attn=attention(
            width,
            heads=heads,
            head_dim=exact_div(width, heads),
            positions="RoPE",
            names=("q_proj", "k_proj", "v_proj", "out_proj"),
        ),
        mlp=mlp(width, config.n_inner or 4 * width, activation=config.activation_function, names=("fc_in", "fc_out")),
    )
    vocab, tie = config.vocab_size, config.tie_word_embeddings
    model = module(wte=embedding(vocab, width), h=repeat(config.n_layer, layer), ln_f=layer_norm(width))
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=tie, base="transformer", table="wte", head_bias=True)

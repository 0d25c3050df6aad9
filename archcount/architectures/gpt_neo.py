"""GPT-Neo: GPT-2's shape with matrices of their own for query, key and value; local layers look through a window."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, layer_norm, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..heads import transformer_lm
from ..registry import architecture
from ..schedules import layer_kinds, stack_of
from ..tree import Module, module

GLOBAL, LOCAL = "global", "local"


class GptNeoConfig(ModelConfig):
    vocab_size: Size = 50257
    max_position_embeddings: Size = 2048
    hidden_size: Size = 2048
    num_layers: Count = 24
    num_heads: Count = 16
    intermediate_size: Size | None = None
    attention_types: tuple[tuple[tuple[str, ...], Count], ...] = (((GLOBAL, LOCAL), 12),)
    window_size: Size = 256
    activation_function: str = "gelu_new"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_heads": "num_heads", "num_hidden_layers": "num_layers"}
    ignored: ClassVar[frozenset[str]] = frozenset({"attention_layers"})  # attention_types written out

    def kinds(self) -> list[str]:
        """`[[["global", "local"], 12]]` written out: a kind for each layer."""
        given = [kind for kinds, times in self.attention_types for kind in kinds * times]
        return layer_kinds(self.num_layers, given, str, known=(GLOBAL, LOCAL), key="attention_types")


@architecture("gpt_neo", config=GptNeoConfig)
def gpt_neo(config: GptNeoConfig) -> Module:
    width, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings

    def layer(kind: str) -> Module:
        return neo_layer(config, config.window_size if kind == LOCAL else None)

    model = module(
        wte=embedding(vocab, width),
        wpe=position_embedding(config.max_position_embeddings, width),
        h=stack_of(config.kinds(), layer),
        ln_f=layer_norm(width),
    )
    return transformer_lm(config, model, hidden=width, vocab=vocab, tie=tie)


def neo_layer(config: GptNeoConfig, window: int | None) -> Module:
    width, heads = config.hidden_size, config.num_heads
    self_attn = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=False,
        out_bias=True,
        window=window,
        positions="learned",
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    names, inner = ("c_fc", "c_proj"), config.intermediate_size or 4 * width
    return module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        attn=module(attention=self_attn),
        ln_2=layer_norm(width),
        mlp=mlp(width, inner, activation=config.activation_function, names=names),
    )

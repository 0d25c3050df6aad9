"""StarCoder and SantaCoder: GPT-2 whose query heads share one key-value head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fused_attention, layer_norm, mlp, position_embedding
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .gpt2 import Gpt2Config


class GptBigCodeConfig(Gpt2Config):
    activation_function: str = "gelu_pytorch_tanh"
    multi_query: bool = True
    add_cross_attention: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads"})  # follows from multi_query


@architecture("gpt_bigcode", config=GptBigCodeConfig)
def gpt_bigcode(config: GptBigCodeConfig) -> Module:
    if config.add_cross_attention:
        raise ConfigValueError("add_cross_attention is true: only the decoder alone is known, set it to false")
    width, heads = config.n_embd, config.n_head
    names, activation = ("c_fc", "c_proj"), config.activation_function
    layer = module(
        None,
        "pre-norm",
        ln_1=layer_norm(width),
        attn=fused_attention(
            width,
            heads=heads,
            kv_heads=1 if config.multi_query else heads,
            head_dim=exact_div(width, heads),
            bias=True,
            positions="learned",
            names=("c_attn", "c_proj"),
        ),
        ln_2=layer_norm(width),
        mlp=mlp(width, config.n_inner or 4 * width, activation=activation, names=names),
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

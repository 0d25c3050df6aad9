"""StarCoder and SantaCoder: GPT-2 whose query heads share one key-value head."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import fused_attention
from ..dim import exact_div
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module
from .gpt2 import ATTENTION_NAMES, Gpt2Config, decoder


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
    attend = fused_attention(
        width,
        heads=heads,
        kv_heads=1 if config.multi_query else heads,
        head_dim=exact_div(width, heads),
        bias=True,
        positions="learned",
        names=ATTENTION_NAMES,
    )
    return decoder(config, attend, {})

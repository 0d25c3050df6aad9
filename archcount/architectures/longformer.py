"""Longformer: RoBERTa with a window, and a second query, key and value for the tokens that see everything."""

from __future__ import annotations

from ..blocks import linear
from ..config import Size
from ..registry import architecture
from ..tree import Module, module, repeat
from .bert import BertConfig, bert_layer
from .roberta import roberta_model


class LongformerConfig(BertConfig):
    attention_window: Size | list[Size] = 512


@architecture("longformer", config=LongformerConfig)
def longformer(config: LongformerConfig) -> Module:
    matrix = linear(config.hidden_size, config.hidden_size, bias=True)
    layer = bert_layer(config, in_self=dict.fromkeys(("query_global", "key_global", "value_global"), matrix))
    return roberta_model(config, "longformer", module(layer=repeat(config.num_hidden_layers, layer)))

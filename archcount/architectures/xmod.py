"""X-MOD: XLM-RoBERTa with a small adapter for each language in every layer."""

from __future__ import annotations

from ..blocks import layer_norm, mlp
from ..config import Size
from ..registry import architecture
from ..tree import Module, Routed, module, repeat
from .bert import BertConfig, bert_layer
from .roberta import roberta_model


class XmodConfig(BertConfig):
    languages: tuple[str, ...] = ("en_XX",)
    pre_norm: bool = False
    adapter_reduction_factor: Size = 2
    adapter_layer_norm: bool = False


@architecture("xmod", config=XmodConfig)
def xmod(config: XmodConfig) -> Module:
    hidden, languages = config.hidden_size, config.languages
    adapter = mlp(
        hidden,
        hidden // config.adapter_reduction_factor,
        activation=config.hidden_act,
        names=("dense1", "dense2"),
        routed=Routed(1, len(languages)) if len(languages) > 1 else None,  # a token passes that of its language
    )
    adapters = {
        "adapter_layer_norm": layer_norm(hidden) if config.adapter_layer_norm else None,
        "adapter_modules": module(**dict.fromkeys(languages, adapter)),
    }
    layer = bert_layer(config, kind="pre-norm" if config.pre_norm else "post-norm", in_output=adapters)
    last = layer_norm(hidden) if config.pre_norm else None
    layers = module(layer=repeat(config.num_hidden_layers, layer), LayerNorm=last)
    return roberta_model(config, "roberta", layers)

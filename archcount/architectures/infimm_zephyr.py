"""InfiMM-Zephyr: EVA-CLIP's large tower, Flamingo's latents, and a Mistral that reads them before every other layer.

Its file's names have not been seen: they are OpenFlamingo's here. Its length (19,682,192,822 bytes) holds this count.
"""

from __future__ import annotations

from typing import ClassVar

from ..config import Count, ModelConfig
from ..errors import ConfigValueError
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Stack, module, relocated, stack
from .towers.eva02 import Eva02Config, eva02
from .towers.flamingo import gated_cross_attention, resampler


class InfiMMConfig(CompositeConfig):
    language: ModelConfig = nested("mistral")
    visual: Eva02Config
    cross_attn_every_n_layers: Count = 2
    ignored: ClassVar[frozenset[str]] = frozenset({"tokenizer_type", "seq_length"})


@architecture("infimm-zephyr", config=InfiMMConfig)
def infimm_zephyr(config: InfiMMConfig) -> Module:
    seen, every, hidden = config.visual.width, config.cross_attn_every_n_layers, size_of(config.language, "hidden_size")
    language = relocated(built(config.language), "", "lang_encoder.")
    return module(
        vision_encoder=eva02(config.visual),
        perceiver=resampler(seen, latents=64, heads=8, head_dim=64),
        lang_encoder=_reading(language, hidden, seen, every),
    )


def _reading(language: Module, hidden: int, seen: int, every: int) -> Module:
    """Each layer as `decoder_layer`, and a gated reading of the image before each `every`-th."""
    (base, decoder), *head = language.children
    layers = dict(decoder.children)["layers"] if isinstance(decoder, Module) else None
    if not isinstance(decoder, Module) or not isinstance(layers, Stack):
        raise ConfigValueError("language: should be a decoder of numbered layers")
    reading = gated_cross_attention(hidden, seen)
    own: dict[int, Node] = {index: layer for where, layer in layers.groups for index in where}
    pairs = {
        (id(layer), reads): module(gated_cross_attn_layer=reading if reads else None, decoder_layer=layer)
        for layer in own.values()
        for reads in (False, True)
    }
    wrapped = [pairs[id(own[index]), (index + 1) % every == 0] for index in sorted(own)]
    return module(**{base: decoder.replacing(layers=stack(wrapped))}, **dict(head))

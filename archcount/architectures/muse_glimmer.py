"""Muse Glimmer: gated attention, three layers of four through a window, a norm on either side of each part; eyes."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_mlp, linear, rms_norm, sandwich_layer
from ..config import Count, DecoderConfig, ModelConfig, Size
from ..heads import decoder_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, checked_length, layer_kinds, stack_of
from ..tree import Module
from .towers.muse import MuseVisionConfig, muse_adapter, muse_vision


class MuseTextConfig(DecoderConfig, Rotary):
    """What Glimmer and Spark share."""

    num_key_value_heads: Count
    head_dim: Size
    attention_bias: bool = False
    sliding_window: Size | None = 2048
    layer_types: list[str] | None = None
    layer_rope_theta: list[float] | None = None
    hidden_act: str = "silu"
    also_spelled: ClassVar[dict[str, str]] = {"hidden_activation": "hidden_act"}

    def kinds(self) -> list[tuple[str, bool]]:
        """Of each layer: whether it has a window, and whether its heads turn (not in every fourth from the last)."""
        layers = self.num_hidden_layers

        def is_fourth(index: int) -> bool:
            return (layers - 1 - index) % 4 == 0

        attends = layer_kinds(layers, self.layer_types, lambda index: FULL if is_fourth(index) else SLIDING)
        bases = self.layer_rope_theta
        turns = [not is_fourth(i) for i in range(layers)] if bases is None else [base != 0 for base in bases]
        return list(zip(attends, checked_length(turns, layers, "layer_rope_theta"), strict=True))


class MuseGlimmerTextConfig(MuseTextConfig):
    vocab_size: Size = 202048
    hidden_size: Size = 6656
    intermediate_size: Size = 19968
    num_hidden_layers: Count = 52
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 2
    head_dim: Size = 128


class MuseGlimmerConfig(CompositeConfig):
    text_config: ModelConfig = nested("muse_glimmer_text")
    vision_config: MuseVisionConfig = MuseVisionConfig()
    out_hidden_size: Size = 6144
    projector_hidden_size: Size = 4096


@architecture("muse_glimmer_text", config=MuseGlimmerTextConfig)
def muse_glimmer_text(config: MuseGlimmerTextConfig) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)

    def layer(kind: tuple[str, bool]) -> Module:
        return sandwich_layer(muse_attention(config, *kind), mlp, rms_norm(hidden))

    return decoder_lm(config, stack_of(config.kinds(), layer), rms_norm(hidden))


@architecture("muse_glimmer", config=MuseGlimmerConfig)
def muse_glimmer(config: MuseGlimmerConfig) -> Module:
    text, inner = config.text_config, config.projector_hidden_size
    adapter = muse_adapter(config.out_hidden_size, inner, size_of(text, "hidden_size"))
    parts = {"vision_tower": muse_vision(config.vision_config), **adapter}
    return with_language_beside(config, text, parts, tie=False)


def muse_attention(config: MuseTextConfig, kind: str, turns: bool) -> Module:
    """Norms without a gain on queries and keys, and a gate on each channel of the output."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    norm = rms_norm(head_dim, weight=False)
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=norm,
        key_norm=norm,
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope if turns else "NoPE",
    ).extend(gate_proj=linear(hidden, heads * head_dim))

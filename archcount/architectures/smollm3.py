"""SmolLM3: Llama where every fourth layer has no positions, and may look through a window."""

from __future__ import annotations

from collections.abc import Iterable

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import FULL, SLIDING, checked_length, layer_kinds, stack_of, windows
from ..tree import Module
from .llama import LlamaConfig


class SmolLM3Config(LlamaConfig):
    vocab_size: Size = 128256
    hidden_size: Size = 2048
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 16
    num_key_value_heads: Count | None = 4
    tie_word_embeddings: bool = True
    use_sliding_window: bool = False
    sliding_window: Size | None = None
    no_rope_layers: list[int] | None = None
    no_rope_layer_interval: Count = 4
    layer_types: list[str] | None = None

    def layouts(self) -> Iterable[tuple[int | None, bool]]:
        """For each layer its window, and whether it has positions; `no_rope_layers` holds a 1 where it has."""
        layers, nth = self.num_hidden_layers, self.no_rope_layer_interval
        has_rope = self.no_rope_layers
        if has_rope is None:
            has_rope = [int((index + 1) % nth != 0) for index in range(layers)]
        checked_length(has_rope, layers, "no_rope_layers")
        window = self.sliding_window if self.use_sliding_window else None

        def derived(index: int) -> str:
            return SLIDING if window and not has_rope[index] else FULL

        kinds = layer_kinds(layers, self.layer_types, derived)
        return zip(windows(kinds, window), map(bool, has_rope), strict=True)


@architecture("smollm3", config=SmolLM3Config)
def smollm3(config: SmolLM3Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads

    def layer(layout: tuple[int | None, bool]) -> Module:
        window, has_rope = layout
        self_attn = attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            window=window,
            positions=config.rope if has_rope else "NoPE",
        )
        mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
        return pre_norm_layer(self_attn, mlp, rms_norm(hidden))

    return decoder_lm(config, stack_of(config.layouts(), layer), rms_norm(hidden))

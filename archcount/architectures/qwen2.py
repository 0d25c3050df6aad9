"""Qwen2 and Qwen2.5: Llama's layer with biases on query, key and value, and a window that is seldom in force."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of, windows
from ..tree import Module, Stack


class Qwen2Config(DecoderConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 4096
    intermediate_size: Size = 22016
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    head_dim: Size | None = None
    hidden_act: str = "silu"
    use_sliding_window: bool = False
    sliding_window: Size | None = 4096
    max_window_layers: CountOrZero = 28
    layer_types: list[str] | None = None

    def layer_windows(self) -> list[int | None]:
        """The window of each layer: none without `use_sliding_window`, and none below `max_window_layers`."""
        window, first = self.sliding_window if self.use_sliding_window else None, self.max_window_layers

        def derived(index: int) -> str:
            return SLIDING if window and index >= first else FULL

        return windows(layer_kinds(self.num_hidden_layers, self.layer_types, derived), window)


@architecture("qwen2", config=Qwen2Config)
def qwen2(config: Qwen2Config) -> Module:
    return decoder_lm(config, qwen2_layers(config), rms_norm(config.hidden_size))


def qwen2_layers(config: Qwen2Config, *, causal: bool = True) -> Stack:
    """The layers alone; models with eyes or ears hold them too, and see with them where they are not `causal`."""
    hidden, heads = config.hidden_size, config.num_attention_heads

    def layer(window: int | None) -> Module:
        self_attn = attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=True,
            out_bias=False,
            window=window,
            positions=config.rope,
            causal=causal,
        )
        mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
        return pre_norm_layer(self_attn, mlp, rms_norm(hidden))

    return stack_of(config.layer_windows(), layer)

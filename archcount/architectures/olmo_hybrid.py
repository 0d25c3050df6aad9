"""OLMo-Hybrid: a gated DeltaNet in three layers of four, with norms before; OLMo 3's attention in the fourth, after."""

from __future__ import annotations

from ..blocks import gated_mlp, rms_norm, separate_delta_net
from ..config import Count, Size
from ..dim import ceil_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, stack_of
from ..tree import Module, module
from .olmo2 import OlmoAttentionKeys, olmo_attention


class OlmoHybridConfig(OlmoAttentionKeys):
    vocab_size: Size = 100352
    hidden_size: Size = 3840
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 30
    hidden_act: str = "silu"
    layer_types: list[str] | None = None
    linear_num_key_heads: Count | None = None
    linear_num_value_heads: Count | None = None
    linear_key_head_dim: Size | None = None
    linear_value_head_dim: Size | None = None
    linear_conv_kernel_dim: Size = 4
    linear_a_log_min: float | None = None

    @property
    def is_saved_anew(self) -> bool:
        """Was the file written by a class that packs the convolutions, or as OLMo-Hybrid was published before it?"""
        return self.layer_types is None or self.linear_a_log_min is not None


@architecture("olmo_hybrid", config=OlmoHybridConfig)
def olmo_hybrid(config: OlmoHybridConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    norm = rms_norm(hidden)
    first, second = "input_layernorm", "post_attention_layernorm"
    if config.is_saved_anew:  # the renaming on load is turned round for every layer, whatever its kind
        first, second = "attention_layer_norm", "feedforward_layer_norm"
    delta_net, attends = {"linear_attn": _delta_net(config)}, {"self_attn": olmo_attention(config)}
    built = {
        LINEAR: module(None, "pre-norm", **delta_net, mlp=mlp, **{first: norm, second: norm}),
        FULL: module(None, "post-norm", **attends, mlp=mlp, **{second: norm}, post_feedforward_layernorm=norm),
    }

    def derived(index: int) -> str:
        return FULL if index % 4 == 3 or (layers < 4 and index == layers - 1) else LINEAR

    kinds = layer_kinds(layers, config.layer_types, derived, known=(LINEAR, FULL))
    return decoder_lm(config, stack_of(kinds, built.__getitem__), norm)


def _delta_net(config: OlmoHybridConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    key_heads, value_heads = config.linear_num_key_heads or heads, config.linear_num_value_heads or heads
    key_dim = config.linear_key_head_dim or 3 * hidden // (4 * key_heads)
    value_dim = config.linear_value_head_dim or 2 * key_dim
    channels = 2 * (key_heads * key_dim) + value_heads * value_dim
    third = ceil_div(channels, 3)
    return separate_delta_net(
        hidden,
        key_heads=key_heads,
        value_heads=value_heads,
        key_dim=key_dim,
        value_dim=value_dim,
        kernel=config.linear_conv_kernel_dim,
        filters=(third, third, channels - 2 * third) if config.is_saved_anew else None,
    )

"""Qwen3-MoE: Qwen3's attention, and a router to 8 of 128 experts in every `decoder_sparse_step`-th layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module


class Qwen3MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151936
    hidden_size: Size = 2048
    intermediate_size: Size = 6144
    moe_intermediate_size: Size = 768
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 4
    head_dim: Size | None = None
    attention_bias: bool = False
    num_experts: CountOrZero = 128
    num_experts_per_tok: Count = 8
    decoder_sparse_step: Count = 1
    mlp_only_layers: list[CountOrZero] | None = None
    use_sliding_window: bool = False
    sliding_window: Size | None = 4096
    hidden_act: str = "silu"
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"max_window_layers"})

    def is_sparse(self, index: int) -> bool:
        """Does layer `index` hold experts?"""
        listed_as_dense = index in (self.mlp_only_layers or ())
        return bool(self.num_experts) and not listed_as_dense and (index + 1) % self.decoder_sparse_step == 0


@architecture("qwen3_moe", config=Qwen3MoeConfig)
def qwen3_moe(config: Qwen3MoeConfig) -> Module:
    def sparse() -> Module:
        return sparse_mlp(
            config.hidden_size,
            config.moe_intermediate_size,
            experts=config.num_experts,
            active=config.num_experts_per_tok,
            activation=config.hidden_act,
        )

    return decoder_around(config, sparse)


def decoder_around(config: Qwen3MoeConfig, sparse: Callable[[], Module]) -> Module:
    """The decoder and its head; `sparse` makes the MLP of the layers that hold experts, where there are any."""
    hidden, heads, activation = config.hidden_size, config.num_attention_heads, config.hidden_act
    head_dim = config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if config.use_sliding_window else None,
        positions=config.rope,
    )
    dense = gated_mlp(hidden, config.intermediate_size, activation=activation)

    def layer(is_sparse: bool) -> Module:
        return pre_norm_layer(self_attn, sparse() if is_sparse else dense, rms_norm(hidden))

    return decoder_lm(config, stack_of(map(config.is_sparse, range(config.num_hidden_layers)), layer), rms_norm(hidden))

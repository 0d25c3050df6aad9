"""Flint: windows on three layers of four, a learned softmax offset per head, many small experts beside a shared one."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of, windows
from ..tree import Module, Tensor


class FlintConfig(DecoderConfig, Rotary):
    vocab_size: Size = 150144
    hidden_size: Size = 2048
    intermediate_size: Size = 6144
    moe_intermediate_size: Size = 512
    shared_expert_intermediate_size: Size = 1024
    num_hidden_layers: Count = 49
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 4
    head_dim: Size = 128
    attention_bias: bool = False
    num_experts: CountOrZero = 256
    num_experts_per_tok: Count = 6
    decoder_sparse_step: Count = 1
    mlp_only_layers: tuple[CountOrZero, ...] = (0, 1)
    sliding_window: Size = 513
    layer_types: list[str] | None = None
    hidden_act: str = "silu"

    def layer_windows(self) -> list[int | None]:
        """The window of each layer: none on the first two, the last, and every fourth between."""
        last = self.num_hidden_layers - 1

        def derived(index: int) -> str:
            return FULL if index < 2 or index % 4 == 1 or index == last else SLIDING

        return windows(layer_kinds(self.num_hidden_layers, self.layer_types, derived), self.sliding_window)

    def is_sparse(self, index: int) -> bool:
        """Does layer `index` hold experts?"""
        due = self.num_experts > 0 and (index + 1) % self.decoder_sparse_step == 0
        return due and index not in self.mlp_only_layers


@architecture("flint", config=FlintConfig)
def flint(config: FlintConfig) -> Module:
    norm = rms_norm(config.hidden_size)

    def layer(layout: tuple[int | None, bool]) -> Module:
        window, is_sparse = layout
        return pre_norm_layer(flint_attention(config, window), flint_mlp(config, is_sparse), norm)

    sparse = map(config.is_sparse, range(config.num_hidden_layers))
    return decoder_lm(config, stack_of(zip(config.layer_windows(), sparse, strict=True), layer), norm)


def flint_attention(config: FlintConfig, window: int | None) -> Module:
    heads, head_dim = config.num_attention_heads, config.head_dim
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=window,
        positions=config.rope if window else "NoPE",
    ).extend(softmax_offset=Tensor((heads,)))


def flint_mlp(config: FlintConfig, is_sparse: bool) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    if not is_sparse:
        return gated_mlp(hidden, config.intermediate_size, activation=activation)
    return sparse_mlp(
        hidden,
        config.moe_intermediate_size,
        experts=config.num_experts,
        active=config.num_experts_per_tok,
        activation=activation,
        shared=config.shared_expert_intermediate_size,
        names=("gate", "shared_expert"),
    )

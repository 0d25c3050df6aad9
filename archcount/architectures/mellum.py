"""Mellum: QK-norm, 64 small experts in every sparse layer, and a layer that predicts a token ahead."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_mlp, linear, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, SPARSE, layer_kinds, stack_of, windows
from ..tree import Module, module, repeat


class MellumConfig(DecoderConfig, Rotary):
    vocab_size: Size = 98304
    hidden_size: Size = 2304
    intermediate_size: Size = 7168
    moe_intermediate_size: Size = 896
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 4
    head_dim: Size = 128
    attention_bias: bool = False
    num_experts: Count = 64
    num_experts_per_tok: Count = 8
    sliding_window: Size | None = 1024
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    num_mtp_layers: CountOrZero = 0
    mtp_layer_types: list[str] | None = None
    mtp_mlp_layer_types: list[str] | None = None
    hidden_act: str = "silu"
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "num_experts",
        "num_nextn_predict_layers": "num_mtp_layers",
    }


@architecture("mellum", config=MellumConfig)
def mellum(config: MellumConfig) -> Module:
    layers, norm = config.num_hidden_layers, rms_norm(config.hidden_size)

    def layer(layout: tuple[int | None, str]) -> Module:
        window, mlp = layout
        return pre_norm_layer(mellum_attention(config, window), mellum_mlp(config, mlp), norm)

    attends = windows(layer_kinds(layers, config.layer_types, lambda _: FULL), config.sliding_window)
    mlps = mlp_kinds(layers, config.mlp_layer_types, "mlp_layer_types")
    whole = decoder_lm(config, stack_of(zip(attends, mlps, strict=True), layer), norm)
    if not config.num_mtp_layers:
        return whole
    if config.num_mtp_layers > 1:
        raise ConfigValueError(f"num_mtp_layers is {config.num_mtp_layers}: Mellum has one such layer, or none")
    kind = layer_kinds(1, config.mtp_layer_types, lambda _: SLIDING, key="mtp_layer_types")
    [mlp] = mlp_kinds(1, config.mtp_mlp_layer_types, "mtp_mlp_layer_types")
    [window] = windows(kind, config.sliding_window)
    return whole.extend(mtp=look_ahead(config, layer((window, mlp))))


def mlp_kinds(layers: int, given: list[str] | None, key: str) -> list[str]:
    return layer_kinds(layers, given, lambda _: SPARSE, known=(DENSE, SPARSE), key=key)


def look_ahead(config: MellumConfig, layer: Module) -> Module:
    """The published form: the next token's embedding and the last hidden state, normed and joined by `fc`."""
    hidden = config.hidden_size
    return module(
        fc=linear(2 * hidden, hidden),
        layers=repeat(1, layer),
        norm=rms_norm(hidden),
        pre_fc_norm_embedding=rms_norm(hidden),
        pre_fc_norm_hidden=rms_norm(hidden),
    ).marked(section="mtp")


def mellum_attention(config: MellumConfig, window: int | None) -> Module:
    head_dim = config.head_dim
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=window,
        positions=config.rope,
    )


def mellum_mlp(config: MellumConfig, kind: str) -> Module:
    hidden, activation = config.hidden_size, config.hidden_act
    if kind == DENSE:
        return gated_mlp(hidden, config.intermediate_size, activation=activation)
    experts, active = config.num_experts, config.num_experts_per_tok
    return sparse_mlp(hidden, config.moe_intermediate_size, experts=experts, active=active, activation=activation)

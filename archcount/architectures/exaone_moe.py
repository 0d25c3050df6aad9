"""K-EXAONE: QK-norm attention, three layers in four through a window, before DeepSeek-V3's experts."""

from __future__ import annotations

from ..blocks import attention, bias_of, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, stack
from .qwen3_next import look_ahead_of


class ExaoneMoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 102400
    hidden_size: Size = 4096
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 32
    head_dim: Size | None = None
    hidden_act: str = "silu"
    sliding_window: Size | None = 4096
    sliding_window_pattern: CountOrZero | str | None = 4
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    first_k_dense_replace: CountOrZero = 1
    moe_intermediate_size: Size = 1024
    num_experts: Count = 64
    num_experts_per_tok: Count = 8
    num_shared_experts: CountOrZero = 1
    num_nextn_predict_layers: CountOrZero = 0
    mtp_share_layers: bool = False
    mtp_layer_types: list[str] | None = None


@architecture("exaone_moe", config=ExaoneMoeConfig)
def exaone_moe(config: ExaoneMoeConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)

    def layer(kind: tuple[str, str]) -> Module:
        attends, mlp = kind
        return pre_norm_layer(
            _attention(config, attends), dense if mlp == DENSE else _experts(config), rms_norm(hidden)
        )

    mlps = mlp_layer_kinds(layers, config.mlp_layer_types, dense_first(config.first_k_dense_replace))
    model = decoder_lm(config, stack_of(zip(_attention_kinds(config), mlps, strict=True), layer), rms_norm(hidden))
    further = [layer((attends, DENSE)) for attends in _attention_ahead(config)]
    return model.extend(mtp=look_ahead_of(stack(further), hidden) if further else None)


def _attention_kinds(config: ExaoneMoeConfig) -> list[str]:
    every = config.sliding_window_pattern
    if config.layer_types is None and config.sliding_window is not None and (not every or isinstance(every, str)):
        fault = f"sliding_window_pattern is {every!r}: without layer_types it should be a whole number of at least 1"
        raise ConfigValueError(fault)

    def slides(index: int) -> str:
        return SLIDING if config.sliding_window and isinstance(every, int) and (index + 1) % every else FULL

    return layer_kinds(config.num_hidden_layers, config.layer_types, slides)


def _attention_ahead(config: ExaoneMoeConfig) -> list[str]:
    """For each stored layer that predicts a token further; `mtp_share_layers` has one serve all steps."""
    steps = config.num_nextn_predict_layers
    stored = min(steps, 1) if config.mtp_share_layers else steps
    return layer_kinds(stored, config.mtp_layer_types, lambda _: FULL, key="mtp_layer_types") if stored else []


def _attention(config: ExaoneMoeConfig, kind: str) -> Module:
    heads = config.num_attention_heads
    head_dim = config.head_dim or exact_div(config.hidden_size, heads)
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    )


def _experts(config: ExaoneMoeConfig) -> Module:
    inner, experts = config.moe_intermediate_size, config.num_experts
    return sparse_mlp(
        config.hidden_size,
        inner,
        experts=experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.num_shared_experts * inner,
        e_score_correction_bias=bias_of(experts),
    )

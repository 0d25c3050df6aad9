"""dots.llm1: QK-norm attention before DeepSeek-V3's experts."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of
from ..tree import Module


class Dots1Config(DecoderConfig, Rotary):
    vocab_size: Size = 152064
    hidden_size: Size = 4608
    intermediate_size: Size = 10944
    moe_intermediate_size: Size = 1408
    num_hidden_layers: Count = 62
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    head_dim: Size | None = None
    n_shared_experts: CountOrZero | None = None
    n_routed_experts: Count | None = None
    num_experts_per_tok: Count | None = None
    first_k_dense_replace: CountOrZero = 0
    hidden_act: str = "silu"
    attention_bias: bool = False
    sliding_window: Size | None = 4096
    max_window_layers: CountOrZero = 62
    layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "n_routed_experts"}


@architecture("dots1", config=Dots1Config)
def dots1(config: Dots1Config) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers

    def slides(index: int) -> str:
        return SLIDING if config.sliding_window is not None and index >= config.max_window_layers else FULL

    def layer(kind: tuple[str, bool]) -> Module:
        attends, dense = kind
        mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act) if dense else _experts(config)
        return pre_norm_layer(_attention(config, attends), mlp, rms_norm(hidden))

    kinds = layer_kinds(layers, config.layer_types, slides)
    is_dense = [index < config.first_k_dense_replace for index in range(layers)]
    return decoder_lm(config, stack_of(zip(kinds, is_dense, strict=True), layer), rms_norm(hidden))


def _attention(config: Dots1Config, kind: str) -> Module:
    heads = config.num_attention_heads
    head_dim = config.head_dim or exact_div(config.hidden_size, heads)
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    )


def _experts(config: Dots1Config) -> Module:
    experts, active, shared = config.n_routed_experts, config.num_experts_per_tok, config.n_shared_experts
    if experts is None or active is None or shared is None:
        keys = "n_routed_experts, num_experts_per_tok and n_shared_experts"
        raise ConfigValueError(f"layers with experts need {keys}, and dots1 has no default for them: give all three")
    return sparse_mlp(
        config.hidden_size,
        config.moe_intermediate_size,
        experts=experts,
        active=active,
        activation=config.hidden_act,
        shared=shared * config.moe_intermediate_size,
        correction=True,
    )

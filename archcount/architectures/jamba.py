"""Jamba: Mamba layers with attention in every eighth, and experts in every second."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import attention, gated_mlp, mamba, rms_norm, router
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import ceil_div, exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, Routed, module, repeat


class JambaConfig(DecoderConfig):
    vocab_size: Size = 65536
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    hidden_act: str = "silu"
    num_experts: Count = 16
    num_experts_per_tok: Count = 2
    expert_layer_period: Count = 2
    expert_layer_offset: CountOrZero = 1
    attn_layer_period: Count = 8
    attn_layer_offset: CountOrZero = 4
    mamba_d_state: Size = 16
    mamba_d_conv: Size = 4
    mamba_expand: Size = 2
    mamba_dt_rank: Size | Literal["auto"] = "auto"
    mamba_conv_bias: bool = True
    mamba_proj_bias: bool = False
    also_spelled: ClassVar[dict[str, str]] = {"num_local_experts": "num_experts"}


@architecture("jamba", config=JambaConfig)
def jamba(config: JambaConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
    )
    state_space, dense, sparse = _state_space(config), _dense(config), _sparse(config)

    def layer(kind: tuple[bool, bool]) -> Module:
        is_attention, is_sparse = kind
        return module(
            None,
            "pre-norm",
            self_attn=self_attn if is_attention else None,
            mamba=None if is_attention else state_space,
            feed_forward=sparse if is_sparse else dense,
            input_layernorm=rms_norm(hidden),
            pre_ff_layernorm=rms_norm(hidden),
        )

    kinds = [(_is_attention(config, i), _is_sparse(config, i)) for i in range(config.num_hidden_layers)]
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden), norm_name="final_layernorm")


def _is_attention(config: JambaConfig, index: int) -> bool:
    return index % config.attn_layer_period == config.attn_layer_offset


def _is_sparse(config: JambaConfig, index: int) -> bool:
    return config.num_experts > 1 and index % config.expert_layer_period == config.expert_layer_offset


def _state_space(config: JambaConfig) -> Module:
    hidden, rank = config.hidden_size, config.mamba_dt_rank
    return mamba(
        hidden,
        inner=config.mamba_expand * hidden,
        state=config.mamba_d_state,
        rank=ceil_div(hidden, 16) if isinstance(rank, str) else rank,
        kernel=config.mamba_d_conv,
        bias=config.mamba_proj_bias,
        conv_bias=config.mamba_conv_bias,
        inner_norms=True,
    )


def _dense(config: JambaConfig) -> Module:
    return gated_mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)


def _sparse(config: JambaConfig) -> Module:
    experts, active = config.num_experts, config.num_experts_per_tok
    expert = _dense(config).marked(role=Role.EXPERTS, routed=Routed(active, experts))
    return module(
        None,
        f"{experts} experts, top {active}",
        router=router(config.hidden_size, experts),
        experts=repeat(experts, expert),
    )

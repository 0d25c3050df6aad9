"""Zaya: attention on convolved queries and keys with half its values a token late; experts behind a routing MLP.

Longer than most: its attention on convolved queries and its routing MLP stand in no other family.
"""

from __future__ import annotations

from dataclasses import replace

from ..blocks import (
    attention,
    causal_convolution,
    embedding,
    expert_layout,
    linear,
    packed_experts,
    recurrent_state,
    rms_norm,
)
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import HYBRID, layer_kinds, stack_of
from ..tree import Module, Role, Tensor, Use, module

SLIDING = "hybrid_sliding"
RESIDUAL = ("hidden_states_scale", "hidden_states_bias", "residual_scale", "residual_bias")


class ZayaConfig(ModelConfig, Rotary):
    vocab_size: Size = 262272
    hidden_size: Size = 2048
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 8
    num_key_value_heads: Count = 2
    head_dim: Size = 128
    hidden_act: str = "silu"
    sliding_window: Size | None = None
    layer_types: list[str] | None = None
    moe_intermediate_size: Size = 2048
    num_experts_per_tok: Count = 1
    num_experts: Count = 16
    router_hidden_size: Size = 256
    cca_time0: Size = 2
    cca_time1: Size = 2
    attention_bias: bool = False
    lm_head_bias: bool = False
    tie_word_embeddings: bool = True


@architecture("zaya", config=ZayaConfig)
def zaya(config: ZayaConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    listed = layer_kinds(config.num_hidden_layers, config.layer_types, lambda _: HYBRID, known=(HYBRID, SLIDING))
    if SLIDING in listed and config.sliding_window is None:
        raise ConfigValueError(f"sliding_window is missing, and layer_types[{listed.index(SLIDING)}] is {SLIDING}")
    residual = module(**{name: _vector(name, hidden) for name in RESIDUAL})

    def layer(kind: tuple[str, bool]) -> Module:
        schedule, is_first = kind
        return module(
            None,
            "pre-norm",
            self_attn=_attention(config, config.sliding_window if schedule == SLIDING else None),
            mlp=_experts(config, is_first),
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden),
            post_attention_residual_scale=residual,
            post_mlp_residual_scale=residual,
        )

    model = module(
        input_hidden_states_scale=_vector("scale", hidden),
        input_hidden_states_bias=_vector("bias", hidden),
        embed_tokens=embedding(vocab, hidden),
        layers=stack_of([(kind, index == 0) for index, kind in enumerate(listed)], layer),
        norm=rms_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, head_bias=config.lm_head_bias)


def _vector(name: str, width: int) -> Tensor:
    return Tensor((width,), Use.BIAS if name.endswith("bias") else Use.SCALE)


def _attention(config: ZayaConfig, window: int | None) -> Module:
    heads, kv_heads, head_dim = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    plain = attention(
        config.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        window=window,
        positions=config.rope,
    )
    return replace(
        plain,
        children=(
            ("o_proj", linear(heads * head_dim, config.hidden_size, bias=config.attention_bias)),
            ("qkv_proj", _convolved_projections(config)),
            ("qk_norm", module(Role.NORM, "L2 norm", temp=Tensor((kv_heads,), Use.SCALE))),
        ),
    )


def _convolved_projections(config: ZayaConfig) -> Module:
    """Two convolutions over queries and keys, one a channel, one a head; half the values come from the token before."""
    hidden, kv = config.hidden_size, config.num_key_value_heads * config.head_dim
    heads = config.num_attention_heads + config.num_key_value_heads
    channels, half, bias = heads * config.head_dim, exact_div(kv, 2), config.attention_bias
    return module(
        q_proj=linear(hidden, config.num_attention_heads * config.head_dim, bias=bias),
        k_proj=linear(hidden, kv, bias=bias),
        v_proj_current=linear(hidden, half, bias=bias),
        v_proj_delayed=linear(hidden, half, bias=bias).marked(cache=recurrent_state(half, "delayed values")),
        conv_qk_depthwise=causal_convolution(channels, config.cca_time0, bias=True),
        conv_qk_grouped=causal_convolution(channels, config.cca_time1, bias=True, groups=heads),
    )


def _experts(config: ZayaConfig, is_first: bool) -> Module:
    """A token visits one expert or none, as an MLP decides that also reads the router's state of the layer before."""
    inner, experts = config.router_hidden_size, config.num_experts
    routing = module(
        norm=rms_norm(inner),
        fc1=linear(inner, inner, bias=True),
        fc2=linear(inner, inner, bias=True),
        out_proj=linear(inner, experts + 1),
    )
    gate = module(
        Role.ROUTER,
        balancing_biases=Tensor((experts + 1,), Use.BIAS),
        down_proj=linear(config.hidden_size, inner, bias=True),
        router_mlp=routing,
        router_states_scale=None if is_first else Tensor((inner,), Use.SCALE),
    )
    packed = packed_experts(
        config.hidden_size,
        config.moe_intermediate_size,
        experts=experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
    )
    return module(None, expert_layout(experts, config.num_experts_per_tok), gate=gate, experts=packed)

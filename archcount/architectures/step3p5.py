"""Step 3.5: experts in three tensors, a gate on each head, more heads where a window is.

Longer than most: the first files spell half of its keys, and their lists of layers, in a way of their own.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    expert_layout,
    followed_by,
    gated_mlp,
    linear,
    lm_head,
    rms_norm,
    router,
    stacked_linear,
)
from ..blocks.mlp import activation_name
from ..config import Count, CountOrZero, DecoderConfig, Schema, Size
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, SPARSE, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, Role, module


class SlidingSizes(Schema):
    """What the layers with a window have otherwise, as the first files say it."""

    num_attention_heads: Count | None = None


class Step3p5Config(DecoderConfig, Rotary):
    model_type: str = "step3p5"
    vocab_size: Size = 128815
    hidden_size: Size = 4096
    intermediate_size: Size = 11264
    moe_intermediate_size: Size = 1280
    share_expert_dim: Size = 1280
    num_hidden_layers: Count = 45
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 8
    num_sliding_attention_heads: Count | None = None
    attention_other_setting: SlidingSizes = SlidingSizes()
    head_dim: Size = 128
    n_routed_experts: Count = 288
    num_experts_per_tok: Count = 8
    attention_bias: bool = False
    mlp_bias: bool = False
    sliding_window: Size | None = None
    hidden_act: str = "silu"
    layer_types: list[str] | None = None
    mlp_layer_types: list[str] | None = None
    moe_layers_enum: str | list[CountOrZero] | None = None
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "n_routed_experts",
        "moe_num_experts": "n_routed_experts",
        "moe_top_k": "num_experts_per_tok",
        "num_attention_groups": "num_key_value_heads",
        "share_expert_dims": "share_expert_dim",
        "num_mtp_layers": "num_nextn_predict_layers",
    }

    def kinds(self) -> list[tuple[str, str]]:
        """Of each layer: whether it has a window, and whether it has experts."""
        listed = self._listed()

        def derived(index: int) -> str:
            return SPARSE if (index >= 3 if listed is None else index in listed) else DENSE

        layers = self.num_hidden_layers
        attends = layer_kinds(layers, self._without_further(self.layer_types), lambda _: FULL)
        listed_mlps = self._without_further(self.mlp_layer_types)
        mlps = mlp_layer_kinds(layers, listed_mlps, derived)
        return list(zip(attends, mlps, strict=True))

    def _listed(self) -> set[int] | None:
        """The layers with experts as the first files list them: "3,4,5,…"."""
        given = self.moe_layers_enum
        if given is None:
            return None
        steps = [str(step).strip() for step in (given.split(",") if isinstance(given, str) else given)]
        if strange := [step for step in steps if step and not step.isdecimal()]:
            raise ConfigValueError(f"moe_layers_enum lists {strange[0]!r}: should be numbers of layers")
        return {int(step) for step in steps if step}

    def _without_further(self, given: list[str] | None) -> list[str] | None:
        """The first files list the layers that predict a token further too."""
        layers, further = self.num_hidden_layers, self.num_nextn_predict_layers
        return given[:layers] if given and len(given) == layers + further else given


@architecture("step3p5", config=Step3p5Config)
def step3p5(config: Step3p5Config) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)

    def layer(kind: tuple[str, str]) -> Module:
        return module(
            None,
            "pre-norm",
            input_layernorm=rms_norm(hidden),
            self_attn=_attention(config, kind[0]),
            post_attention_layernorm=rms_norm(hidden),
            **(step_experts(config) if kind[1] == SPARSE else {"mlp": mlp}),
        )

    layers, further = stack_of(config.kinds(), layer), _look_ahead(layer((SLIDING, DENSE)), config)
    stacked = followed_by(layers, further, config.num_hidden_layers, config.num_nextn_predict_layers)
    return decoder_lm(config, stacked, rms_norm(hidden))


def _look_ahead(layer: Module, config: Step3p5Config) -> Module:
    """A layer that predicts a further token, with a head of its own; the number follows the model's."""
    hidden = config.hidden_size
    head = module(norm=rms_norm(hidden), output=lm_head(hidden, config.vocab_size))
    return layer.marked(section="mtp").extend(
        enorm=rms_norm(hidden),
        hnorm=rms_norm(hidden),
        eh_proj=linear(2 * hidden, hidden),
        transformer=module(shared_head=head),
    )


def _attention(config: Step3p5Config, kind: str) -> Module:
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    if kind == SLIDING:
        heads = config.num_sliding_attention_heads or config.attention_other_setting.num_attention_heads or heads
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        positions=config.rope,
    ).extend(g_proj=linear(hidden, heads))


def step_experts(config: Step3p5Config, *, corrected: bool = True) -> dict[str, Module]:
    """All experts' gates in one tensor, and so their two other matrices; the one that all visit stands beside them."""
    hidden, inner, activation = config.hidden_size, config.moe_intermediate_size, config.hidden_act
    experts, active = config.n_routed_experts, config.num_experts_per_tok
    up = stacked_linear(hidden, inner, experts=experts, active=active)
    moe = module(
        Role.ROUTER,
        expert_layout(experts, active),
        gate=router(hidden, experts),
        router_bias=bias_of(experts) if corrected else None,
        gate_proj=up.marked(kind=activation_name(activation, gated=True)),
        up_proj=up,
        down_proj=stacked_linear(inner, hidden, experts=experts, active=active),
    )
    shared = gated_mlp(hidden, config.share_expert_dim, bias=config.mlp_bias, activation=activation)
    return {"moe": moe, "share_expert": shared}

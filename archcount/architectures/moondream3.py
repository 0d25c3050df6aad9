"""Moondream 2 and 3: Phi's parallel layers, from 3 on with experts, a SigLIP, and small coders of points and boxes.

Longer than most: the configs say nothing, so that all sizes of two generations stand here.
"""

from __future__ import annotations

from ..blocks import fused_attention, layer_norm, linear, mixture, mlp, router, stacked_linear
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, Tensor, Use, module
from .towers.moondream import MoondreamRegionConfig, MoondreamVisionConfig, moondream_region, moondream_vision


class MoondreamExpertsConfig(Schema):
    num_experts: Count = 64
    start_layer: CountOrZero = 4
    experts_per_token: Count = 8
    expert_inner_dim: Size = 1024


class Moondream2TextConfig(Schema):
    dim: Size = 2048
    ff_dim: Size = 8192
    n_layers: Count = 24
    vocab_size: Size = 51200
    n_heads: Count = 32
    n_kv_heads: Count = 32
    moe: MoondreamExpertsConfig | None = None


class Moondream3TextConfig(Moondream2TextConfig):
    moe: MoondreamExpertsConfig | None = MoondreamExpertsConfig()


class Moondream2Parts(Schema):
    text: Moondream2TextConfig = Moondream2TextConfig()
    vision: MoondreamVisionConfig = MoondreamVisionConfig()
    region: MoondreamRegionConfig = MoondreamRegionConfig()


class Moondream3Parts(Moondream2Parts):
    text: Moondream3TextConfig = Moondream3TextConfig()


class Moondream2Config(ModelConfig):
    config: Moondream2Parts = Moondream2Parts()


class Moondream3Config(Moondream2Config):
    config: Moondream3Parts = Moondream3Parts()


@architecture("moondream1", config=ModelConfig)
def moondream1(config: ModelConfig) -> Module:
    """Three generations call themselves so, and none but the first says a size in its config.

    Raises ConfigValueError: always; the mend is to say which one it is.
    """
    mend = "count it with --as moondream2 or --as moondream3"
    raise ConfigValueError(f"model_type moondream1 is written by Moondream 2 and 3, whose config says no size: {mend}")


@architecture("moondream2", config=Moondream2Config)
@architecture("moondream3", config=Moondream3Config)
def moondream3(config: Moondream2Config) -> Module:
    parts, is_second = config.config, not isinstance(config, Moondream3Config)
    return module(
        model=module(
            text=_text(parts.text, has_scales=not is_second),
            vision=moondream_vision(parts.vision),
            region=moondream_region(parts.region, is_deep=is_second),
        )
    )


def _text(config: Moondream2TextConfig, *, has_scales: bool) -> Module:
    dim, experts = config.dim, config.moe

    def block(is_sparse: bool) -> Module:
        feed_forward = mlp(dim, config.ff_dim)
        if is_sparse and experts is not None:
            feed_forward = _experts(dim, experts)
        return module(
            None, "parallel", ln=layer_norm(dim), attn=_attention(config, has_scales=has_scales), mlp=feed_forward
        )

    sparse = [experts is not None and index >= experts.start_layer for index in range(config.n_layers)]
    return module(
        wte=Tensor((config.vocab_size, dim), Use.LOOKUP),
        blocks=stack_of(sparse, block),
        post_ln=layer_norm(dim),
        lm_head=linear(dim, config.vocab_size, bias=True, role=Role.HEAD),
    )


def _attention(config: Moondream2TextConfig, *, has_scales: bool) -> Module:
    """`tau`: from 3 on, a temperature of query and value for each head, learned from what stands in `qkv`."""
    dim, heads, head_dim = config.dim, config.n_heads, exact_div(config.dim, config.n_heads)
    attn = fused_attention(
        dim,
        heads=heads,
        kv_heads=config.n_kv_heads,
        head_dim=head_dim,
        bias=True,
        positions="RoPE",
        names=("qkv", "proj"),
    )
    mixed = Tensor((heads, (heads + 2 * config.n_kv_heads) * head_dim), Use.MATMUL)
    tau = module(alpha=Tensor((heads,), Use.SCALE), wq=mixed, wv=mixed)
    return attn.extend(tau=tau) if has_scales else attn


def _experts(dim: int, config: MoondreamExpertsConfig) -> Module:
    total, active, inner = config.num_experts, config.experts_per_token, config.expert_inner_dim
    return mixture(
        total,
        active,
        router=router(dim, total, bias=True),
        fc1=stacked_linear(dim, 2 * inner, experts=total, active=active, kind="GEGLU"),
        fc2=stacked_linear(inner, dim, experts=total, active=active),
    )

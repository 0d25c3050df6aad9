"""Inkling 2: each part reads a mix of earlier blocks; in the looped one, layers run several times.

Longer than most: filters, a mix of earlier blocks and layers that run several times stand in no other family.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, causal_convolution, linear, mixture, packed_experts, rms_norm, router
from ..blocks.state import STATE_DTYPE
from ..config import Count, ModelConfig, Schema, Size
from ..dim import same_size
from ..heads import refuse_other_heads
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..schedules import layer_kinds, stack_of
from ..tree import Cache, Module, Role, Stack, Tensor, Use, module, stack
from .towers.inkling2 import Inkling2VisionConfig, inkling2_vision

SLIDING, FULL = "hybrid_sliding", "hybrid"


class Inkling2TextConfig(ModelConfig):
    vocab_size: Size = 201024
    unpadded_vocab_size: Size = 200058
    hidden_size: Size = 4608
    moe_intermediate_size: Size = 2304
    num_hidden_layers: Count = 48
    num_attention_heads: Count = 48
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    swa_num_attention_heads: Count = 48
    swa_num_key_value_heads: Count = 8
    swa_head_dim: Size = 128
    sliding_window_size: Size = 1024
    d_rel: Size = 16
    rel_extent: Size = 1024
    conv_kernel_size: Size = 4
    layer_types: list[str] | None = None
    hidden_act: str = "silu"
    n_routed_experts: Count = 384
    num_experts_per_tok: Count = 8
    also_spelled: ClassVar[dict[str, str]] = {
        "sliding_window": "sliding_window_size",
        "num_local_experts": "n_routed_experts",
        "sconv_kernel_size": "conv_kernel_size",
        "intermediate_size": "moe_intermediate_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_layers_per_attn_res_block"})


class LoopSizes(Schema):
    """The published files' own spelling of the loop."""

    core_start: Count | None = None
    core_end: Count | None = None
    num_passes: Count | None = None
    gate_rank: Size | None = None


class Inkling2LoopTextConfig(Inkling2TextConfig):
    hidden_size: Size = 2304
    moe_intermediate_size: Size = 1152
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 24
    swa_num_attention_heads: Count = 24
    n_routed_experts: Count = 128
    loop_config: LoopSizes = LoopSizes()
    loop_layer_index_start: Count = 6
    loop_layer_index_end: Count = 18
    loop_num_passes: Count = 3
    loop_gate_rank: Size = 64


class Inkling2Config(CompositeConfig):
    text_config: Inkling2TextConfig = nested("inkling2_text")
    vision_config: Inkling2VisionConfig = nested("inkling2_vision")


class Inkling2LoopConfig(CompositeConfig):
    text_config: Inkling2LoopTextConfig = nested("inkling2_loop_text")
    vision_config: Inkling2VisionConfig = nested("inkling2_vision", text_hidden_size=2304)


@architecture("inkling2_text", config=Inkling2TextConfig)
def inkling2_text(config: Inkling2TextConfig) -> Module:
    refuse_other_heads(config)
    return module(model=module(llm=plain(config)))


@architecture("inkling2_loop_text", config=Inkling2LoopTextConfig)
def inkling2_loop_text(config: Inkling2LoopTextConfig) -> Module:
    refuse_other_heads(config)
    return module(model=module(llm=looped(config)))


@architecture("inkling2", config=Inkling2Config)
def inkling2(config: Inkling2Config) -> Module:
    refuse_other_heads(config)
    return module(model=module(llm=plain(config.text_config), visual=_visual(config)))


@architecture("inkling2_loop", config=Inkling2LoopConfig)
def inkling2_loop(config: Inkling2LoopConfig) -> Module:
    refuse_other_heads(config)
    return module(model=module(llm=looped(config.text_config), visual=_visual(config)))


def _visual(config: Inkling2Config | Inkling2LoopConfig) -> Module:
    same_size(config.vision_config.text_hidden_size, config.text_config.hidden_size)
    return inkling2_vision(config.vision_config)


def plain(config: Inkling2TextConfig) -> Module:
    """The language model without a loop."""
    kinds = _kinds(config)
    return module(**_around(config, stack_of(kinds, lambda kind: _layer(config, kind)), kinds))


def looped(config: Inkling2LoopTextConfig) -> Module:
    """Layers from `core_start` up to `core_end` run `num_passes` times; what a pass leaves is gated into the next."""
    hidden, loop, kinds = config.hidden_size, config.loop_config, _kinds(config)
    first, end = loop.core_start or config.loop_layer_index_start, loop.core_end or config.loop_layer_index_end
    passes, rank = loop.num_passes or config.loop_num_passes, loop.gate_rank or config.loop_gate_rank
    gate = module(
        down_weight=Tensor((rank, 2 * hidden), Use.MATMUL),
        forget_weight=Tensor((hidden, rank), Use.MATMUL, dtype="float32"),
        gain_weight=Tensor((hidden, rank), Use.MATMUL, dtype="float32"),
    )
    controllers = module(attn=gate, k=gate, v=gate, mlp=gate)

    def layer(kind: tuple[str, bool]) -> Module:
        once = _layer(config, kind[0])
        return once.extend(controllers=controllers).marked(uses=passes) if kind[1] else once

    in_loop = [first <= index < end for index in range(config.num_hidden_layers)]
    queries = Tensor((2 * (end - first), hidden), Use.OTHER, dtype="float32")
    parts = _around(config, stack_of(zip(kinds, in_loop, strict=True), layer), kinds)
    crossing = {"middle_cycle_cross_pass_queries": queries, "middle_cycle_cross_pass_kv_queries": queries}
    return module(**parts, **crossing)


def _around(config: Inkling2TextConfig, layers: Stack, kinds: list[str]) -> dict[str, Module | Stack]:
    """The table, the layers, the queries by which each part mixes earlier blocks, and the head under the same name.

    Files pad the head to `vocab_size` rows, of which `unpadded_vocab_size` mean a token.
    """
    hidden, vocab = config.hidden_size, config.vocab_size
    one = Tensor((hidden,), Use.OTHER, dtype="float32")
    three = Tensor((3, hidden), Use.OTHER, dtype="float32")
    return {
        "embed": module(Role.EMBEDDING, weight=Tensor((vocab, hidden), Use.LOOKUP)),
        "embed_norm": rms_norm(hidden),
        "layers": layers,
        "attn_res": module(
            attn_queries=stack(one if kind == SLIDING else three for kind in kinds[1:]),
            mlp_queries=stack(one for _ in kinds),
            output_query=one,
        ),
        "norm": rms_norm(hidden),
        "unembed": linear(hidden, max(vocab, config.unpadded_vocab_size), role=Role.HEAD),
    }


def _kinds(config: Inkling2TextConfig) -> list[str]:
    def derived(index: int) -> str:
        return SLIDING if (index + 1) % 6 else FULL

    return layer_kinds(config.num_hidden_layers, config.layer_types, derived, known=(SLIDING, FULL))


def _layer(config: Inkling2TextConfig, kind: str) -> Module:
    """A full layer mixes its queries, keys and values each for itself, and so has a norm for each."""
    hidden = config.hidden_size
    names = ("attn_norm",) if kind == SLIDING else ("q_input_norm", "k_input_norm", "v_input_norm")
    filtered = causal_convolution(hidden, config.conv_kernel_size).marked(role=Role.SSM)
    return module(
        None,
        "pre-norm",
        **{name: rms_norm(hidden) for name in names},
        attn=_attention(config, kind),
        attn_sconv=filtered,
        mlp_norm=rms_norm(hidden),
        mlp=_experts(config),
        mlp_sconv=filtered,
    )


def _attention(config: Inkling2TextConfig, kind: str) -> Module:
    hidden, slides = config.hidden_size, kind == SLIDING
    heads = config.swa_num_attention_heads if slides else config.num_attention_heads
    kv_heads = config.swa_num_key_value_heads if slides else config.num_key_value_heads
    head_dim = config.swa_head_dim if slides else config.head_dim
    extent = config.sliding_window_size if slides else config.rel_extent
    filtered = _filter(config, kv_heads, head_dim, kind)
    return attention(
        hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        window=config.sliding_window_size if slides else None,
        positions="relative",
        names=("wq_du", "wk_dv", "wv_dv", "wo_ud"),
    ).extend(
        wr_du=linear(hidden, heads * config.d_rel),
        gate_attn=linear(hidden, heads * head_dim),
        attn_sink_proj=linear(hidden, heads),
        k_sconv=filtered,
        v_sconv=filtered,
        q_l2_clip=module(scale=Tensor((heads, head_dim), Use.SCALE)),
        rel_l2_clip=module(scale=Tensor((heads, config.d_rel), Use.SCALE)),
        rel_logits_proj=module(proj=Tensor((config.d_rel, extent), Use.MATMUL)),
    )


def _filter(config: Inkling2TextConfig, kv_heads: int, head_dim: int, kind: str) -> Module:
    """A filter over the last tokens' keys or values, the same for all tokens or, in full layers, made for each."""
    kernel, channels = config.conv_kernel_size, kv_heads * head_dim
    if kind == SLIDING:
        return causal_convolution(channels, kernel)
    kept = Cache("conv state", fixed=channels * (kernel - 1), dtype=STATE_DTYPE)
    static = Tensor((kernel, channels), Use.CONVOLUTION)
    per_head = Tensor((kv_heads * kernel, config.hidden_size), Use.MATMUL)
    return module(static_w=static, weight_proj=per_head).marked(cache=kept)


def _experts(config: Inkling2TextConfig) -> Module:
    hidden, inner, experts = config.hidden_size, config.moe_intermediate_size, config.n_routed_experts
    active, names = config.num_experts_per_tok, ("w13_weight", "w2_weight")
    packed = packed_experts(hidden, inner, experts=experts, active=active, activation=config.hidden_act, names=names)
    return mixture(experts, active, gate=router(hidden, experts, bias=True), experts=packed)

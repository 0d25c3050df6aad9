"""Inkling's language model: relative positions, short filters around each part, experts beside shared ones.

The file is long since the published files and transformers name and join its matrices each in their own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..blocks import (
    attention,
    bias_of,
    causal_convolution,
    fused_gated_mlp,
    gated_mlp,
    linear,
    mixture,
    packed_experts,
    rms_norm,
)
from ..config import Count, CountOrZero, DecoderConfig, Schema, Size
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import DENSE, dense_first, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module, Role, Stack, Tensor, Use, module

SLIDING, FULL = "hybrid_sliding", "hybrid"


@dataclass(frozen=True, slots=True)
class Names:
    """What a layer's parts are called; the published files join gate and up, and have no `conv1d`."""

    is_published: bool
    attention: str
    norms: tuple[str, str]
    matrices: tuple[str, str, str, str, str]
    correction: str
    packed: tuple[str, str]

    def filtered(self, channels: int, kernel: int) -> Module:
        """A filter over the last `kernel` tokens."""
        plain = causal_convolution(channels, kernel)
        return plain if self.is_published else module(conv1d=plain)


RUNTIME = Names(
    is_published=False,
    attention="self_attn",
    norms=("input_layernorm", "post_attention_layernorm"),
    matrices=("q_proj", "k_proj", "v_proj", "o_proj", "r_proj"),
    correction="e_score_correction_bias",
    packed=("gate_up_proj", "down_proj"),
)
PUBLISHED = Names(
    is_published=True,
    attention="attn",
    norms=("attn_norm", "mlp_norm"),
    matrices=("wq_du", "wk_dv", "wv_dv", "wo_ud", "wr_du"),
    correction="bias",
    packed=("w13_weight", "w2_weight"),
)


class InklingTextConfig(DecoderConfig):
    vocab_size: Size = 201024
    hidden_size: Size = 6144
    intermediate_size: Size = 24576
    moe_intermediate_size: Size = 3072
    dense_intermediate_size: Size | None = None
    num_hidden_layers: Count = 66
    num_attention_heads: Count = 64
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    swa_num_attention_heads: Count = 64
    swa_num_key_value_heads: Count = 16
    swa_head_dim: Size = 128
    sliding_window_size: Size = 512
    d_rel: Size = 16
    rel_extent: Size = 1024
    conv_kernel_size: Size = 4
    local_layer_ids: list[CountOrZero] | None = None
    layer_types: list[str] | None = None
    dense_mlp_idx: CountOrZero = 0
    mlp_layer_types: list[str] | None = None
    hidden_act: str = "silu"
    n_routed_experts: Count = 256
    num_experts_per_tok: Count = 6
    n_shared_experts: CountOrZero = 2
    also_spelled: ClassVar[dict[str, str]] = {
        "sliding_window": "sliding_window_size",
        "num_local_experts": "n_routed_experts",
        "sconv_kernel_size": "conv_kernel_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"unpadded_vocab_size", "num_mtp_layers"})


class InklingMtpConfig(Schema):
    """The layers that look ahead, which the published files declare beside the language model."""

    num_nextn_predict_layers: CountOrZero = 0
    chain_hidden_post_norm: bool = False
    local_layer_ids: list[CountOrZero] | None = None


@architecture("inkling_text", config=InklingTextConfig)
def inkling_text(config: InklingTextConfig) -> Module:
    """Table and head are never tied."""
    hidden, vocab = config.hidden_size, config.vocab_size
    table = module(Role.EMBEDDING, weight=Tensor((vocab, hidden), Use.LOOKUP), embed_norm=rms_norm(hidden))
    model = module(embed_tokens=table, layers=inkling_layers(config, RUNTIME), norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=False)


def inkling_layers(config: InklingTextConfig, names: Names) -> Stack:
    """The layers, by the names of transformers or by those of the published files."""
    layers, local = config.num_hidden_layers, config.local_layer_ids

    def slides(index: int) -> str:
        return SLIDING if ((index + 1) % 6 if local is None else index in local) else FULL

    kinds = layer_kinds(layers, config.layer_types, slides, known=(SLIDING, FULL))
    mlps = mlp_layer_kinds(layers, config.mlp_layer_types, dense_first(config.dense_mlp_idx))
    return stack_of(zip(kinds, mlps, strict=True), lambda kind: _layer(config, *kind, names))


def inkling_look_ahead(config: InklingTextConfig, further: InklingMtpConfig) -> Module | None:
    """Layers that predict tokens further ahead, by the names of the published files: dense, some through a window."""
    hidden, depths = config.hidden_size, further.num_nextn_predict_layers
    if not depths:
        return None

    def layer(kind: str) -> Module:
        return module(
            hidden_norm=rms_norm(hidden),
            embed_norm=rms_norm(hidden),
            input_proj=linear(2 * hidden, hidden),
            transformer_block=_layer(config, kind, DENSE, PUBLISHED),
        )

    kinds = [SLIDING if depth in (further.local_layer_ids or ()) else FULL for depth in range(depths)]
    last = rms_norm(hidden) if further.chain_hidden_post_norm else None
    return module(layers=stack_of(kinds, layer), chain_norm=last).marked(section="mtp")


def _layer(config: InklingTextConfig, attends: str, mlp: str, names: Names) -> Module:
    hidden = config.hidden_size
    filtered = names.filtered(hidden, config.conv_kernel_size).marked(role=Role.SSM)
    parts: dict[str, Module] = {
        names.attention: _attention(config, attends, names),
        "mlp": _dense(config, names) if mlp == DENSE else _experts(config, names),
        names.norms[0]: rms_norm(hidden),
        names.norms[1]: rms_norm(hidden),
    }
    return module(None, "pre-norm", **parts, attn_sconv=filtered, mlp_sconv=filtered)


def _attention(config: InklingTextConfig, kind: str, names: Names) -> Module:
    """Keys and values pass a short filter; what lies between two tokens is learned, up to an extent."""
    slides = kind == SLIDING
    heads = config.swa_num_attention_heads if slides else config.num_attention_heads
    kv_heads = config.swa_num_key_value_heads if slides else config.num_key_value_heads
    head_dim = config.swa_head_dim if slides else config.head_dim
    filtered = names.filtered(kv_heads * head_dim, config.conv_kernel_size)
    extent = config.sliding_window_size if slides else config.rel_extent
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window_size if slides else None,
        positions="relative",
        names=names.matrices[:4],
    ).extend(
        **{names.matrices[4]: linear(config.hidden_size, heads * config.d_rel)},
        k_sconv=filtered,
        v_sconv=filtered,
        rel_logits_proj=module(proj=Tensor((config.d_rel, extent), Use.MATMUL)),
    )


def _dense(config: InklingTextConfig, names: Names) -> Module:
    hidden, inner = config.hidden_size, config.dense_intermediate_size or config.intermediate_size
    if names.is_published:
        mlp = fused_gated_mlp(hidden, inner, activation=config.hidden_act, names=("w13_dn", "w2_md"))
    else:
        mlp = gated_mlp(hidden, inner, activation=config.hidden_act)
    return mlp.extend(global_scale=Tensor((1,), Use.SCALE))


def _experts(config: InklingTextConfig, names: Names) -> Module:
    """The router scores the shared experts too, though every token visits them."""
    hidden, experts, shared = config.hidden_size, config.n_routed_experts, config.n_shared_experts
    # Published files call the experts' width intermediate_size, and name the dense one apart.
    inner = config.moe_intermediate_size if config.dense_intermediate_size is None else config.intermediate_size
    active, act = config.num_experts_per_tok, config.hidden_act
    gate = module(
        Role.ROUTER,
        weight=Tensor((experts + shared, hidden), Use.MATMUL),
        global_scale=Tensor((1,), Use.SCALE),
        **{names.correction: bias_of(experts)},
    )
    return mixture(
        experts,
        active,
        gate=gate,
        experts=packed_experts(hidden, inner, experts=experts, active=active, activation=act, names=names.packed),
        shared_experts=module(Role.MLP, **_always(hidden, inner, shared, names)),
    )


def _always(hidden: int, inner: int, shared: int, names: Names) -> dict[str, Tensor]:
    """The experts that every token visits, in one tensor for each matrix."""
    up, down = Tensor((shared, inner, hidden), Use.MATMUL), Tensor((shared, hidden, inner), Use.MATMUL)
    if names.is_published:
        both = Tensor((shared, 2 * inner, hidden), Use.MATMUL)
        return {"shared_w13_weight": both, "shared_w2_weight": down}
    return {"gate_proj": up, "up_proj": up, "down_proj": down}

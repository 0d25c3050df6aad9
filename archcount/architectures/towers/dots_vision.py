"""dots3-note's eyes: a gated ViT whose last layers hold experts, ever more of them, and a merger of squares."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bias_of, convolution, fused_attention, gated_mlp, layer_norm, mixture, rms_norm, routed_experts
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...errors import ConfigValueError
from ...schedules import DENSE, SPARSE, checked_length, mlp_layer_kinds, stack_of
from ...tree import Module, Role, Tensor, Use, module
from .qwen2_vl import square_merger

NAMES = ("fc1", "fc3", "fc2")
PYRAMID = [-1] * 25 + list(range(4, 65, 4)) + [64]
"""Experts of each layer where the config says nothing of them; a plain MLP where there are none."""


class LayerExperts(Schema):
    """How many experts one layer has, where it is not as many as the rest."""

    num_local_experts: Count | None = None
    num_experts_per_tok: Count | None = None


class DotsVisionConfig(Schema):
    model_type: str = "dots3_note_vision_encoder"
    hidden_size: Size = 1536
    intermediate_size: Size = 4224
    moe_intermediate_size: Size = 2112
    num_hidden_layers: Count = 42
    num_attention_heads: Count = 24
    num_channels: Size = 3
    patch_size: Size = 14
    hidden_act: str = "silu"
    attention_bias: bool = False
    mlp_bias: bool = False
    mlp_layer_types: list[str] | None = None
    pyramid_num_routed: list[int] | None = None
    per_layer_config: dict[str, LayerExperts] | None = None
    num_local_experts: Count = 64
    num_experts_per_tok: Count = 2
    adapter_out_dim: Size = 5120
    adapter_merge_size: Size = 2
    also_spelled: ClassVar[dict[str, str]] = {
        "embed_dim": "hidden_size",
        "num_heads": "num_attention_heads",
        "use_bias": "attention_bias",
        "capacity_factor": "num_experts_per_tok",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"adapter_in_dim", "spatial_merge_size"}
    )  # as hidden_size, …merge_size

    def experts(self) -> list[int]:
        """The number of experts of each layer, 0 where it has a plain MLP."""
        layers = self.num_hidden_layers
        pyramid = self.pyramid_num_routed or (PYRAMID if self.mlp_layer_types is None else None)
        if pyramid is not None:
            return [max(count, 0) for count in checked_length(pyramid, layers, "pyramid_num_routed")]
        kinds = mlp_layer_kinds(layers, self.mlp_layer_types, lambda _: DENSE)
        own = {key: sizes.num_local_experts for key, sizes in (self.per_layer_config or {}).items()}
        known = {str(index): index for index in range(layers)} | {f"{index:02}": index for index in range(layers)}
        if strange := sorted(own.keys() - known):
            raise ConfigValueError(f"per_layer_config has a key {strange[0]!r}: should be the number of a layer")
        counts = {known[key]: count for key, count in own.items()}
        return [counts.get(i) or self.num_local_experts if kinds[i] == SPARSE else 0 for i in range(layers)]


def dots_vision(config: DotsVisionConfig) -> Module:
    """`patch_embed`, `blocks`, `post_trunk_norm` and the `adapter` that merges squares of patches."""
    width, heads, patch, act = config.hidden_size, config.num_attention_heads, config.patch_size, config.hidden_act
    head_dim = exact_div(width, heads)
    attn = fused_attention(
        width,
        heads=heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        causal=False,
        positions="RoPE 2D",
        names=("qkv", "proj"),
    )
    dense = gated_mlp(width, config.intermediate_size, bias=config.mlp_bias, activation=act, names=NAMES)

    def block(experts: int) -> Module:
        mlp = _experts(config, experts) if experts else dense
        return module(None, "pre-norm", attn=attn, mlp=mlp, norm_1=rms_norm(width), norm_2=rms_norm(width))

    patches = convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding")
    return module(
        patch_embed=module(Role.EMBEDDING, proj=patches, norm=rms_norm(width)),
        blocks=stack_of(config.experts(), block),
        post_trunk_norm=rms_norm(width),
        adapter=square_merger(layer_norm(width), width, config.adapter_merge_size, config.adapter_out_dim),
    ).marked(section="vision")


def _experts(config: DotsVisionConfig, experts: int) -> Module:
    width, active = config.hidden_size, min(config.num_experts_per_tok, experts)
    return mixture(
        experts,
        active,
        gate_weight=Tensor((experts, width), Use.MATMUL),
        router_bias=bias_of(experts),
        experts=routed_experts(
            width,
            config.moe_intermediate_size,
            experts=experts,
            active=active,
            activation=config.hidden_act,
            names=NAMES,
        ),
    )

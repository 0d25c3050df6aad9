"""Muse's vision tower: a ViT on flattened patches of pixels and time, most of its layers within squares of patches."""

from __future__ import annotations

from ...blocks import attention, layer_norm, linear, mlp, position_embedding
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...schedules import FULL, layer_kinds, stack_of
from ...tree import Module, Role, module

WINDOW = "window_attention"


class MuseVisionConfig(Schema):
    model_type: str = "muse_glimmer_vision"
    hidden_size: Size = 1536
    intermediate_size: Size = 8960
    num_hidden_layers: Count = 50
    num_attention_heads: Count = 16
    hidden_act: str = "gelu"
    patch_size: Size = 14
    patch_temporal: Size = 2
    pos_emb_height: Size = 32
    pos_emb_width: Size = 32
    merge_size: Size = 2
    layer_types: list[str] | None = None

    def kinds(self) -> list[str]:
        """Every fourth layer and the last see the whole image."""
        layers = self.num_hidden_layers

        def derived(index: int) -> str:
            return FULL if (index + 1) % 4 == 0 or index == layers - 1 else WINDOW

        return layer_kinds(layers, self.layer_types, derived, known=(FULL, WINDOW))


def muse_vision(config: MuseVisionConfig) -> Module:
    """`patch_embedder`, `ln_pre`, `layers` and `ln_post`."""
    width, side, patch = config.hidden_size, config.pos_emb_height, config.patch_size
    embedder = module(
        Role.EMBEDDING,
        patch_embedding=linear(config.patch_temporal * 3 * (patch * patch), width).marked(kind="patch embedding"),
        position_embedding_table=position_embedding(side * config.pos_emb_width, width),
    )

    def layer(kind: str) -> Module:
        attn = attention(
            width,
            heads=config.num_attention_heads,
            head_dim=exact_div(width, config.num_attention_heads),
            bias=True,
            window=side * side if kind == WINDOW else None,
            causal=False,
            positions="learned and RoPE 2D",
            names=("q_proj", "k_proj", "v_proj", "proj"),
        )
        part = mlp(width, config.intermediate_size, activation=config.hidden_act)
        return module(None, "pre-norm", norm1=layer_norm(width), norm2=layer_norm(width), attn=attn, mlp=part)

    layers = stack_of(config.kinds(), layer)
    tower = module(patch_embedder=embedder, ln_pre=layer_norm(width), layers=layers, ln_post=layer_norm(width))
    return tower.marked(section="vision")


def muse_adapter(inputs: int, inner: int, hidden: int) -> dict[str, Module]:
    """`vision_adapter`, two matrices, and `vision_projection` to the language model's width."""
    adapter = module(fc1=linear(inputs, inner), fc2=linear(inner, inner))
    parts = {"vision_adapter": adapter, "vision_projection": linear(inner, hidden)}
    return {name: part.marked(section="projector") for name, part in parts.items()}

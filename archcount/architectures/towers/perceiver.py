"""The Perceiver resampler of Flamingo (Alayrac et al. 2022): learned latents that read patches, layer after layer."""

from __future__ import annotations

from ...blocks import attention, layer_norm, mlp
from ...config import Count, Schema, Size
from ...tree import Module, Tensor, module, repeat, stack


class PerceiverConfig(Schema):
    model_type: str = "idefics_perciever"
    resampler_n_latents: Size = 64
    resampler_depth: Count = 6
    resampler_n_heads: Count = 16
    resampler_head_dim: Size = 96
    qk_layer_norms_perceiver: bool = False


def perceiver(config: PerceiverConfig, width: int) -> Module:
    """`latents`, `blocks` of attention and MLP, and `layer_norm`; run once an image, so nothing is kept."""
    head_dim, norm = config.resampler_head_dim, layer_norm(width)
    head_norm = layer_norm(head_dim) if config.qk_layer_norms_perceiver else None
    reading = attention(
        width,
        heads=config.resampler_n_heads,
        head_dim=head_dim,
        causal=False,
        query_norm=head_norm,
        key_norm=head_norm,
        names=("q_proj", "k_proj", "v_proj", "output_proj"),
        norm_names=("q_layer_norm", "k_layer_norm"),
    ).prepend(context_layer_norm=norm, latents_layer_norm=norm)
    feed_forward = mlp(width, 4 * width, bias=False, activation="relu", names=("fc", "c_proj")).prepend(ln=norm)
    return module(
        latents=Tensor((config.resampler_n_latents, width)),
        blocks=repeat(config.resampler_depth, stack([reading, feed_forward])),
        layer_norm=norm,
    ).marked(section="projector")

"""The VQGAN with which Janus draws: 16,384 codes of eight numbers each."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from ...blocks import convolution, embedding
from ...config import Count, Schema, Size
from ...tree import Module, module
from .vqgan import vq_decoder, vq_encoder


class JanusVqConfig(Schema):
    model_type: str = "janus_vqgan"
    embed_dim: Size = 8
    num_embeddings: Size = 16384
    double_latent: bool = False
    latent_channels: Size = 256
    in_channels: Size = 3
    out_channels: Size = 3
    base_channels: Size = 128
    channel_multiplier: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 1, 2, 2, 4)
    num_res_blocks: Count = 2
    num_hidden_layers: Count = 2
    projection_dim: Size = 2048
    image_token_embed_dim: Size = 2048
    hidden_act: str = "gelu"
    ignored: ClassVar[frozenset[str]] = frozenset({"num_patches"})


def vq_model(config: JanusVqConfig) -> Module:
    """`encoder`, `quantize` with the table of codes, `decoder`, and a convolution of 1 × 1 on either side of it."""
    latent, base, levels, blocks = (
        config.latent_channels,
        config.base_channels,
        config.channel_multiplier,
        config.num_res_blocks,
    )
    encoded = 2 * latent if config.double_latent else latent
    return module(
        encoder=vq_encoder(config.in_channels, base, levels, blocks, encoded),
        quantize=module(embedding=embedding(config.num_embeddings, config.embed_dim)),
        quant_conv=convolution(latent, config.embed_dim, 1, 1),
        post_quant_conv=convolution(config.embed_dim, latent, 1, 1),
        decoder=vq_decoder(config.out_channels, base, levels, blocks, latent),
    )

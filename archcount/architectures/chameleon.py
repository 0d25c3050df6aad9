"""Chameleon: a Llama whose heads are normed one by one, and the VQGAN that turns an image into its tokens."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..blocks import attention, convolution, embedding, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Schema, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..multimodal import with_parts_within
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module, repeat
from .towers.vqgan import vq_encoder


class ChameleonVqConfig(Schema):
    model_type: str = "chameleon_vqgan"
    embed_dim: Size = 256
    num_embeddings: Size = 8192
    double_latent: bool = False
    latent_channels: Size = 256
    resolution: Size = 512
    in_channels: Size = 3
    base_channels: Size = 128
    channel_multiplier: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 1, 2, 2, 4)
    num_res_blocks: Count = 2
    attn_resolutions: tuple[Size, ...] | None = None
    attn_type: str = "vanilla"


class ChameleonConfig(DecoderConfig, Rotary):
    vocab_size: Size = 65536
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 32
    attention_bias: bool = False
    mlp_bias: bool = False
    swin_norm: bool = False
    hidden_act: str = "silu"
    vq_config: ChameleonVqConfig = ChameleonVqConfig()


@architecture("chameleon", config=ChameleonConfig)
def chameleon(config: ChameleonConfig) -> Module:
    plain = config.model_copy(update={"architectures": None})
    layers = repeat(config.num_hidden_layers, _layer(config))
    text = decoder_lm(plain, layers, rms_norm(config.hidden_size))
    seeing = vq_tokenizer(config.vq_config).marked(section="vision")
    return with_parts_within(config, text, {"vqmodel": seeing}, tie=config.tie_word_embeddings)


def vq_tokenizer(config: ChameleonVqConfig) -> Module:
    """Janus's encoder and codes without its decoder; only the levels of `attn_resolutions` attend, and the middle."""
    latent, levels = config.latent_channels, config.channel_multiplier
    attends, sides = config.attn_type == "vanilla", config.attn_resolutions or ()
    attending = [level for level in range(len(levels)) if attends and config.resolution // 2**level in sides]
    encoder = vq_encoder(
        config.in_channels,
        config.base_channels,
        levels,
        config.num_res_blocks,
        2 * latent if config.double_latent else latent,
        attending=attending,
        middle_attends=attends,
    )
    return module(
        encoder=encoder,
        quantize=module(embedding=embedding(config.num_embeddings, config.embed_dim)),
        quant_conv=convolution(latent, config.embed_dim, 1, 1),
        post_quant_conv=convolution(config.embed_dim, latent, 1, 1),
    )


def _layer(config: ChameleonConfig) -> Module:
    """With `swin_norm` the same norms stand after what they stood before."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim, norm = exact_div(hidden, heads), rms_norm(hidden)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=_head_norm(heads, head_dim),
        key_norm=_head_norm(config.num_key_value_heads or heads, head_dim),
        positions=config.rope,
    )
    return module(
        None,
        "post-norm" if config.swin_norm else "pre-norm",
        self_attn=self_attn,
        mlp=gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act),
        input_layernorm=norm,
        post_attention_layernorm=norm,
    )


def _head_norm(heads: int, head_dim: int) -> Module:
    """A gain and a bias of its own for every head: [heads, head_dim]."""
    weight, bias = Tensor((heads, head_dim), Use.SCALE), Tensor((heads, head_dim), Use.BIAS)
    return module(Role.NORM, "LayerNorm", weight=weight, bias=bias)

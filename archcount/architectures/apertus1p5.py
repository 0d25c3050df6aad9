"""Apertus 1.5: images and sounds become codes of the vocabulary, by a VQGAN's encoder and by WavTokenizer's."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ..blocks import convolution, embedding
from ..config import Count, ModelConfig, Schema, Size
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module, module, stack
from .towers.vqgan import blocks_of, group_norm, middle, resampling, spatial_attention
from .towers.wavtokenizer import WavTokenizerConfig, wavtokenizer_encoder


class Apertus1p5VisionConfig(Schema):
    model_type: str = "apertus1p5_vision_tokenizer"
    codebook_size: Size = 131072
    embed_dim: Size = 256
    latent_channels: Size = 256
    in_channels: Size = 3
    base_channels: Size = 256
    channel_multiplier: Annotated[tuple[Count, ...], Field(min_length=1)] = (1, 1, 2, 2, 4)
    num_res_blocks: Count = 4
    attn_resolutions: tuple[Count, ...] = (16,)
    resolution: Size = 256


class Apertus1p5Config(CompositeConfig):
    text_config: ModelConfig = nested("apertus1p5_text")
    vision_config: Apertus1p5VisionConfig = Apertus1p5VisionConfig()
    audio_config: WavTokenizerConfig = WavTokenizerConfig()
    tie_word_embeddings: bool = False


@architecture("apertus1p5", config=Apertus1p5Config)
def apertus1p5(config: Apertus1p5Config) -> Module:
    text = config.text_config
    parts = {
        "vision_tokenizer": _vision_tokenizer(config.vision_config),
        "audio_tokenizer": wavtokenizer_encoder(config.audio_config),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text))


def _vision_tokenizer(config: Apertus1p5VisionConfig) -> Module:
    latent, width = config.latent_channels, config.embed_dim
    return module(
        encoder=_encoder(config),
        quantize=module(embedding=embedding(config.codebook_size, width)),
        quant_conv=convolution(latent, width, 1, 1),
    ).marked(section="vision")


def _encoder(config: Apertus1p5VisionConfig) -> Module:
    """Stages at half the resolution each; those at one of `attn_resolutions` attend after every block."""
    base, multipliers = config.base_channels, config.channel_multiplier
    widths = [base, *(base * multiplier for multiplier in multipliers)]
    last = len(multipliers) - 1

    def stage(index: int) -> Module:
        width = widths[index + 1]
        attends = config.resolution // 2**index in config.attn_resolutions
        attention = spatial_attention(width) if attends else None
        blocks = blocks_of(widths[index], width, config.num_res_blocks)
        return module(
            layers=stack([module(resnet=block, attention=attention) for block in blocks]),
            downsample=resampling(width) if index < last else None,
        )

    return module(
        conv_in=convolution(config.in_channels, base, 3, 3),
        stages=stack([stage(index) for index in range(last + 1)]),
        mid=middle(widths[-1]),
        norm_out=group_norm(widths[-1]),
        conv_out=convolution(widths[-1], config.latent_channels, 3, 3),
    )

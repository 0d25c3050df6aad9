"""Phi-4 multimodal: Phi-3's decoder, with SigLIP's eyes and a Conformer's ears behind the embedding table."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, linear, rms_norm
from ..config import Count, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, Tensor, module
from .phi3 import Phi3Config, phi3_layers
from .towers.phi4_audio import Phi4AudioConfig, phi4_audio
from .towers.siglip import SiglipVisionConfig, siglip_vision


class Phi4VisionConfig(SiglipVisionConfig):
    model_type: str = "phi4_multimodal_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    image_size: Size = 448
    patch_size: Size = 14
    ignored: ClassVar[frozenset[str]] = frozenset({"crop_size"})


class Phi4MultimodalConfig(Phi3Config):
    vocab_size: Size = 200064
    num_key_value_heads: Count | None = 8
    vision_config: Phi4VisionConfig = Phi4VisionConfig()
    audio_config: Phi4AudioConfig = Phi4AudioConfig()


@architecture("phi4_multimodal", config=Phi4MultimodalConfig)
def phi4_multimodal(config: Phi4MultimodalConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=phi3_layers(config),
        norm=rms_norm(hidden),
        embed_tokens_extend=module(image_embed=image_embed(config), audio_embed=audio_embed(config)),
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def image_embed(config: Phi4MultimodalConfig) -> Module:
    """The tower, two separators between crops, and two matrices up to the text's width."""
    width, hidden = config.vision_config.hidden_size, config.hidden_size
    return module(
        img_processor=siglip_vision(config.vision_config),
        img_projection_up=linear(width, hidden, bias=True).marked(section="projector"),
        img_projection_down=linear(hidden, hidden, bias=True).marked(section="projector"),
        global_img_feature_extensor=Tensor((1, 1, width)),
        sub_img_feature_extensor=Tensor((1, 1, 1, width)),
    ).marked(section="vision")


def audio_embed(config: Phi4MultimodalConfig) -> Module:
    """The tower, and two matrices up to the text's width: for speech alone, and for speech beside images."""
    hidden = config.hidden_size
    up = linear(config.audio_config.hidden_size * config.audio_config.downsample_rate, hidden, bias=True)
    up, down = up.marked(section="projector"), linear(hidden, hidden, bias=True).marked(section="projector")
    return module(
        encoder=phi4_audio(config.audio_config),
        up_proj_for_speech=up,
        down_proj_for_speech=down,
        up_proj_for_vision_speech=up,
        down_proj_for_vision_speech=down,
    )

"""GLM-ASR: an encoder of Whisper's size with rotary positions, two matrices, and a Llama that writes what was said."""

from __future__ import annotations

from ..blocks import attention, convolution, layer_norm, linear, mlp, without_key_bias
from ..config import Count, ModelConfig, Size
from ..multimodal import is_tied, with_language_inside
from ..nested import CompositeConfig, built, nested, nested_over, size_of
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat
from .qwen2_audio import HEARING


class GlmAsrEncoderConfig(ModelConfig, Rotary):
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 20
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "gelu"
    num_mel_bins: Size = 128


class GlmAsrConfig(CompositeConfig):
    text_config: ModelConfig = nested_over(
        "llama",
        vocab_size=59264,
        hidden_size=2048,
        intermediate_size=6144,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=4,
        max_position_embeddings=8192,
    )
    audio_config: ModelConfig = nested("glmasr_encoder")
    tie_word_embeddings: bool = True


@architecture("glmasr", config=GlmAsrConfig, spellings=HEARING)
def glmasr(config: GlmAsrConfig) -> Module:
    """Four frames in a row stand side by side before the projector, which are as wide as the encoder's MLP."""
    text, width = config.text_config, size_of(config.audio_config, "intermediate_size")
    hidden = size_of(text, "hidden_size")
    projector = module(
        linear_1=linear(width, hidden * 2, bias=True),
        linear_2=linear(hidden * 2, hidden, bias=True),
    )
    parts = {"audio_tower": built(config.audio_config), "multi_modal_projector": projector.marked(section="projector")}
    return with_language_inside(config, text, parts, tie=is_tied(config, text))


@architecture("glmasr_encoder", config=GlmAsrEncoderConfig)
def glmasr_encoder(config: GlmAsrEncoderConfig) -> Module:
    """`conv1`, `conv2`, `layers` and `norm`; a head's width is rounded down where it is not given."""
    width, heads, norm = config.hidden_size, config.num_attention_heads, layer_norm(config.hidden_size)
    attend = attention(
        width,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or width // heads,
        bias=True,
        causal=False,
        positions=config.rope,
    )
    layer = module(
        None,
        "pre-norm",
        self_attn=without_key_bias(attend),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
        input_layernorm=norm,
        post_attention_layernorm=norm,
    )
    return module(
        conv1=convolution(config.num_mel_bins, width, 3),
        conv2=convolution(width, width, 3),
        layers=repeat(config.num_hidden_layers, layer),
        norm=norm,
    ).marked(section="audio")

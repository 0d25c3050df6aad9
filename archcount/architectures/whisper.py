"""Whisper: two convolutions and an encoder over 30 seconds of sound, and a decoder that writes what was said."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    convolution,
    embedding,
    fairseq_attention,
    fairseq_layer,
    layer_norm,
    linear,
    lm_head,
    position_embedding,
    without_key_bias,
)
from ..config import Count, ModelConfig, Size
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..tree import Module, Role, Tensor, module, repeat


class WhisperConfig(ModelConfig):
    vocab_size: Size = 51865
    num_mel_bins: Size = 80
    d_model: Size = 384
    encoder_layers: Count = 4
    encoder_attention_heads: Count = 6
    encoder_ffn_dim: Size = 1536
    decoder_layers: Count = 4
    decoder_attention_heads: Count = 6
    decoder_ffn_dim: Size = 1536
    max_source_positions: Size = 1500
    max_target_positions: Size = 448
    activation_function: str = "gelu"
    use_weighted_layer_sum: bool = False
    classifier_proj_size: Size = 256
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "encoder_attention_heads",
        "num_hidden_layers": "encoder_layers",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "median_filter_width"})


@architecture("whisper", config=WhisperConfig)
def whisper(config: WhisperConfig) -> Module:
    name, width, vocab = config.class_name, config.d_model, config.vocab_size
    encoder = speech_encoder(
        config.num_mel_bins,
        width,
        config.encoder_ffn_dim,
        layers=config.encoder_layers,
        heads=config.encoder_attention_heads,
        positions=config.max_source_positions,
        activation=config.activation_function,
    )
    if name.endswith("ForAudioClassification"):
        weights = Tensor((config.encoder_layers + 1,)) if config.use_weighted_layer_sum else None
        inner = config.classifier_proj_size
        project = linear(width, inner, bias=True, role=Role.HEAD)
        return module(encoder=encoder, layer_weights=weights, projector=project, classifier=score(inner, config.labels))
    heard = None if name.endswith("ForCausalLM") else encoder.marked(section="encoder")
    model = module(encoder=heard, decoder=_decoder(config))
    if name.endswith("Model"):
        return model
    if name and not name.endswith(("ForConditionalGeneration", "ForCausalLM")):
        raise unknown_class(config)
    tied_to = "model.decoder.embed_tokens.weight" if config.tie_word_embeddings else None
    return module(model=model, proj_out=lm_head(width, vocab, tied_to=tied_to))


def speech_encoder(
    bins: int, width: int, inner: int, *, layers: int, heads: int, positions: int, activation: str = "gelu"
) -> Module:
    """Two convolutions over `bins` of a spectrogram, stored sinusoidal positions, layers whose keys have no bias."""
    attend = without_key_bias(fairseq_attention(width, heads=heads, causal=False, positions="sinusoidal"))
    layer = fairseq_layer(width, inner, self_attn=attend, activation=activation, kind="pre-norm")
    return module(
        conv1=convolution(bins, width, 3),
        conv2=convolution(width, width, 3),
        embed_positions=position_embedding(positions, width, kind="sinusoidal positions"),
        layers=repeat(layers, layer),
        layer_norm=layer_norm(width),
    )


def _decoder(config: WhisperConfig) -> Module:
    width = config.d_model
    heads, frames = config.decoder_attention_heads, config.max_source_positions
    hears = fairseq_attention(width, heads=heads, source_width=width, source_length=frames)
    layer = fairseq_layer(
        width,
        config.decoder_ffn_dim,
        self_attn=without_key_bias(fairseq_attention(width, heads=heads)),
        encoder_attn=without_key_bias(hears),
        activation=config.activation_function,
        kind="pre-norm",
    )
    decoder = module(
        embed_tokens=embedding(config.vocab_size, width),
        embed_positions=position_embedding(config.max_target_positions, width),
        layers=repeat(config.decoder_layers, layer),
        layer_norm=layer_norm(width),
    )
    return decoder.marked(section="decoder")

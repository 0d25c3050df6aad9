"""A vision encoder and a text decoder, each of a family of its own: TrOCR, Donut, Nougat, captioners."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..encoder_heads import unknown_class
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module, relocated


class VisionEncoderDecoderConfig(CompositeConfig):
    encoder: ModelConfig = nested("vit")
    decoder: ModelConfig = nested("bert", is_decoder=True, add_cross_attention=True)


@architecture("vision-encoder-decoder", config=VisionEncoderDecoderConfig)
def vision_encoder_decoder(config: VisionEncoderDecoderConfig) -> Module:
    """Where the widths differ and the decoder's keys cannot read the encoder's, a matrix stands between."""
    if config.class_name not in ("", "VisionEncoderDecoderModel"):
        raise unknown_class(config)
    seen, width = size_of(config.encoder, "hidden_size"), size_of(config.decoder, "hidden_size")
    reads_as_is = int(seen) == int(width) or getattr(config.decoder, "cross_attention_hidden_size", None) is not None
    return module(
        encoder=built(config.encoder, architectures=["Model"]),
        decoder=relocated(built(config.decoder, architectures=["ForCausalLM"]), "", "decoder."),
        enc_to_dec_proj=None if reads_as_is else linear(seen, width, bias=True).marked(section="projector"),
    )

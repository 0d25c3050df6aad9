"""T5Gemma 2: Gemma 3's layers twice, an encoder that sees with SigLIP, and a decoder that reads both at once."""

from __future__ import annotations

from ..blocks import embedding, lm_head, rms_norm
from ..config import ModelConfig
from ..encoder_heads import unknown_class
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Role, Stack, Tensor, Use, module, tied
from .gemma2 import gemma_layers
from .gemma3 import Gemma3TextConfig, projector

NORMS = (
    "pre_self_attn_layernorm",
    "post_self_attn_layernorm",
    "pre_feedforward_layernorm",
    "post_feedforward_layernorm",
)


class T5Gemma2TextConfig(Gemma3TextConfig):
    model_type: str = "t5gemma2_text"


class T5Gemma2DecoderConfig(Gemma3TextConfig):
    model_type: str = "t5gemma2_decoder"


class T5Gemma2EncoderConfig(CompositeConfig):
    model_type: str = "t5gemma2_encoder"
    text_config: T5Gemma2TextConfig = T5Gemma2TextConfig()
    vision_config: ModelConfig = nested("siglip_vision_model")


class T5Gemma2Config(ModelConfig):
    encoder: T5Gemma2EncoderConfig = T5Gemma2EncoderConfig()
    decoder: T5Gemma2DecoderConfig = T5Gemma2DecoderConfig()
    tie_word_embeddings: bool = True


@architecture("t5gemma2", config=T5Gemma2Config)
def t5gemma2(config: T5Gemma2Config) -> Module:
    """The decoder's table and the head are the encoder's table, unless `tie_word_embeddings` is false."""
    name, decoder = config.class_name, config.decoder
    bare = name.endswith("Model")
    tied_to = None if not config.tie_word_embeddings else f"{'' if bare else 'model.'}encoder.embed_tokens"
    model = module(encoder=_encoder(config.encoder), decoder=_decoder(decoder, tied_to))
    if bare:
        return model
    if name and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    head = lm_head(decoder.hidden_size, decoder.vocab_size, tied_to=tied_to and f"{tied_to}.weight")
    return module(model=model, lm_head=module(Role.HEAD, out_proj=head))


def _encoder(config: T5Gemma2EncoderConfig) -> Module:
    text, vision = config.text_config, config.vision_config
    both_ways = text.model_copy(update={"use_bidirectional_attention": True})
    return module(
        embed_tokens=_table(text),
        layers=_layers(both_ways),
        norm=rms_norm(text.hidden_size),
        vision_tower=built(vision),
        multi_modal_projector=projector(size_of(vision, "hidden_size"), text.hidden_size),
    ).marked(section="encoder")


def _decoder(config: T5Gemma2DecoderConfig, tied_to: str | None) -> Module:
    table = _table(config)
    return module(
        embed_tokens=tied(table, tied_to) if tied_to else table,
        layers=_layers(config, reads_encoder=True),
        norm=rms_norm(config.hidden_size),
    ).marked(section="decoder")


def _layers(config: Gemma3TextConfig, *, reads_encoder: bool = False) -> Stack:
    return gemma_layers(
        config,
        full_nth=config.sliding_window_pattern,
        query_key_norm=True,
        norm_names=NORMS,
        reads_encoder=reads_encoder,
    )


def _table(config: Gemma3TextConfig) -> Module:
    """The token table, and the row that ends an image, which is learned apart."""
    return embedding(config.vocab_size, config.hidden_size).extend(
        eoi_embedding=Tensor((config.hidden_size,), Use.LOOKUP)
    )

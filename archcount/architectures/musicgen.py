"""MusicGen's decoder: a table and a head for each of EnCodec's codebooks, what a T5 read of the text beside them."""

from __future__ import annotations

from functools import partial

from ..blocks import embedding, fairseq_attention, fairseq_layer, layer_norm, lm_head
from ..config import Count, ModelConfig, Size
from ..errors import ConfigValueError
from ..faults import shown
from ..registry import architecture
from ..tree import Module, module, repeat

OTHER_MEND = "give [] to count the decoder alone"


class MusicgenDecoderConfig(ModelConfig):
    model_type: str = "musicgen_decoder"
    vocab_size: Size = 2048
    hidden_size: Size = 1024
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    ffn_dim: Size = 4096
    num_codebooks: Count = 4
    activation_function: str = "gelu"


class MusicgenMelodyDecoderConfig(MusicgenDecoderConfig):
    """What conditions it stands before its tokens: no layer looks to another side."""

    model_type: str = "musicgen_melody_decoder"


class MusicgenConfig(ModelConfig):
    decoder: MusicgenDecoderConfig = MusicgenDecoderConfig()


class MusicgenMelodyConfig(ModelConfig):
    decoder: MusicgenMelodyDecoderConfig = MusicgenMelodyDecoderConfig()


@architecture("musicgen", config=MusicgenConfig)
@architecture("musicgen_melody", config=MusicgenMelodyConfig)
def musicgen(config: MusicgenConfig | MusicgenMelodyConfig) -> Module:
    decoder = config.decoder.model_copy(update={"architectures": config.architectures})
    return musicgen_decoder(decoder)


@architecture("musicgen_decoder", config=MusicgenDecoderConfig)
@architecture("musicgen_melody_decoder", config=MusicgenMelodyDecoderConfig)
def musicgen_decoder(config: MusicgenDecoderConfig) -> Module:
    name = config.class_name
    if name and not name.endswith("ForCausalLM"):
        reason = "what it holds beside the decoder, EnCodec above all, is not known"
        raise ConfigValueError(f"architectures is {shown(name)}: {reason}; {OTHER_MEND}")
    width, books = config.hidden_size, config.num_codebooks
    decoder = module(
        embed_tokens=repeat(books, embedding(config.vocab_size + 1, width)),
        layers=repeat(config.num_hidden_layers, _layer(config)),
        layer_norm=layer_norm(width),
    )
    return module(model=module(decoder=decoder), lm_heads=repeat(books, lm_head(width, config.vocab_size)))


def _layer(config: MusicgenDecoderConfig) -> Module:
    width, looks = config.hidden_size, not isinstance(config, MusicgenMelodyDecoderConfig)
    attend = partial(fairseq_attention, width, heads=config.num_attention_heads, bias=False, positions="sinusoidal")
    return fairseq_layer(
        width,
        config.ffn_dim,
        self_attn=attend(),
        encoder_attn=attend(source_width=width) if looks else None,
        activation=config.activation_function,
        bias=False,
        kind="pre-norm",
    )

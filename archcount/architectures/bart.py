"""BART and its kin: an encoder and a decoder that attends to it; they differ in where the norms stand.

Longer than most: six model_types share the parts, each with defaults of its own and norms in places of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..blocks import fairseq_attention, fairseq_layer, layer_norm, position_embedding
from ..config import Count, ModelConfig, Size
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, Storage, module, repeat


class SequenceConfig(ModelConfig):
    """The keys that BART and its kin share; the numbers are most of them's own."""

    vocab_size: Size = 50265
    d_model: Size = 1024
    encoder_layers: Count = 12
    encoder_ffn_dim: Size = 4096
    encoder_attention_heads: Count = 16
    decoder_layers: Count = 12
    decoder_ffn_dim: Size = 4096
    decoder_attention_heads: Count = 16
    max_position_embeddings: Size = 1024
    activation_function: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "encoder_attention_heads",
        "num_hidden_layers": "encoder_layers",
    }


class BartConfig(SequenceConfig):
    num_labels: Count | None = 3


class PlbartConfig(SequenceConfig):
    vocab_size: Size = 50005
    d_model: Size = 768
    encoder_layers: Count = 6
    encoder_ffn_dim: Size = 3072
    encoder_attention_heads: Count = 12
    decoder_layers: Count = 6
    decoder_ffn_dim: Size = 3072
    decoder_attention_heads: Count = 12


class BlenderbotConfig(SequenceConfig):
    vocab_size: Size = 8008
    d_model: Size = 2560
    encoder_layers: Count = 2
    encoder_ffn_dim: Size = 10240
    encoder_attention_heads: Count = 32
    decoder_layers: Count = 24
    decoder_ffn_dim: Size = 10240
    decoder_attention_heads: Count = 32
    max_position_embeddings: Size = 128


class BlenderbotSmallConfig(SequenceConfig):
    d_model: Size = 512
    encoder_layers: Count = 8
    encoder_ffn_dim: Size = 2048
    decoder_layers: Count = 8
    decoder_ffn_dim: Size = 2048
    max_position_embeddings: Size = 512


@dataclass(frozen=True, slots=True)
class Shape:
    """Where a family differs: rows of the position table before the first token, whether files hold it, the norms.

    `table_storage` is BUFFER where some files hold the computed table and some do not.
    """

    position_offset: int = 0
    embedding_norm: bool = False
    last_norm: bool = False
    kind: str = "post-norm"
    positions: str = "learned"
    has_table: bool = True
    table_storage: Storage = Storage.OWN
    attention_bias: bool = True


BART = Shape(position_offset=2, embedding_norm=True)
MBART = Shape(position_offset=2, embedding_norm=True, last_norm=True, kind="pre-norm")
BLENDERBOT = Shape(last_norm=True, kind="pre-norm")
PEGASUS = Shape(last_norm=True, kind="pre-norm", positions="sinusoidal")


@architecture("bart", config=BartConfig)
@architecture("plbart", config=PlbartConfig)
def bart(config: SequenceConfig) -> Module:
    return whole(config, BART)


@architecture("mbart", config=SequenceConfig)
def mbart(config: SequenceConfig) -> Module:
    return whole(config, MBART)


@architecture("pegasus", config=SequenceConfig)
def pegasus(config: SequenceConfig) -> Module:
    return whole(config, PEGASUS)


@architecture("blenderbot", config=BlenderbotConfig)
def blenderbot(config: SequenceConfig) -> Module:
    return whole(config, BLENDERBOT)


@architecture("blenderbot-small", config=BlenderbotSmallConfig)
def blenderbot_small(config: SequenceConfig) -> Module:
    return whole(config, Shape(embedding_norm=True))


def whole(config: SequenceConfig, shape: Shape) -> Module:
    """Encoder, decoder and what the class puts on top."""
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    encoder, decoder = encoder_part(config, shape), decoder_part(config, shape)
    return seq2seq(config, encoder, decoder, words)


def encoder_part(config: SequenceConfig, shape: Shape, self_attn: Module | None = None) -> Module:
    """The encoder without its table; `self_attn` stands in the place of its usual attention."""
    width, heads, bias = config.d_model, config.encoder_attention_heads, shape.attention_bias
    usual = fairseq_attention(width, heads=heads, bias=bias, causal=False, positions=shape.positions)
    layer = encoder_layer(config, shape, usual if self_attn is None else self_attn)
    return _framed(config, shape, config.encoder_layers, layer)


def encoder_layer(config: SequenceConfig, shape: Shape, self_attn: Module) -> Module:
    """A layer of the encoder around its attention."""
    return fairseq_layer(
        config.d_model,
        config.encoder_ffn_dim,
        self_attn=self_attn,
        activation=config.activation_function,
        kind=shape.kind,
    )


def decoder_part(config: SequenceConfig, shape: Shape) -> Module:
    """The decoder without its table."""
    width, heads, bias = config.d_model, config.decoder_attention_heads, shape.attention_bias
    layer = fairseq_layer(
        width,
        config.decoder_ffn_dim,
        self_attn=fairseq_attention(width, heads=heads, bias=bias, positions=shape.positions),
        encoder_attn=fairseq_attention(width, heads=heads, bias=bias, source_width=width, positions=shape.positions),
        activation=config.activation_function,
        kind=shape.kind,
    )
    return _framed(config, shape, config.decoder_layers, layer)


def _framed(config: SequenceConfig, shape: Shape, layers: int, layer: Module) -> Module:
    width, rows = config.d_model, config.max_position_embeddings + shape.position_offset
    return module(
        embed_positions=position_embedding(
            rows, width, kind=f"{shape.positions} positions", storage=shape.table_storage
        )
        if shape.has_table
        else None,
        layers=repeat(layers, layer),
        layernorm_embedding=layer_norm(width) if shape.embedding_norm else None,
        layer_norm=layer_norm(width) if shape.last_norm else None,
    )

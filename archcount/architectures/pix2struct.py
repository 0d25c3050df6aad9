"""Pix2Struct: a ViT of T5's layers that reads screenshots, and a decoder like T5's under BERT's names."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, gated_mlp, lm_head, rms_norm
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Tensor, module
from .towers.pix2struct import pix2struct_vision


class Pix2StructTextConfig(Schema):
    model_type: str = "pix2struct_text_model"
    vocab_size: Size = 50244
    hidden_size: Size = 768
    d_ff: Size = 2048
    num_layers: Count = 12
    num_heads: Count = 12
    relative_attention_num_buckets: Count = 32
    dense_act_fn: str = "gelu_new"
    also_spelled: ClassVar[dict[str, str]] = {
        "num_attention_heads": "num_heads",
        "num_hidden_layers": "num_layers",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"d_kv", "tie_word_embeddings"})


class Pix2StructVisionConfig(Schema):
    model_type: str = "pix2struct_vision_model"
    hidden_size: Size = 768
    patch_embed_hidden_size: Size = 768
    d_ff: Size = 2048
    d_kv: Size = 64
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    seq_len: Size = 4096
    dense_act_fn: str = "gelu_new"
    ignored: ClassVar[frozenset[str]] = frozenset({"relative_attention_num_buckets"})


class Pix2StructConfig(ModelConfig):
    text_config: Pix2StructTextConfig = Pix2StructTextConfig()
    vision_config: Pix2StructVisionConfig = Pix2StructVisionConfig()
    tie_word_embeddings: bool = False


@architecture("pix2struct", config=Pix2StructConfig)
def pix2struct(config: Pix2StructConfig) -> Module:
    if config.class_name and not config.class_name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    vision = config.vision_config
    encoder = pix2struct_vision(
        vision.hidden_size,
        vision.d_ff,
        layers=vision.num_hidden_layers,
        heads=vision.num_attention_heads,
        head_dim=vision.d_kv,
        patch_values=vision.patch_embed_hidden_size,
        places=vision.seq_len,
        activation=vision.dense_act_fn,
    )
    return module(encoder=encoder, decoder=_decoder(config.text_config, tie=config.tie_word_embeddings))


def _decoder(config: Pix2StructTextConfig, *, tie: bool) -> Module:
    """The first layer alone holds the bias for each distance; keys and values are as wide as the model."""
    width, vocab = config.hidden_size, config.vocab_size
    has_bias = [index == 0 for index in range(config.num_layers)]
    return module(
        embed_tokens=embedding(vocab, width),
        layer=stack_of(has_bias, lambda bias: _layer(config, bias)),
        final_layer_norm=rms_norm(width),
        lm_head=lm_head(width, vocab, tied_to="decoder.embed_tokens.weight" if tie else None),
    ).marked(section="decoder")


def _layer(config: Pix2StructTextConfig, has_bias: bool) -> Module:
    width, norm = config.hidden_size, rms_norm(config.hidden_size)
    bias = module(weight=Tensor((config.relative_attention_num_buckets, config.num_heads)))
    seen, read = _attention(config), _attention(config, source_width=width)
    feed_forward = gated_mlp(width, config.d_ff, activation=config.dense_act_fn, names=("wi_0", "wi_1", "wo"))
    return module(
        None,
        "pre-norm",
        self_attention=module(
            attention=seen.extend(relative_attention_bias=bias if has_bias else None), layer_norm=norm
        ),
        encoder_decoder_attention=module(attention=read, layer_norm=norm),
        mlp=module(DenseReluDense=feed_forward, layer_norm=norm),
    )


def _attention(config: Pix2StructTextConfig, source_width: int | None = None) -> Module:
    return attention(
        config.hidden_size,
        heads=config.num_heads,
        head_dim=exact_div(config.hidden_size, config.num_heads),
        source_width=source_width,
        positions=None if source_width else "relative",
        names=("query", "key", "value", "output"),
    )

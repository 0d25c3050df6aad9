"""KOSMOS-2: CLIP's tower, learned queries that read it, and a decoder with norms inside its parts; 2.5 shares them.

Longer than most: the tower's reader and the decoder with norms inside its parts stand in no other family.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from ..blocks import attention, embedding, fairseq_attention, fairseq_layer, layer_norm, linear, lm_head, mlp
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Tensor, module, repeat
from .towers.clip import ClipVisionConfig, clip_vision


class Kosmos2TextConfig(Schema):
    model_type: str = "kosmos_2_text_model"
    vocab_size: Size = 65037
    embed_dim: Size = 2048
    layers: Count = 24
    ffn_dim: Size = 8192
    attention_heads: Count = 32
    activation_function: str = "gelu"
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "embed_dim",
        "num_attention_heads": "attention_heads",
        "num_hidden_layers": "layers",
    }


class Kosmos2VisionConfig(ClipVisionConfig):
    model_type: str = "kosmos_2_vision_model"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    patch_size: Size = 14


class KosmosConfig(ModelConfig):
    """The keys of both; the towers differ."""

    text_config: Kosmos2TextConfig = Kosmos2TextConfig()
    latent_query_num: Size = 64
    tie_word_embeddings: bool = True


class Kosmos2Config(KosmosConfig):
    vision_config: Kosmos2VisionConfig = Kosmos2VisionConfig()


@architecture("kosmos-2", config=Kosmos2Config)
def kosmos_2(config: Kosmos2Config) -> Module:
    eyes = module(model=clip_vision(config.vision_config)).marked(section="vision")
    tie = config.tie_word_embeddings or config.text_config.tie_word_embeddings
    return kosmos(config, eyes, config.vision_config.hidden_size, tie=tie, norm_in_attention=True)


def kosmos(
    config: KosmosConfig,
    eyes: Module,
    image_width: int,
    *,
    tie: bool,
    norm_in_attention: bool = False,
    segment_emb: Module | None = None,
) -> Module:
    """The decoder, the tower `eyes` of `image_width`, and what lies between; a bare `…Model` has no head.

    Raises ConfigValueError: a class whose tensors are not known.
    """
    text, name = config.text_config, config.class_name
    width, vocab = text.embed_dim, text.vocab_size
    layers = repeat(text.layers, _layer(text, norm_in_attention=norm_in_attention))
    tables = {"embed_tokens": embedding(vocab, width), "segment_emb": segment_emb}
    speaking = module(model=module(**tables, layers=layers, layer_norm=layer_norm(width)))
    if not name or name.endswith("ForConditionalGeneration"):
        tied_to = "text_model.model.embed_tokens.weight" if tie else None
        speaking = speaking.extend(lm_head=lm_head(width, vocab, tied_to=tied_to))
    elif not name.endswith("Model"):
        raise unknown_class(config)
    return module(text_model=speaking, vision_model=eyes, image_to_text_projection=_resampler(config, image_width))


def _layer(text: Kosmos2TextConfig, *, norm_in_attention: bool) -> Module:
    """fairseq's layer, the MLP one level down with a norm inside it, and where asked a norm inside attention too."""
    width, inner = text.embed_dim, text.ffn_dim
    attend = partial(fairseq_attention, width, heads=text.attention_heads, positions="sinusoidal")
    layer = fairseq_layer(
        width,
        inner,
        self_attn=attend().extend(inner_attn_ln=layer_norm(width) if norm_in_attention else None),
        encoder_attn=attend(source_width=width) if text.add_cross_attention else None,
        kind="pre-norm",
    )
    feed_forward = mlp(width, inner, activation=text.activation_function).extend(ffn_layernorm=layer_norm(inner))
    return layer.replacing(fc1=None, fc2=None).extend(ffn=feed_forward)


def _resampler(config: KosmosConfig, image_width: int) -> Module:
    """`latent_query_num` learned queries that read the image, projected to the text's width; run once an image."""
    width, heads = config.text_config.embed_dim, config.text_config.attention_heads
    reading = attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        bias=True,
        causal=False,
        source_width=width,
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    return module(
        latent_query=Tensor((config.latent_query_num, width)),
        dense=linear(image_width, width, bias=True),
        x_attn=replace(reading, cache=None),
    ).marked(section="projector")

"""BLIP: a ViT, and BERT's layers that read its patches in each layer, to describe an image, answer, or match."""

from __future__ import annotations

from ..blocks import encoder_attention, encoder_embeddings, encoder_layer, linear
from ..config import Count, ModelConfig, Schema, Size
from ..encoder_heads import bert_head, pooler, score, unknown_class
from ..registry import architecture
from ..tree import Module, Tensor, module, relocated, repeat
from .towers.blip import BlipVisionConfig, blip_vision


class BlipTextConfig(Schema):
    model_type: str = "blip_text_model"
    vocab_size: Size = 30524
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 8
    max_position_embeddings: Size = 512
    encoder_hidden_size: int = 768  # not read: what it attends to has the tower's width
    projection_dim: int = 768
    hidden_act: str = "gelu"
    is_decoder: bool = True
    tie_word_embeddings: bool = True


class BlipConfig(ModelConfig):
    text_config: BlipTextConfig = BlipTextConfig()
    vision_config: BlipVisionConfig = BlipVisionConfig()
    projection_dim: Size = 512
    image_text_hidden_size: Size = 256
    tie_word_embeddings: bool = True


@architecture("blip", config=BlipConfig)
def blip(config: BlipConfig) -> Module:
    """The class decides: `…ForConditionalGeneration` writes, `…ForQuestionAnswering` reads a question first."""
    name, text, vision = config.class_name, config.text_config.hidden_size, config.vision_config.hidden_size
    seeing = module(vision_model=blip_vision(config.vision_config))
    if not name or name.endswith("ForConditionalGeneration"):
        return seeing.extend(text_decoder=_writer(config))
    if name.endswith("ForQuestionAnswering"):
        return seeing.extend(text_encoder=_reader(config), text_decoder=_writer(config))
    if name.endswith("ForImageTextRetrieval"):
        shared = config.image_text_hidden_size
        return seeing.extend(
            text_encoder=_reader(config),
            vision_proj=linear(vision, shared, bias=True),
            text_proj=linear(text, shared, bias=True),
            itm_head=score(text, 2),
        )
    if name == "BlipModel":
        return module(text_model=_reader(config).extend(pooler=pooler(text)), **dict(seeing.children)).extend(
            visual_projection=linear(vision, config.projection_dim),
            text_projection=linear(text, config.projection_dim),
            logit_scale=Tensor(()),
        )
    raise unknown_class(config)


def _reader(config: BlipConfig, *, causal: bool = False) -> Module:
    text = config.text_config
    hidden, heads, image_width = text.hidden_size, text.num_attention_heads, config.vision_config.hidden_size
    looks = encoder_attention(hidden, heads=heads, causal=causal, source_width=image_width)
    layer = encoder_layer(
        hidden,
        text.intermediate_size,
        attention=encoder_attention(hidden, heads=heads, causal=causal),
        crossattention=looks if text.is_decoder else None,
        activation=text.hidden_act,
    )
    return module(
        embeddings=encoder_embeddings(hidden, vocab=text.vocab_size, positions=text.max_position_embeddings),
        encoder=module(layer=repeat(text.num_hidden_layers, layer)),
    )


def _writer(config: BlipConfig) -> Module:
    text, tie = config.text_config, config.tie_word_embeddings or config.text_config.tie_word_embeddings
    table = "bert.embeddings.word_embeddings.weight" if tie else None
    head = bert_head(text.hidden_size, text.vocab_size, table=table)
    return relocated(module(bert=_reader(config, causal=True), **head), "", "text_decoder.")

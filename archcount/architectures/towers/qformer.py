"""The Q-Former of BLIP-2 (Li et al. 2023): a small BERT whose learned queries read an image in every other layer."""

from __future__ import annotations

from ...blocks import encoder_attention, encoder_embeddings, encoder_layer, layer_norm
from ...config import Count, Schema, Size
from ...schedules import stack_of
from ...tree import Module, module


class QFormerConfig(Schema):
    model_type: str = "blip_2_qformer"
    vocab_size: Size = 30522
    hidden_size: Size = 768
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    intermediate_size: Size = 3072
    hidden_act: str = "gelu"
    max_position_embeddings: Size = 512
    cross_attention_frequency: Count = 2
    encoder_hidden_size: Size = 1408
    use_qformer_text_input: bool = False


def qformer(config: QFormerConfig, image_width: int, *, reads_text: bool) -> Module:
    """`encoder`: layers with an MLP for the queries and, where it `reads_text`, another for text."""
    layers = config.num_hidden_layers
    crosses = [index % config.cross_attention_frequency == 0 for index in range(layers)]
    return module(
        encoder=module(layer=stack_of(crosses, lambda cross: _layer(config, image_width, cross, reads_text)))
    ).marked(section="projector")


def text_embeddings(config: QFormerConfig) -> Module:
    """The tables with which a Q-Former reads text, without a norm."""
    return encoder_embeddings(
        config.hidden_size, vocab=config.vocab_size, positions=config.max_position_embeddings, norm=False
    )


def norm(config: QFormerConfig) -> Module:
    """The norm over queries and text."""
    return layer_norm(config.hidden_size)


def _layer(config: QFormerConfig, image_width: int, cross: bool, reads_text: bool) -> Module:
    width, heads, name = config.hidden_size, config.num_attention_heads, "attention"
    looks = encoder_attention(width, heads=heads, source_width=image_width, self_name=name)
    layer = encoder_layer(
        width,
        config.intermediate_size,
        attention=encoder_attention(width, heads=heads, self_name=name),
        crossattention=looks if cross else None,
        activation=config.hidden_act,
    )
    parts = dict(layer.children)
    of_queries = {"intermediate_query": parts["intermediate"], "output_query": parts["output"]}
    with_queries = layer.extend(**of_queries)
    return with_queries if reads_text else with_queries.replacing(intermediate=None, output=None)

"""VisualGLM's eyes: BLIP-2's ViT and Q-Former as SwissArmyTransformer writes them, and a matrix to the text."""

from __future__ import annotations

from ...blocks import (
    convolution,
    embedding,
    fused_bidirectional_attention,
    layer_norm,
    linear,
    mlp,
    paired_attention,
    position_embedding,
)  # fmt: skip
from ...config import Count, CountOrZero, Schema, Size
from ...dim import exact_div
from ...precision import kept_in
from ...tree import Module, Node, Role, module, repeat, stack

MLP_NAMES = "dense_h_to_4h", "dense_4h_to_h"


class SatConfig(Schema):
    """A stack of SwissArmyTransformer's; `max_sequence_length` rows of positions, and `vocab_size` of words."""

    num_layers: Count
    hidden_size: Size
    num_attention_heads: Count
    vocab_size: Size
    inner_hidden_size: Size | None = None
    max_sequence_length: CountOrZero = 0
    use_final_layernorm: bool = True


class SatVisionConfig(SatConfig):
    image_size: tuple[Size, Size]
    patch_size: Size
    in_channels: Size = 3
    pre_len: CountOrZero = 1
    post_len: CountOrZero = 0


class SatQFormerConfig(SatConfig):
    is_decoder: list[bool]
    cross_attn_hidden_size: Size


def visualglm_eyes(vision: SatVisionConfig, reader: SatQFormerConfig, hidden: int) -> Module:
    """`vit`, `qformer` and `glm_proj`, in full precision though the language model is in half."""
    width = reader.hidden_size
    read = module(
        word_embeddings=embedding(reader.vocab_size, width),
        layers=stack(_reading_layers(reader)),
        final_layernorm=layer_norm(width) if reader.use_final_layernorm else None,
    )
    eyes = module(
        vit=_vit(vision),
        qformer=module(transformer=read).marked(section="projector"),
        glm_proj=linear(width, hidden, bias=True).marked(section="projector"),
    )
    return kept_in("float32", eyes.marked(section="vision"))


def _vit(config: SatVisionConfig) -> Module:
    """Its one word is the class token; the mixins are SwissArmyTransformer's way to add parts to a stack."""
    width, patch = config.hidden_size, config.patch_size
    patches = convolution(config.in_channels, width, patch, patch)
    layer = module(None, "pre-norm", **_layer(config))
    return module(
        mixins=module(
            patch_embedding=module(Role.EMBEDDING, "patch embedding", proj=patches),
            cls=module(ln_vision=layer_norm(width)),
        ),
        transformer=module(
            word_embeddings=embedding(config.vocab_size, width),
            position_embeddings=position_embedding(config.max_sequence_length, width),
            layers=repeat(config.num_layers, layer),
            final_layernorm=layer_norm(width) if config.use_final_layernorm else None,
        ),
    )


def _reading_layers(config: SatQFormerConfig) -> list[Module]:
    """Every layer attends among the queries; those that `is_decoder` names read the image as well."""
    width, heads = config.hidden_size, config.num_attention_heads
    crossing = paired_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        source_width=config.cross_attn_hidden_size,
        bias=True,
        names=("query", "key_value", "dense"),
    )
    parts = _layer(config)
    norm = layer_norm(width)
    reads = {"cross_attention": crossing, "post_cross_attention_layernorm": norm}
    plain, cross = module(None, "post-norm", **parts), module(None, "post-norm", **parts, **reads)
    return [cross if is_cross else plain for is_cross in config.is_decoder]


def _layer(config: SatConfig) -> dict[str, Node]:
    width, heads, norm = config.hidden_size, config.num_attention_heads, layer_norm(config.hidden_size)
    attends = fused_bidirectional_attention(width, heads=heads, names=("query_key_value", "dense"))
    return {
        "input_layernorm": norm,
        "attention": attends,
        "post_attention_layernorm": norm,
        "mlp": mlp(width, config.inner_hidden_size or 4 * width, names=MLP_NAMES),
    }

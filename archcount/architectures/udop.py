"""UDOP: T5 that reads a page: patches and words in one encoder, placed by where they stand on it."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import convolution, lm_head, position_embedding
from ..config import Count, Schema, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Role, Tensor, module, stack, tied
from .t5 import T5Config, t5_side, t5_table

FIRST_LAYER = "encoder.block.0.layer.0.SelfAttention"


class RelativeBias(Schema):
    """A table of biases for one kind of distance: in the text, along the page, down the page."""

    type: str
    relative_attention_num_buckets: Count = 32
    prefix_bucket: bool = False
    expand: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"num_heads", "max_distance", "scaling_factor"})

    @property
    def buckets(self) -> int:
        """Rows of the table: two more for a prefix."""
        return self.relative_attention_num_buckets + (2 if self.prefix_bucket and not self.expand else 0)


OWN_BIASES = tuple(RelativeBias(type=name) for name in ("1d", "horizontal", "vertical"))


class UdopConfig(T5Config):
    vocab_size: Size = 33201
    d_model: Size = 1024
    d_ff: Size = 4096
    num_layers: Count = 24
    num_heads: Count = 16
    relative_bias_args: tuple[RelativeBias, ...] = OWN_BIASES
    max_2d_position_embeddings: Size = 1024
    patch_size: Size = 16
    num_channels: Size = 3
    ignored: ClassVar[frozenset[str]] = frozenset({"image_size", "tie_word_embeddings"})


@architecture("udop", config=UdopConfig)
def udop(config: UdopConfig) -> Module:
    """Every class ties the tables; `UdopEncoderModel` has no decoder, and only `…ForConditionalGeneration` a head."""
    name, table = config.class_name, t5_table(config)
    has_head = not name or name.endswith("ForConditionalGeneration")
    ties_bias = has_head or name.endswith("EncoderModel")  # UdopModel forgets to
    whole = module(
        shared=table,
        patch_embed=_patches(config).marked(section="vision"),
        encoder=_side(config, "encoder", ties_bias=ties_bias),
    )
    if name.endswith("EncoderModel"):
        return whole
    if not has_head and not name.endswith("Model"):
        raise unknown_class(config)
    head = lm_head(config.d_model, config.vocab_size, tied_to="shared.weight") if has_head else None
    return whole.extend(decoder=_side(config, "decoder", ties_bias=ties_bias), lm_head=head)


def _side(config: UdopConfig, side: str, *, ties_bias: bool) -> Module:
    """T5's side, and a bias of its own for each kind of distance; the decoder holds patches that it never reads."""
    patches, is_encoder = _patches(config), side == "encoder"
    tables = [
        module(relative_attention_bias=module(weight=Tensor((bias.buckets, config.num_heads))))
        for bias in config.relative_bias_args
    ]
    if ties_bias:
        tables[:1] = [tied(first, FIRST_LAYER) for first in tables[:1]]
    places = position_embedding(config.max_2d_position_embeddings, config.d_model)
    return (
        t5_side(config, side)
        .prepend(
            embed_tokens=tied(t5_table(config), "shared"),
            embed_patches=tied(patches, "patch_embed") if is_encoder else patches.marked(uses=0),
        )
        .extend(
            cell_2d_embedding=module(x_position_embeddings=places, y_position_embeddings=places)
            if is_encoder
            else None,
            relative_bias=module(biases=stack(tables)),
        )
    )


def _patches(config: UdopConfig) -> Module:
    patch = config.patch_size
    proj = convolution(config.num_channels, config.d_model, patch, patch)
    return module(Role.EMBEDDING, "patch embedding", proj=proj)

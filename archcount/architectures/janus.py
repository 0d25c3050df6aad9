"""Janus: one tower to read images, a VQGAN to draw them, and a Llama between."""

from __future__ import annotations

from ..blocks import bidirectional_attention, convolution, embedding, layer_norm, linear, mlp, position_embedding
from ..config import Count, ModelConfig, Schema, Size
from ..dim import truncated
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..multimodal import is_tied, with_language_beside
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module, Node, Role, module, repeat
from .towers.janus_vq import JanusVqConfig, vq_model

DRAWING = "image generation"


class JanusVisionConfig(Schema):
    model_type: str = "janus_vision_model"
    hidden_size: Size = 1024
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 384
    patch_size: Size = 16
    hidden_act: str = "gelu"
    mlp_ratio: float = 4.0
    attention_bias: bool = True
    use_qk_norm: bool = False
    projection_dim: Size = 2048
    depth: Count = 2


class JanusConfig(CompositeConfig):
    text_config: ModelConfig = nested("llama")
    vision_config: JanusVisionConfig = JanusVisionConfig()
    vq_config: JanusVqConfig = JanusVqConfig()
    tie_word_embeddings: bool = True


def _images(config: JanusConfig, _: Picture) -> Seen:
    """A mark before and one after."""
    vision = config.vision_config
    return one_square(vision.image_size, vision.patch_size, marks=2, projector="aligner")


@architecture("janus", config=JanusConfig, images=ImageRule(_images))
def janus(config: JanusConfig) -> Module:
    text, vision, vq = config.text_config, config.vision_config, config.vq_config
    head = module(
        Role.HEAD,
        proj_out=linear(vq.image_token_embed_dim, vq.projection_dim, bias=True),
        vision_head=linear(vq.projection_dim, vq.num_embeddings, bias=True),
    )
    parts: dict[str, Node] = {
        "vision_model": _tower(vision),
        "aligner": _aligner(vision.hidden_size, vision.projection_dim, vision.depth).marked(section="projector"),
        "vqmodel": vq_model(vq).marked(section=DRAWING),
        "generation_embeddings": embedding(vq.num_embeddings, vq.embed_dim).marked(section=DRAWING),
        "generation_aligner": _aligner(vq.embed_dim, vq.projection_dim, vq.num_hidden_layers).marked(section=DRAWING),
        "generation_head": head.marked(section=DRAWING),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text))


def _tower(config: JanusVisionConfig) -> Module:
    """SigLIP's form, with other names in attention and, where asked, norms over all its heads."""
    width, patch = config.hidden_size, config.patch_size
    patches_a_side = config.image_size // patch
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding"),
        position_embedding=position_embedding(patches_a_side * patches_a_side, width),
    )
    layer = module(
        None,
        "pre-norm",
        layer_norm1=layer_norm(width),
        self_attn=_attention(config),
        layer_norm2=layer_norm(width),
        mlp=mlp(width, truncated(config.mlp_ratio, width, "mlp_ratio"), activation=config.hidden_act),
    )
    encoder = module(layers=repeat(config.num_hidden_layers, layer))
    return module(embeddings=embeddings, encoder=encoder, post_layernorm=layer_norm(width)).marked(section="vision")


def _attention(config: JanusVisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    norm = layer_norm(width) if config.use_qk_norm else None
    return bidirectional_attention(
        width,
        heads=heads,
        bias=config.attention_bias,
        norm=norm,
        names=("q_proj", "k_proj", "v_proj", "projection_layer"),
    )


def _aligner(width: int, hidden: int, depth: int) -> Module:
    """`depth` matrices: the first from `width`."""
    further = repeat(depth - 1, linear(hidden, hidden, bias=True))
    return module(fc1=linear(width, hidden, bias=True), hidden_layers=further)

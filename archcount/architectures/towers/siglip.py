"""SigLIP's vision tower: a pre-norm ViT with biases, no class token, and where asked an attention-pooling head."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bidirectional_attention, convolution, layer_norm, mlp, position_embedding, torch_attention
from ...config import Count, ModelConfig, Size
from ...registry import architecture
from ...tree import Module, Role, Tensor, module, repeat


class SiglipKeys(ModelConfig):
    """What every tower of SigLIP's making has; where its positions come from differs."""

    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    num_channels: Size = 3
    patch_size: Size = 16
    hidden_act: str = "gelu_pytorch_tanh"


class SiglipVisionConfig(SiglipKeys):
    model_type: str = "siglip_vision_model"
    image_size: Size = 224
    vision_use_head: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"projection_dim", "vocab_size"})  # of SigLIP's text side


class Idefics2VisionConfig(SiglipVisionConfig):
    model_type: str = "idefics2_vision"
    patch_size: Size = 32
    vision_use_head: bool = False


class Idefics3VisionConfig(Idefics2VisionConfig):
    model_type: str = "idefics3_vision"
    hidden_size: Size = 1152
    num_attention_heads: Count = 16


@architecture("idefics2_vision", config=Idefics2VisionConfig)
@architecture("idefics3_vision", config=Idefics3VisionConfig)
@architecture("smolvlm_vision", config=Idefics3VisionConfig)
@architecture("siglip_vision_model", config=SiglipVisionConfig)
def siglip_vision(config: SiglipVisionConfig) -> Module:
    """`embeddings`, `encoder`, `post_layernorm` and, with `vision_use_head`, `head`."""
    patches_a_side = config.image_size // config.patch_size
    tower = siglip_tower(config, patches_a_side * patches_a_side)
    return tower.extend(head=pooling_head(config) if config.vision_use_head else None)


def siglip_tower(config: SiglipKeys, places: int | None, *, positions: str = "learned") -> Module:
    """`embeddings`, with a table of so many `places` unless None; `encoder` and `post_layernorm`."""
    width, patch = config.hidden_size, config.patch_size
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding"),
        position_embedding=None if places is None else position_embedding(places, width),
    )
    layer = module(
        None,
        "pre-norm",
        layer_norm1=layer_norm(width),
        self_attn=siglip_attention(config, positions),
        layer_norm2=layer_norm(width),
        mlp=_mlp(config),
    )
    return module(
        embeddings=embeddings,
        encoder=module(layers=repeat(config.num_hidden_layers, layer)),
        post_layernorm=layer_norm(width),
    ).marked(section="vision")


def siglip_attention(config: SiglipKeys, positions: str = "learned") -> Module:
    """Attention of every patch to every patch, with biases."""
    return bidirectional_attention(config.hidden_size, heads=config.num_attention_heads, positions=positions)


def _mlp(config: SiglipKeys) -> Module:
    return mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)


def pooling_head(config: SiglipKeys) -> Module:
    """One learned query, `probe`, that attends to every patch."""
    width = config.hidden_size
    pooling = torch_attention(width, heads=config.num_attention_heads)
    return module(probe=Tensor((1, 1, width)), attention=pooling, layernorm=layer_norm(width), mlp=_mlp(config))

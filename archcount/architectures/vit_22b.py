"""ViT-22B (Dehghani et al. 2023): a ViT with attention and MLP side by side and a norm on query and key."""

from __future__ import annotations

from ..blocks import attention, convolution, layer_norm, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class Vit22bConfig(ModelConfig):
    """No config.json was published, so there is no class to take a default from: the keys are Hugging Face's ViT's."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Count
    num_attention_heads: Count
    num_channels: Size
    image_size: Size
    patch_size: Size
    qk_norm: bool = True
    qkv_bias: bool = False
    hidden_act: str = "gelu"


@architecture("vit_22b", config=Vit22bConfig)
def vit_22b(config: Vit22bConfig) -> Module:
    """The encoder alone: the paper's figure leaves out what pools and classifies. A norm has a gain and no bias."""
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    head_dim, patches_a_side = exact_div(width, heads), config.image_size // patch
    norm, head_norm = layer_norm(width, bias=False), layer_norm(head_dim, bias=False) if config.qk_norm else None
    layer = module(
        None,
        "parallel",
        norm=norm,
        attention=attention(
            width,
            heads=heads,
            head_dim=head_dim,
            bias=config.qkv_bias,
            out_bias=True,
            query_norm=head_norm,
            key_norm=head_norm,
            causal=False,
            positions="learned",
        ),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
    )
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch),
        position_embedding=position_embedding(patches_a_side * patches_a_side, width),
    )
    return module(embeddings=embeddings, layers=repeat(config.num_hidden_layers, layer), norm=norm)

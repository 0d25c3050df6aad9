"""The first Step 3's vision tower: EVA-CLIP's form, a ViT that norms what each part gave."""

from __future__ import annotations

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, mlp, position_embedding
from ...config import Count, Schema, Size
from ...tree import Module, Role, Tensor, module, repeat


class Step3VitConfig(Schema):
    model_type: str = "step3_vision_encoder"
    hidden_size: Size = 1792
    intermediate_size: Size = 3072
    output_hidden_size: Size = 4096
    num_hidden_layers: Count = 63
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 728
    patch_size: Size = 14
    hidden_act: str = "quick_gelu"


def step3_vit(config: Step3VitConfig) -> Module:
    """`embeddings` with a class token and a table, and `transformer.layers`; no norm before or after them."""
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    side = config.image_size // patch
    patches = convolution(config.num_channels, width, patch, patch).marked(kind="patch embedding")
    layer = module(
        None,
        "post-norm",
        layer_norm1=layer_norm(width),
        self_attn=fused_bidirectional_attention(width, heads=heads, names=("qkv_proj", "out_proj")),
        layer_norm2=layer_norm(width),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
    )
    return module(
        embeddings=module(
            Role.EMBEDDING,
            class_embedding=Tensor((1, width)),
            patch_embedding=patches,
            position_embedding=position_embedding(side * side + 1, width),
        ),
        transformer=module(layers=repeat(config.num_hidden_layers, layer)),
    ).marked(section="vision")

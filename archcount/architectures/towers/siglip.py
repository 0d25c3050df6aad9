"""SigLIP's vision tower: a pre-norm ViT with biases, no class token, and where asked an attention-pooling head."""

from __future__ import annotations

from ...blocks import attention, convolution, layer_norm, linear, mlp, position_embedding
from ...blocks.linear import bias_of
from ...config import Count, ModelConfig, Size
from ...dim import exact_div
from ...registry import architecture
from ...tree import Attends, Module, Role, Tensor, Use, module, repeat


class SiglipVisionConfig(ModelConfig):
    model_type: str = "siglip_vision_model"
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    num_channels: Size = 3
    image_size: Size = 224
    patch_size: Size = 16
    hidden_act: str = "gelu_pytorch_tanh"
    vision_use_head: bool = True


@architecture("siglip_vision_model", config=SiglipVisionConfig)
def siglip_vision(config: SiglipVisionConfig) -> Module:
    """`embeddings`, `encoder`, `post_layernorm` and, with `vision_use_head`, `head`."""
    width, patch, patches_a_side = config.hidden_size, config.patch_size, config.image_size // config.patch_size
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=convolution(config.num_channels, width, patch, patch),
        position_embedding=position_embedding(patches_a_side * patches_a_side, width),
    )
    layer = module(
        None,
        "pre-norm",
        layer_norm1=layer_norm(width),
        self_attn=attention(
            width,
            heads=config.num_attention_heads,
            head_dim=exact_div(width, config.num_attention_heads),
            bias=True,
            causal=False,
            positions="learned",
            names=("q_proj", "k_proj", "v_proj", "out_proj"),
        ),
        layer_norm2=layer_norm(width),
        mlp=_mlp(config),
    )
    return module(
        embeddings=embeddings,
        encoder=module(layers=repeat(config.num_hidden_layers, layer)),
        post_layernorm=layer_norm(width),
        head=_pooling_head(config) if config.vision_use_head else None,
    ).marked(section="vision")


def _mlp(config: SiglipVisionConfig) -> Module:
    return mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)


def _pooling_head(config: SiglipVisionConfig) -> Module:
    """One learned query, `probe`, that attends to every patch."""
    width, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(width, heads)
    pooling = module(
        Role.ATTENTION,
        in_proj_weight=Tensor((3 * width, width), Use.MATMUL),
        in_proj_bias=bias_of(3 * width),
        out_proj=linear(width, width, bias=True),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False))
    return module(probe=Tensor((1, 1, width)), attention=pooling, layernorm=layer_norm(width), mlp=_mlp(config))

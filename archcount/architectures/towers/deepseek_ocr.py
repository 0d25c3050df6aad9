"""DeepSeek-OCR's two towers in a row: Segment Anything sees the pixels, and CLIP's layers what it made of them."""

from __future__ import annotations

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, mlp, position_embedding, unused
from ...config import Count, Schema, Size
from ...renaming import renamed
from ...tree import Module, Role, Tensor, module, repeat
from .clip import ClipVisionConfig
from .sam import SamVisionConfig, sam_neck, sam_vision

ORIGINAL_NAMES = {"projection": "proj", "layers": "blocks", "layer_norm1": "norm1", "layer_norm2": "norm2"}
ORIGINAL_NECK = {"conv1": "0", "layer_norm1": "1", "conv2": "2", "layer_norm2": "3"}
"""What Segment Anything's own code calls its parts."""


class OcrSamConfig(SamVisionConfig):
    model_type: str = "unlimited_ocr_sam_vision_model"
    downsample_channels: tuple[Size, Size] = (512, 1024)


class OcrClipConfig(ClipVisionConfig):
    model_type: str = "unlimited_ocr_vision_encoder"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    patch_size: Size = 14


class OcrVisionConfig(Schema):
    model_type: str = "unlimited_ocr_vision"
    sam_config: OcrSamConfig = OcrSamConfig()
    encoder_config: OcrClipConfig = OcrClipConfig()


def ocr_sam(config: OcrSamConfig) -> Module:
    """Segment Anything's tower by its first names, and two convolutions that halve it again."""
    out, (first, last) = config.output_channels, config.downsample_channels
    neck = renamed(sam_neck(config.hidden_size, out), ORIGINAL_NECK)
    return (
        renamed(sam_vision(config), ORIGINAL_NAMES)
        .replacing(neck=neck)
        .extend(
            net_2=convolution(out, first, 3, 3, bias=False),
            net_3=convolution(first, last, 3, 3, bias=False),
        )
    )


def ocr_clip(config: OcrClipConfig, *, has_patches: bool = False) -> Module:
    """CLIP's layers with query, key and value in one matrix; `has_patches`: a patch embedding that nothing reads."""
    width, patch = config.hidden_size, config.patch_size
    side = config.image_size // patch
    patches = unused(convolution(config.num_channels, width, patch, patch, bias=False)) if has_patches else None
    embeddings = module(
        Role.EMBEDDING,
        class_embedding=Tensor((width,)),
        patch_embedding=patches,
        position_embedding=position_embedding(side * side + 1, width),
    )
    layers = repeat(config.num_hidden_layers, _clip_layer(config))
    tower = module(embeddings=embeddings, transformer=module(layers=layers), pre_layrnorm=layer_norm(width))
    return tower.marked(section="vision")


def _clip_layer(config: OcrClipConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    self_attn = fused_bidirectional_attention(width, heads=heads, names=("qkv_proj", "out_proj"))
    return module(
        None,
        "pre-norm",
        layer_norm1=layer_norm(width),
        self_attn=self_attn,
        layer_norm2=layer_norm(width),
        mlp=mlp(width, config.intermediate_size, activation=config.hidden_act),
    )

"""The vision tower of Segment Anything as GOT-OCR2 uses it: a ViT with windows and relative positions, then a neck."""

from __future__ import annotations

from ...blocks import convolution, fused_attention, layer_norm, mlp
from ...config import Count, CountOrZero, Factor, Schema, Size, SizeOrZero
from ...dim import exact_div, truncated
from ...tree import Module, Role, Tensor, module, stack


class SamVisionConfig(Schema):
    model_type: str = "got_ocr2_vision"
    hidden_size: Size = 768
    output_channels: Size = 256
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    num_channels: Size = 3
    image_size: Size = 1024
    patch_size: Size = 16
    mlp_dim: Size | None = 3072
    mlp_ratio: Factor = 4.0
    qkv_bias: bool = True
    use_abs_pos: bool = True
    use_rel_pos: bool = True
    window_size: SizeOrZero = 14
    global_attn_indexes: tuple[CountOrZero, ...] = (2, 5, 8, 11)
    hidden_act: str = "gelu"

    @property
    def inner(self) -> int:
        """The MLP's width."""
        return self.mlp_dim or truncated(self.mlp_ratio, self.hidden_size, "mlp_ratio")


def sam_vision(config: SamVisionConfig) -> Module:
    """`patch_embed`, `pos_embed` [1, side, side, hidden], `layers` and `neck`; side = image ÷ patch."""
    width, patch, out = config.hidden_size, config.patch_size, config.output_channels
    side = config.image_size // patch
    windowed, whole = sam_layer(config, config.window_size), sam_layer(config, 0)
    layers = [whole if index in config.global_attn_indexes else windowed for index in range(config.num_hidden_layers)]
    return module(
        patch_embed=module(
            Role.EMBEDDING, "patch embedding", projection=convolution(config.num_channels, width, patch, patch)
        ),
        pos_embed=Tensor((1, side, side, width)) if config.use_abs_pos else None,
        layers=stack(layers),
        neck=sam_neck(width, out),
    ).marked(section="vision")


def sam_neck(width: int, out: int) -> Module:
    """Two convolutions to `out` channels, each with a norm over channels."""
    return module(
        conv1=convolution(width, out, 1, 1, bias=False),
        layer_norm1=layer_norm(out),
        conv2=convolution(out, out, 3, 3, bias=False),
        layer_norm2=layer_norm(out),
    )


def sam_layer(config: SamVisionConfig, window: int) -> Module:
    """Attention within squares of `window` patches a side, over the whole image where it is 0."""
    width, heads = config.hidden_size, config.num_attention_heads
    head_dim, side = exact_div(width, heads), window or config.image_size // config.patch_size
    relative = Tensor((2 * side - 1, head_dim)) if config.use_rel_pos else None
    attn = fused_attention(
        width,
        heads=heads,
        head_dim=head_dim,
        bias=config.qkv_bias,
        out_bias=True,
        window=window * window or None,
        positions="relative" if config.use_rel_pos else "learned",
        causal=False,
        names=("qkv", "proj"),
    )
    return module(
        None,
        "pre-norm",
        layer_norm1=layer_norm(width),
        attn=attn.extend(rel_pos_h=relative, rel_pos_w=relative),
        layer_norm2=layer_norm(width),
        mlp=mlp(width, config.inner, activation=config.hidden_act, names=("lin1", "lin2")),
    )

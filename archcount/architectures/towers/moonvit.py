"""MoonViT, Kimi's vision tower: a ViT on images of any shape, with a learned grid of positions and turned ones."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import convolution, fused_attention, layer_norm, mlp, rms_norm
from ...config import Count, Schema, Size
from ...dim import exact_div
from ...errors import ConfigValueError
from ...renaming import without_a_name
from ...tree import Module, Node, Role, Tensor, Use, module, repeat


class MoonVitConfig(Schema):
    model_type: str = "kimi_k25_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    hidden_act: str = "gelu_pytorch_tanh"
    patch_size: Size = 14
    pos_emb_height: Size = 64
    pos_emb_width: Size = 64
    merge_kernel_size: tuple[Size, Size] = (2, 2)
    qkv_hidden_size: Size | None = None
    norm_type: str = "layernorm"
    attn_bias: bool = True
    linear_bias: bool = True
    patch_embed_proj_bias: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "vt_hidden_size": "hidden_size",
        "vt_intermediate_size": "intermediate_size",
        "vt_num_hidden_layers": "num_hidden_layers",
        "vt_num_attention_heads": "num_attention_heads",
        "init_pos_emb_height": "pos_emb_height",
        "init_pos_emb_width": "pos_emb_width",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"text_hidden_size", "mm_hidden_size"})  # stand in the outer config

    def norm(self) -> Module:
        """Of each half of a layer, and after the last.

        Raises ConfigValueError: neither of the two there are.
        """
        if self.norm_type not in ("layernorm", "rmsnorm"):
            raise ConfigValueError(f"norm_type is {self.norm_type!r}: should be layernorm or rmsnorm")
        return rms_norm(self.hidden_size) if self.norm_type == "rmsnorm" else layer_norm(self.hidden_size)


class KimiK3VisionConfig(MoonVitConfig):
    """MoonViT without biases, wider inside its attention than outside: the sizes it was published with."""

    model_type: str = "kimi_k3_vision"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_attention_heads: Count = 12
    qkv_hidden_size: Size | None = 1536
    norm_type: str = "rmsnorm"
    attn_bias: bool = False
    linear_bias: bool = False
    patch_embed_proj_bias: bool = False


def moonvit_patches(config: MoonVitConfig) -> Module:
    """`proj`, the patch embedding."""
    patch = config.patch_size
    proj = convolution(3, config.hidden_size, patch, patch, bias=config.patch_embed_proj_bias)
    return module(Role.EMBEDDING, proj=proj.marked(kind="patch embedding"))


def moonvit_positions(config: MoonVitConfig) -> Module:
    """`weight` [height, width, hidden], stretched to the image's shape; those of a video's frames are computed."""
    shape = (config.pos_emb_height, config.pos_emb_width, config.hidden_size)
    return module(Role.EMBEDDING, "learned positions", weight=Tensor(shape, Use.LOOKUP))


def moonvit_layers(config: MoonVitConfig) -> dict[str, Node]:
    """`blocks` and `final_layernorm`."""
    width, heads, norm = config.hidden_size, config.num_attention_heads, config.norm()
    attends = fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(config.qkv_hidden_size or width, heads),
        bias=config.attn_bias,
        causal=False,
        positions="learned and RoPE 2D",
        names=("wqkv", "wo"),
    )
    block = module(
        None,
        "pre-norm",
        norm0=norm,
        norm1=norm,
        **without_a_name(attends),
        mlp=mlp(
            width,
            config.intermediate_size,
            bias=config.linear_bias,
            activation=config.hidden_act,
            names=("fc0", "fc1"),
        ),
    )
    return {"blocks": repeat(config.num_hidden_layers, block), "final_layernorm": norm}

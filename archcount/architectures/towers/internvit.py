"""InternViT: a pre-norm ViT with a class token and a learned scale on each residual; its two spellings.

Longer than most: its two spellings differ in every part.
"""

from __future__ import annotations

from typing import ClassVar

from ...blocks import (
    bidirectional_attention,
    convolution,
    fused_bidirectional_attention,
    layer_norm,
    mlp,
    rms_norm,
)
from ...config import Count, ModelConfig, Size
from ...errors import ConfigValueError, UnknownCostError
from ...images.seen import Picture, Seen, View
from ...images.square import across
from ...images.tiling import closest_ratio
from ...registry import architecture
from ...tree import Module, Role, Tensor, Use, module, repeat
from .sides import both_sides


class InternVisionConfig(ModelConfig):
    model_type: str = "internvl_vision"
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size | tuple[Size, Size] = 448
    patch_size: Size | tuple[Size, Size] = 14
    hidden_act: str = "gelu"
    norm_type: str = "layer_norm"
    attention_bias: bool = False
    use_qk_norm: bool = False
    use_mask_token: bool = False
    use_absolute_position_embeddings: bool = True
    use_mean_pooling: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"qkv_bias": "attention_bias", "qk_normalization": "use_qk_norm"}

    @property
    def positions(self) -> int:
        """Patches and the class token."""
        (height, width), (tall, wide) = both_sides(self.image_size), both_sides(self.patch_size)
        return (height // tall) * (width // wide) + 1

    def norm(self) -> Module:
        """The norm before attention and before the MLP.

        Raises ConfigValueError: neither of the two there are.
        """
        if self.norm_type not in ("layer_norm", "rms_norm"):
            raise ConfigValueError(f"norm_type is {self.norm_type!r}: should be layer_norm or rms_norm")
        return rms_norm(self.hidden_size) if self.norm_type == "rms_norm" else layer_norm(self.hidden_size)

    def whole_norm(self) -> Module | None:
        """The norm of queries or keys over all heads at once, where there is one."""
        return rms_norm(self.hidden_size) if self.use_qk_norm else None


def tiles(
    config: InternVisionConfig, picture: Picture, bounds: tuple[int, int], merge: int, *, with_whole: bool = True
) -> Seen:
    """So many squares as come nearest the image's shape, and, where there are several, one of it all.

    Raises UnknownCostError: a tower whose image is no square.
    """
    (height, width), (tall, wide) = both_sides(config.image_size), both_sides(config.patch_size)
    if height != width or tall != wide:
        raise UnknownCostError("vision_config.image_size is no square: how images are tiled is not known")
    columns, rows = closest_ratio(picture, int(height), *bounds)
    views = columns * rows + (with_whole and columns * rows > 1)
    side, patches = across(height, tall, merge), across(height, tall)
    tokens = views * side * side
    projected = dict.fromkeys(("multi_modal_projector", "mlp1"), tokens)
    return Seen(tokens, (View(patches, patches, views, extra=1),), marks=2, projected=projected)


@architecture("internvl_vision", config=InternVisionConfig)
def internvit(config: InternVisionConfig) -> Module:
    """As Hugging Face's InternVL spells it."""
    width, scale = config.hidden_size, Tensor((config.hidden_size,), Use.SCALE)
    embeddings = module(
        Role.EMBEDDING,
        cls_token=Tensor((1, 1, width)),
        mask_token=_mask(config),
        patch_embeddings=module(projection=_patches(config)),
        position_embeddings=_positions(config),
    )
    layer = module(
        None,
        "pre-norm",
        attention=_attention(config),
        lambda_1=scale,
        lambda_2=scale,
        layernorm_before=config.norm(),
        layernorm_after=config.norm(),
        mlp=_mlp(config),
    )
    encoder = module(layer=repeat(config.num_hidden_layers, layer))
    return module(embeddings=embeddings, encoder=encoder, layernorm=_last_norm(config)).marked(section="vision")


def original_internvit(config: InternVisionConfig, *, norms_apart: bool = False) -> Module:
    """As OpenGVLab's own files spell it: `attn.qkv`, `ls1`, `norm1`.

    `norms_apart`: the norms of queries and keys stand in `attention`, not in `attn`.
    """
    norm, scale = config.whole_norm(), Tensor((config.hidden_size,), Use.SCALE)
    embeddings = module(
        Role.EMBEDDING,
        class_embedding=Tensor((1, 1, config.hidden_size)),
        mask_token=_mask(config),
        patch_embedding=_patches(config),
        position_embedding=_positions(config),
    )
    layer = module(
        None,
        "pre-norm",
        attention=module(q_norm=norm, k_norm=norm) if norms_apart and norm else None,
        attn=_original_attention(config, None if norms_apart else norm),
        ls1=scale,
        ls2=scale,
        norm1=config.norm(),
        norm2=config.norm(),
        mlp=_mlp(config),
    )
    encoder = module(layers=repeat(config.num_hidden_layers, layer))
    return module(embeddings=embeddings, encoder=encoder, layernorm=_last_norm(config)).marked(section="vision")


def _attention(config: InternVisionConfig) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    return bidirectional_attention(
        width,
        heads=heads,
        bias=config.attention_bias,
        norm=config.whole_norm(),
        names=("q_proj", "k_proj", "v_proj", "projection_layer"),
    )


def _original_attention(config: InternVisionConfig, norm: Module | None) -> Module:
    width, heads = config.hidden_size, config.num_attention_heads
    return fused_bidirectional_attention(width, heads=heads, bias=config.attention_bias, norm=norm)


def _mask(config: InternVisionConfig) -> Tensor | None:
    """What stands for a patch that is hidden in training."""
    return Tensor((1, 1, config.hidden_size)) if config.use_mask_token else None


def _last_norm(config: InternVisionConfig) -> Module | None:
    return None if config.use_mean_pooling else layer_norm(config.hidden_size)


def _patches(config: InternVisionConfig) -> Module:
    patches = convolution(config.num_channels, config.hidden_size, *both_sides(config.patch_size))
    return patches.marked(kind="patch embedding")


def _positions(config: InternVisionConfig) -> Tensor | None:
    table = Tensor((1, config.positions, config.hidden_size), Use.LOOKUP)
    return table if config.use_absolute_position_embeddings else None


def _mlp(config: InternVisionConfig) -> Module:
    return mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)

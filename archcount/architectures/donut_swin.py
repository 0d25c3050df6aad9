"""Donut's Swin (Liu et al. 2021): stages of layers over windows, patches merged four to one between them."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import convolution, encoder_attention, encoder_layer, layer_norm, linear
from ..config import Count, Factor, ModelConfig, Size
from ..dim import truncated
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..schedules import checked_length
from ..tree import Module, Role, Storage, Tensor, module, repeat, stack
from .towers.sides import both_sides
from .vit import PRE_NORM, Sides


class DonutSwinConfig(ModelConfig):
    embed_dim: Size = 96
    depths: tuple[Count, ...] = (2, 2, 6, 2)
    num_heads: tuple[Count, ...] = (3, 6, 12, 24)
    num_channels: Size = 3
    image_size: Sides = 224
    patch_size: Sides = 4
    window_size: Size = 7
    mlp_ratio: Factor = 4.0
    qkv_bias: bool = True
    hidden_act: str = "gelu"
    use_absolute_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size", "num_layers", "num_hidden_layers"})  # derived

    @property
    def hidden_size(self) -> int:
        """The width it leaves with: each stage after the first is twice as wide."""
        return self.embed_dim * (1 << len(self.depths) - 1)


@architecture("donut-swin", config=DonutSwinConfig)
def donut_swin(config: DonutSwinConfig) -> Module:
    name, model = config.class_name, swin_tower(config)
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForImageClassification"):
        raise unknown_class(config)
    return module(donut=model, classifier=score(config.hidden_size, config.labels))


def swin_tower(config: DonutSwinConfig) -> Module:
    """`embeddings` and `encoder`, a module for each stage; no norm at the end.

    Raises ConfigValueError: heads that are not given for every stage.
    """
    width, (down, right) = config.embed_dim, both_sides(config.patch_size)
    stages, (height, across) = len(config.depths), both_sides(config.image_size)
    checked_length(config.num_heads, stages, "num_heads")
    projection = convolution(config.num_channels, width, down, right)
    patches = (height // down) * (across // right)
    embeddings = module(
        Role.EMBEDDING,
        position_embeddings=Tensor((1, patches + 1, width)) if config.use_absolute_embeddings else None,
        patch_embeddings=module(None, "patch embedding", projection=projection),
        norm=layer_norm(width),
    )
    layers = stack([_stage(config, index, is_last=index == stages - 1) for index in range(stages)])
    return module(embeddings=embeddings, encoder=module(layers=layers)).marked(section="vision")


def _stage(config: DonutSwinConfig, index: int, *, is_last: bool) -> Module:
    """Its layers, and unless it is the last a matrix from four patches side by side to one twice as wide."""
    width, side = config.embed_dim * (1 << index), config.window_size
    distances, heads = 2 * side - 1, config.num_heads[index]
    patches = side * side
    attend = encoder_attention(
        width,
        heads=heads,
        bias=config.qkv_bias,
        window=patches,
        positions="relative",
        norms=PRE_NORM,
        in_self={
            "relative_position_bias_table": Tensor((distances * distances, heads)),
            "relative_position_index": Tensor((patches, patches), storage=Storage.BUFFER, dtype="int64"),
        },
    )
    inner, activation = truncated(config.mlp_ratio, width, "mlp_ratio"), config.hidden_act
    layer = encoder_layer(width, inner, attention=attend, activation=activation, norms=PRE_NORM, kind="pre-norm")
    merging = module(reduction=linear(4 * width, 2 * width), norm=layer_norm(4 * width))
    return module(blocks=repeat(config.depths[index], layer), downsample=None if is_last else merging)

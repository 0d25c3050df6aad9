"""ViT (Dosovitskiy et al. 2020) and DeiT: BERT's layers with their norms before, over patches of an image."""

from __future__ import annotations

from ..blocks import convolution, encoder_attention, encoder_layer, layer_norm, linear
from ..config import Count, ModelConfig, Size
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..tree import Module, Per, Role, Tensor, module, repeat
from .towers.sides import both_sides

PRE_NORM = ("layernorm_before", "layernorm_after")
Sides = Size | tuple[Size, Size]


class VitConfig(ModelConfig):
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    num_channels: Size = 3
    image_size: Sides = 224
    patch_size: Sides = 16
    qkv_bias: bool = True
    hidden_act: str = "gelu"
    pooler_output_size: Size | None = None


@architecture("vit", config=VitConfig)
def vit(config: VitConfig) -> Module:
    return _classes(config, "vit", {"classifier": score(config.hidden_size, config.labels)})


@architecture("deit", config=VitConfig)
def deit(config: VitConfig) -> Module:
    """A second token learns from a teacher; `…WithTeacher` has a head on it."""
    distilled, heads = Tensor((1, 1, config.hidden_size)), score(config.hidden_size, config.labels)
    if config.class_name.endswith("WithTeacher"):
        tops = {"cls_classifier": heads, "distillation_classifier": heads}
        return _classes(config, "deit", tops, distillation_token=distilled)
    return _classes(config, "deit", {"classifier": heads}, distillation_token=distilled)


def _classes(config: VitConfig, base: str, heads: dict[str, Module], **more: Tensor) -> Module:
    """The tower under `base` with `heads`; a bare `…Model` is the tower with a pooler; none named: it classifies."""
    name, model = config.class_name, vit_tower(config, **more)
    if name.endswith("Model"):
        dense = linear(config.hidden_size, config.pooler_output_size or config.hidden_size, bias=True)
        return model.extend(pooler=module(Role.HEAD, dense=dense).marked(per=Per.SEQUENCE))
    if name and not name.endswith(("ForImageClassification", "WithTeacher")):
        raise unknown_class(config)
    return module(**{base: model}, **heads)


def vit_tower(config: VitConfig, **more: Tensor) -> Module:
    """`embeddings`, `encoder` and `layernorm`; `more` are further learned tokens among the embeddings."""
    width = config.hidden_size
    (height, across), (down, right) = both_sides(config.image_size), both_sides(config.patch_size)
    attend = encoder_attention(
        width, heads=config.num_attention_heads, bias=config.qkv_bias, norms=PRE_NORM, self_name="attention"
    )
    inner, activation = config.intermediate_size, config.hidden_act
    layer = encoder_layer(width, inner, attention=attend, activation=activation, norms=PRE_NORM, kind="pre-norm")
    projection = convolution(config.num_channels, width, down, right)
    patches = (height // down) * (across // right)
    embeddings = module(
        Role.EMBEDDING,
        cls_token=Tensor((1, 1, width)),
        **more,
        position_embeddings=Tensor((1, patches + (1 + len(more)), width)),
        patch_embeddings=module(None, "patch embedding", projection=projection),
    )
    layers = module(layer=repeat(config.num_hidden_layers, layer))
    return module(embeddings=embeddings, encoder=layers, layernorm=layer_norm(width)).marked(section="vision")

"""SigLIP 2's vision tower: SigLIP's, on flattened patches of an image of any shape."""

from __future__ import annotations

from ...blocks import linear, position_embedding
from ...config import Size
from ...registry import architecture
from ...tree import Module, Role, module
from .siglip import SiglipKeys, pooling_head, siglip_tower


class Siglip2VisionConfig(SiglipKeys):
    model_type: str = "siglip2_vision_model"
    num_patches: Size = 256
    vision_use_head: bool = True


@architecture("siglip2_vision_model", config=Siglip2VisionConfig)
def siglip2_vision(config: Siglip2VisionConfig) -> Module:
    """The table of positions is stretched to the image's shape."""
    width, patch = config.hidden_size, config.patch_size
    embeddings = module(
        Role.EMBEDDING,
        patch_embedding=linear(config.num_channels * (patch * patch), width, bias=True).marked(kind="patch embedding"),
        position_embedding=position_embedding(config.num_patches, width),
    )
    head = pooling_head(config) if config.vision_use_head else None
    return siglip_tower(config, None).replacing(embeddings=embeddings).extend(head=head)

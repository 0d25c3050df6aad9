"""DeepSeek-VL: SigLIP's tower before a Llama; in the hybrid, Segment Anything's beside it for the fine print."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import convolution, linear
from ..config import ModelConfig, Size
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..multimodal import is_tied, tower, with_language_beside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Tensor, module
from .towers.sam import SamVisionConfig, sam_neck, sam_vision


class DeepseekVLConfig(CompositeConfig):
    text_config: ModelConfig = nested("llama")
    vision_config: ModelConfig = nested("siglip_vision_model")
    tie_word_embeddings: bool = True


class HighResolutionConfig(SamVisionConfig):
    model_type: str = "sam_vision_model"
    mlp_dim: Size | None = None
    ignored: ClassVar[frozenset[str]] = frozenset({"num_pos_feats"})


class DeepseekVLHybridConfig(DeepseekVLConfig):
    high_res_vision_config: HighResolutionConfig = HighResolutionConfig()


def _images(config: DeepseekVLConfig, _: Picture) -> Seen:
    side, patch = (size_of(config.vision_config, key) for key in ("image_size", "patch_size"))
    return one_square(side, patch, projector="aligner")


@architecture("deepseek_vl", config=DeepseekVLConfig, images=ImageRule(_images))
def deepseek_vl(config: DeepseekVLConfig) -> Module:
    hidden = size_of(config.text_config, "hidden_size")
    first = linear(size_of(config.vision_config, "hidden_size"), hidden, bias=True)
    aligner = module(linear1=first, linear2=linear(hidden, hidden, bias=True)).marked(section="projector")
    parts = {"vision_model": tower(built(config.vision_config), config), "aligner": aligner}
    return with_language_beside(config, config.text_config, parts, tie=is_tied(config, config.text_config))


def _images_twice(config: DeepseekVLHybridConfig, picture: Picture) -> Seen:
    """As many tokens; what the large tower's windows and necks cost is not marked."""
    return Seen(_images(config, picture).tokens, views=None)


@architecture("deepseek_vl_hybrid", config=DeepseekVLHybridConfig, images=ImageRule(_images_twice))
def deepseek_vl_hybrid(config: DeepseekVLHybridConfig) -> Module:
    """The large tower's last layer and one before it, each through a neck, are added by a learned weight."""
    large, text, hidden = config.high_res_vision_config, config.text_config, size_of(config.text_config, "hidden_size")
    width, out = large.hidden_size, large.output_channels
    aligner = module(
        vision_proj=linear(size_of(config.vision_config, "hidden_size"), hidden // 2, bias=True),
        high_res_vision_proj=linear(4 * out, hidden // 2, bias=True),
        proj=linear(hidden, hidden, bias=True),
    )
    halving = module(
        conv1=convolution(out, 2 * out, 3, 3, bias=False),
        conv2=convolution(2 * out, 4 * out, 3, 3, bias=False),
    )
    parts: dict[str, Node] = {
        "high_res_vision_model": module(vision_encoder=sam_vision(large)),
        "high_res_vision_neck": sam_neck(width, out).marked(section="vision"),
        "high_res_vision_proj": halving.marked(section="vision"),
        "high_res_vision_alpha": Tensor((1,)),
        "vision_model": tower(built(config.vision_config), config),
        "aligner": aligner.marked(section="projector"),
    }
    return with_language_beside(config, text, parts, tie=is_tied(config, text))

"""PaddleOCR-VL: ERNIE 4.5's smallest decoder, SigLIP's tower beside it, a projector that merges squares of patches."""

from __future__ import annotations

from ..blocks import layer_norm, linear, position_embedding, unused
from ..config import Count, ModelConfig, Size
from ..errors import UnknownCostError
from ..flat import FlatTextConfig
from ..images.grids import PIXELS, smart_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import with_language_on_top
from ..nested import nested, size_of, ties
from ..registry import architecture
from ..tree import Module, module
from .llama_kin import Ernie45Config, ernie4_5
from .towers.siglip import SiglipKeys, pooling_head, siglip_tower


class PaddleOcrTextConfig(Ernie45Config):
    pass


class PaddleOcrVisionConfig(SiglipKeys):
    model_type: str = "paddleocr_vl_vision"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    image_size: Size = 384
    patch_size: Size = 14
    spatial_merge_size: Size = 2


class PaddleOcrConfig(FlatTextConfig):
    text_config: ModelConfig = nested("paddleocr_vl_text")
    vision_config: PaddleOcrVisionConfig = PaddleOcrVisionConfig()
    tie_word_embeddings: bool = True

    @property
    def is_tied(self) -> bool:
        """Is the head the embedding table? Either level may say so."""
        return self.tie_word_embeddings or ties(self.text_config)


@architecture("paddleocr_vl_text", config=PaddleOcrTextConfig)
def paddleocr_vl_text(config: PaddleOcrTextConfig) -> Module:
    return ernie4_5(config)


def _images(config: PaddleOcrConfig, picture: Picture) -> Seen:
    vision = config.vision_config
    square = vision.patch_size * vision.spatial_merge_size
    if min(picture.height, picture.width) < square:
        raise UnknownCostError(f"an image with a side below {square} pixels: how it is widened is not counted")
    return smart_grid(picture, vision.patch_size, vision.spatial_merge_size, ("mlp_AR", "projector"))


BOUNDS = {"min_pixels": 384 * 384, "max_pixels": 1536 * 1536}


@architecture(
    "paddleocr_vl",
    config=PaddleOcrConfig,
    images=ImageRule(_images, "PaddleOCRVLImageProcessor", BOUNDS, PIXELS),
    spellings={"model.language_model.": "model.", "model.visual.": "visual.", "model.projector.": "mlp_AR."},
)
def paddleocr_vl(config: PaddleOcrConfig) -> Module:
    vision = config.vision_config
    merged = vision.hidden_size * (vision.spatial_merge_size * vision.spatial_merge_size)
    projector = module(
        pre_norm=layer_norm(vision.hidden_size),
        linear_1=linear(merged, merged, bias=True),
        linear_2=linear(merged, size_of(config.text_config, "hidden_size"), bias=True),
    ).marked(section="projector")
    parts = {"visual": module(vision_model=_eyes(config)), "mlp_AR": projector}
    return with_language_on_top(config, config.text_config, parts, tie=config.is_tied)


def _eyes(config: PaddleOcrConfig) -> Module:
    """The published files hold SigLIP's pooling head and a second table of positions, which nothing reads."""
    vision, side = config.vision_config, config.vision_config.image_size // config.vision_config.patch_size
    tower = siglip_tower(vision, side * side, positions="learned and RoPE 2D")
    if not config.is_written_by_transformers_4:
        return tower
    embeddings = dict(tower.children)["embeddings"]
    second = unused(position_embedding(32768, vision.hidden_size))
    if isinstance(embeddings, Module):
        embeddings = embeddings.extend(packing_position_embedding=second)
    return tower.replacing(embeddings=embeddings).extend(head=unused(pooling_head(vision)))

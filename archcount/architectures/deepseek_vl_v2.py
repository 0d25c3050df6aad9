"""DeepSeek-VL2, DeepSeek-OCR and DeepSeek-OCR 2: one model_type, told apart by their class alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from pydantic import model_validator

from ..blocks import convolution, linear
from ..config import ModelConfig
from ..encoder_heads import unknown_class
from ..errors import ConfigValueError
from ..multimodal import with_parts_within
from ..nested import CompositeConfig, built, nested
from ..registry import architecture
from ..tree import Module, Node, Tensor, module, relocated
from .deepseek_ocr2 import ocr2_reader
from .qwen2 import Qwen2Config
from .towers.deepseek_ocr import OcrClipConfig, OcrSamConfig, ocr_clip, ocr_sam
from .towers.deepseek_vl2 import VL2ProjectorConfig, VL2VisionConfig, vl2_projector, vl2_siglip
from .unlimited_ocr import UnlimitedOcrTextConfig

READER = Qwen2Config(
    model_type="qwen2",
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
)  # of DeepSeek-OCR 2: its sizes stand in the class alone


class DeepseekVLV2Config(CompositeConfig):
    language_config: ModelConfig = nested("unlimited_ocr_text")
    vision_config: VL2VisionConfig = VL2VisionConfig()
    projector_config: VL2ProjectorConfig
    tile_tag: str = "2D"
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset(UnlimitedOcrTextConfig.model_fields)  # said again at the top

    @model_validator(mode="before")
    @classmethod
    def _name_language(cls, raw: object) -> object:
        """The files call it deepseek_v2, or nothing; its keys tell which of DeepSeek's three layouts it has."""
        language = raw.get("language_config") if isinstance(raw, Mapping) else None
        if not isinstance(raw, Mapping) or not isinstance(language, Mapping):
            return raw
        if not language.get("use_mla", True):
            return {**raw, "language_config": {**language, "model_type": "unlimited_ocr_text"}}
        if language.get("topk_method") != "noaux_tc":
            return {**raw, "language_config": {**language, "model_type": "deepseek_v2"}}
        unlike_v3 = {"num_nextn_predict_layers": 0}  # its code predicts nothing ahead
        return {**raw, "language_config": {**unlike_v3, **language, "model_type": "deepseek_v3"}}


@architecture("deepseek_vl_v2", config=DeepseekVLV2Config)
def deepseek_vl_v2(config: DeepseekVLV2Config) -> Module:
    """DeepSeek-VL2's configs name no class; its code calls it DeepseekVLV2ForCausalLM."""
    rule = RULES.get(config.class_name)
    if rule is None:
        raise unknown_class(config)
    return rule(config)


def _vl2(config: DeepseekVLV2Config) -> Module:
    hidden = config.projector_config.n_embed
    if config.tile_tag != "2D":
        raise ConfigValueError(f"tile_tag is {config.tile_tag!r}: should be 2D")
    return module(
        image_newline=Tensor((hidden,)),
        view_seperator=Tensor((hidden,)),
        vision=vl2_siglip(config.vision_config),
        projector=vl2_projector(config.projector_config),
        language=relocated(built(config.language_config), "", "language."),
    )


def _ocr(config: DeepseekVLV2Config) -> Module:
    """Segment Anything, and CLIP's layers on what it saw; the file holds CLIP's own patch embedding, never read."""
    return _reading(
        config,
        {
            "sam_model": ocr_sam(OcrSamConfig()),
            "vision_model": ocr_clip(OcrClipConfig(), has_patches=True),
            "image_newline": Tensor((config.projector_config.n_embed,)),
        },
    )


def _ocr2(config: DeepseekVLV2Config) -> Module:
    """Segment Anything, and a Qwen2 whose learned queries, for either size of image, read what it saw."""
    width, sam = config.projector_config.input_dim, ocr_sam(OcrSamConfig())
    last = convolution(512, width, 3, 3, bias=False)
    return _reading(config, {"sam_model": sam.replacing(net_3=last), "qwen2_model": ocr2_reader(READER)})


def _reading(config: DeepseekVLV2Config, towers: Mapping[str, Node]) -> Module:
    projector = config.projector_config
    if projector.projector_type != "linear":
        raise ConfigValueError(f"projector_config.projector_type is {projector.projector_type!r}: should be linear")
    layers = linear(projector.input_dim, projector.n_embed, bias=True)
    parts: dict[str, Node] = {
        **towers,
        "projector": module(layers=layers).marked(section="projector"),
        "view_seperator": Tensor((projector.n_embed,)),
    }
    return with_parts_within(config, config.language_config, parts, tie=config.tie_word_embeddings)


RULES: dict[str, Callable[[DeepseekVLV2Config], Module]] = {
    "": _vl2,
    "DeepseekVLV2ForCausalLM": _vl2,
    "DeepseekOCRForCausalLM": _ocr,
    "DeepseekOCR2ForCausalLM": _ocr2,
}

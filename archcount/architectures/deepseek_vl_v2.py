"""DeepSeek-OCR and DeepSeek-OCR 2: Segment Anything's tower, CLIP's or a small Qwen2 after it, and DeepSeek-MoE."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import convolution, embedding, linear
from ..config import ModelConfig, Schema, Size
from ..encoder_heads import unknown_class
from ..errors import ConfigValueError
from ..multimodal import with_parts_within
from ..registry import architecture
from ..tree import Module, Node, Tensor, module
from .qwen2 import Qwen2Config, qwen2
from .towers.deepseek_ocr import OcrClipConfig, OcrSamConfig, ocr_clip, ocr_sam
from .unlimited_ocr import UnlimitedOcrTextConfig

READER = Qwen2Config(
    model_type="qwen2",
    hidden_size=896,
    intermediate_size=4864,
    num_hidden_layers=24,
    num_attention_heads=14,
    num_key_value_heads=2,
)  # of DeepSeek-OCR 2: its sizes stand in the class alone


class OcrProjectorConfig(Schema):
    """`input_dim` is what both towers give side by side, or in DeepSeek-OCR 2 the reader's width."""

    model_type: str = "mlp_projector"
    projector_type: str = "linear"
    input_dim: Size = 2048
    n_embed: Size = 1280


class DeepseekVLV2Config(ModelConfig):
    language_config: UnlimitedOcrTextConfig
    projector_config: OcrProjectorConfig
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset(UnlimitedOcrTextConfig.model_fields)  # said again at the top


@architecture("deepseek_vl_v2", config=DeepseekVLV2Config)
def deepseek_vl_v2(config: DeepseekVLV2Config) -> Module:
    """The towers' sizes stand in the classes; the config only names them."""
    projector = config.projector_config
    if projector.projector_type != "linear":
        raise ConfigValueError(f"projector_config.projector_type is {projector.projector_type!r}: should be linear")
    if config.class_name == "DeepseekOCR2ForCausalLM":
        parts = _second(projector.input_dim)
    elif config.class_name == "DeepseekOCRForCausalLM":
        parts = _first(projector.n_embed)
    else:
        raise unknown_class(config)
    layers = linear(projector.input_dim, projector.n_embed, bias=True)
    parts["projector"] = module(layers=layers).marked(section="projector")
    parts["view_seperator"] = Tensor((projector.n_embed,))
    text = config.language_config.model_copy(update={"model_type": "unlimited_ocr_text"})
    return with_parts_within(config, text, parts, tie=config.tie_word_embeddings)


def _first(hidden: int) -> dict[str, Node]:
    """Segment Anything, and CLIP's layers on what it saw; the file holds CLIP's own patch embedding, never read."""
    return {
        "sam_model": ocr_sam(OcrSamConfig()),
        "vision_model": ocr_clip(OcrClipConfig(), has_patches=True),
        "image_newline": Tensor((hidden,)),
    }


def _second(width: int) -> dict[str, Node]:
    """Segment Anything, and a Qwen2 whose learned queries, for either size of image, read what it saw."""
    sam = ocr_sam(OcrSamConfig())
    reader = dict(qwen2(READER).children)["model"]
    layers = reader.replacing(embed_tokens=None) if isinstance(reader, Module) else reader
    return {
        "sam_model": sam.replacing(net_3=convolution(512, width, 3, 3, bias=False)),
        "qwen2_model": module(
            model=module(model=layers), query_768=embedding(144, width), query_1024=embedding(256, width)
        ).marked(section="vision"),
    }

"""DeepSeek-OCR 2 by its own model_type: Segment Anything, a Qwen2 that reads what it saw, and a DeepSeek-MoE."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, linear, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..multimodal import with_parts_within
from ..registry import architecture
from ..schedules import SPARSE, mlp_layer_kinds
from ..tree import Module, Node, Tensor, module
from .deepseek import DeepseekConfig, decoder
from .qwen2 import Qwen2Config, qwen2_layers
from .towers.deepseek_ocr import OcrSamConfig, ocr_sam
from .unlimited_ocr import UnlimitedOcrTextConfig


class DeepseekOcr2TextConfig(DeepseekConfig):
    model_type: str = "deepseek_ocr2_text"
    num_hidden_layers: Count = 32
    n_shared_experts: CountOrZero | None = 2
    n_routed_experts: Count | None = 64
    num_experts_per_tok: Count
    mlp_bias: bool = False
    mlp_layer_types: list[str]
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "n_routed_experts"}
    ignored: ClassVar[frozenset[str]] = UnlimitedOcrTextConfig.ignored

    def is_sparse(self, layer: int) -> bool:
        """As `mlp_layer_types` lists: its class derives no other."""
        kinds = mlp_layer_kinds(self.num_hidden_layers, self.mlp_layer_types, lambda _: SPARSE)
        return kinds[layer] == SPARSE


class Ocr2SamConfig(OcrSamConfig):
    model_type: str = "deepseek_ocr2_sam_vision_model"
    downsample_channels: tuple[Size, Size] = (512, 896)


class Ocr2ReaderConfig(Qwen2Config):
    model_type: str = "deepseek_ocr2_encoder"


class Ocr2VisionConfig(Schema):
    model_type: str = "deepseek_ocr2_vision"
    sam_config: Ocr2SamConfig = Ocr2SamConfig()
    encoder_config: Ocr2ReaderConfig = Ocr2ReaderConfig()


class DeepseekOcr2Config(ModelConfig):
    text_config: DeepseekOcr2TextConfig
    vision_config: Ocr2VisionConfig = Ocr2VisionConfig()
    tie_word_embeddings: bool = False


@architecture("deepseek_ocr2_text", config=DeepseekOcr2TextConfig)
def deepseek_ocr2_text(config: DeepseekOcr2TextConfig) -> Module:
    return decoder(config, mlp_bias=config.mlp_bias)


@architecture("deepseek_ocr2", config=DeepseekOcr2Config)
def deepseek_ocr2(config: DeepseekOcr2Config) -> Module:
    text, vision = config.text_config, config.vision_config
    reader, hidden = vision.encoder_config, text.hidden_size
    parts: dict[str, Node] = {
        "sam_model": ocr_sam(vision.sam_config),
        "qwen2_model": ocr2_reader(reader),
        "projector": module(layers=linear(reader.hidden_size, hidden, bias=True)).marked(section="projector"),
        "view_seperator": Tensor((hidden,)),
    }
    return with_parts_within(config, text, parts, tie=config.tie_word_embeddings)


def ocr2_reader(config: Qwen2Config) -> Module:
    """Qwen2's layers and the queries, a set for tiles of 768 pixels and one for 1024, that they read a picture with."""
    width = config.hidden_size
    layers = module(layers=qwen2_layers(config, causal=False), norm=rms_norm(width))
    return module(model=module(model=layers), query_768=embedding(144, width), query_1024=embedding(256, width)).marked(
        section="vision"
    )

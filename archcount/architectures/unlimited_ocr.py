"""Unlimited-OCR: DeepSeek-MoE with plain attention, behind DeepSeek-OCR's two towers in a row."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import Count, CountOrZero, ModelConfig, Size
from ..multimodal import with_parts_within
from ..registry import architecture
from ..schedules import SPARSE, dense_first, mlp_layer_kinds
from ..tree import Module, Node, Tensor, module
from .deepseek import DeepseekConfig, decoder
from .towers.deepseek_ocr import OcrVisionConfig, ocr_clip, ocr_sam


class UnlimitedOcrTextConfig(DeepseekConfig):
    """A window of the last tokens stands beside all of the picture and the prompt, so every layer's cache may grow."""

    model_type: str = "unlimited_ocr_text"
    vocab_size: Size = 129280
    hidden_size: Size = 1280
    intermediate_size: Size = 6848
    moe_intermediate_size: Size = 896
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 10
    num_key_value_heads: Count | None = 10
    n_shared_experts: CountOrZero | None = 2
    n_routed_experts: Count | None = 64
    num_experts_per_tok: Count | None = 6
    first_k_dense_replace: CountOrZero = 1
    mlp_bias: bool = False
    mlp_layer_types: list[str] | None = None
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "n_routed_experts"}
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim", "v_head_dim", "qk_nope_head_dim", "qk_rope_head_dim"})

    def is_sparse(self, layer: int) -> bool:
        """As `mlp_layer_types` lists, or from layer `first_k_dense_replace` on."""
        first = self.first_k_dense_replace
        kinds = mlp_layer_kinds(self.num_hidden_layers, self.mlp_layer_types, dense_first(first))
        return kinds[layer] == SPARSE


class UnlimitedOcrConfig(ModelConfig):
    text_config: UnlimitedOcrTextConfig = UnlimitedOcrTextConfig()
    vision_config: OcrVisionConfig = OcrVisionConfig()
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {"language_config": "text_config"}


@architecture("unlimited_ocr_text", config=UnlimitedOcrTextConfig)
def unlimited_ocr_text(config: UnlimitedOcrTextConfig) -> Module:
    return decoder(config, mlp_bias=config.mlp_bias)


@architecture("unlimited_ocr", config=UnlimitedOcrConfig)
def unlimited_ocr(config: UnlimitedOcrConfig) -> Module:
    text, vision = config.text_config, config.vision_config
    hidden, clip = text.hidden_size, vision.encoder_config
    seen = vision.sam_config.downsample_channels[1] + clip.hidden_size
    parts: dict[str, Node] = {
        "sam_model": ocr_sam(vision.sam_config),
        "vision_model": ocr_clip(clip, has_patches=config.is_written_by_transformers_4),
        "projector": module(layers=linear(seen, hidden, bias=True)).marked(section="projector"),
        "image_newline": Tensor((hidden,)),
        "view_seperator": Tensor((hidden,)),
    }
    decoder = text.model_copy(update={"model_type": "unlimited_ocr_text"})  # the files call it deepseek_v2
    return with_parts_within(config, decoder, parts, tie=config.tie_word_embeddings)

"""FastVLM (Vasu et al. 2024): a FastViT, two matrices, and a Qwen2."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of, ties
from ..registry import architecture
from ..tree import Module, module
from .towers.fastvit import FastVitArguments, FastVitConfig, fastvit

QWEN2_7B = {
    "hidden_size": 3584,
    "vocab_size": 152_128,
    "intermediate_size": 18_944,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "num_hidden_layers": 28,
}
MCI3 = FastVitConfig(
    architecture="fastvit_mci3", hidden_size=3072, model_args=FastVitArguments(inference_mode=True)
)  # fmt: skip


class FastVlmConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen2", **QWEN2_7B)
    vision_config: FastVitConfig = MCI3
    multimodal_projector_bias: bool = True
    tie_word_embeddings: bool = False


@architecture("fast_vlm", config=FastVlmConfig)
def fast_vlm(config: FastVlmConfig) -> Module:
    """The head is the table if either config says so."""
    text, bias = config.text_config, config.multimodal_projector_bias
    width, hidden = config.vision_config.hidden_size, size_of(text, "hidden_size")
    projector = module(linear_1=linear(width, hidden, bias=bias), linear_2=linear(hidden, hidden, bias=bias))
    parts = {
        "vision_tower": module(timm_model=fastvit(config.vision_config)),
        "multi_modal_projector": projector.marked(section="projector"),
    }
    return with_language_beside(config, text, parts, tie=config.tie_word_embeddings or ties(text))

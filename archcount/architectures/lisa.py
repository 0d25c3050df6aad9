"""LISA: LLaVA's language model and projector, and Segment Anything, which cuts out what the words say."""

from __future__ import annotations

from ..blocks import linear
from ..config import ModelConfig, Size
from ..flat import FlatTextConfig
from ..multimodal import with_parts_within
from ..nested import nested, size_of
from ..precision import kept_in
from ..registry import architecture
from ..renaming import renamed
from ..tree import Module, Node, module, repeat
from .towers.deepseek_ocr import ORIGINAL_NAMES, ORIGINAL_NECK
from .towers.mask_decoder import mask_decoder, prompt_encoder
from .towers.mm_projector import mm_projector
from .towers.sam import SamVisionConfig, sam_neck, sam_vision

SEGMENTATION = "segmentation"
SAM_HUGE = SamVisionConfig(
    hidden_size=1280,
    num_hidden_layers=32,
    num_attention_heads=16,
    mlp_dim=5120,
    global_attn_indexes=(7, 15, 23, 31),
)  # the code builds no other


class LisaConfig(FlatTextConfig):
    """CLIP's tower, through which LLaVA sees, is another repository's and not in the files."""

    text_config: ModelConfig = nested("llama")
    mm_hidden_size: Size
    mm_projector_type: str = "linear"
    out_dim: Size = 256
    tie_word_embeddings: bool = False


@architecture("lisa", config=LisaConfig)
def lisa(config: LisaConfig) -> Module:
    """What cuts out, and the way to it from the language model, is kept in full precision whatever the rest is in."""
    hidden = size_of(config.text_config, "hidden_size")
    to_prompt = ("0", linear(hidden, hidden, bias=True)), ("2", linear(hidden, config.out_dim, bias=True))
    parts: dict[str, Node | None] = {
        "mm_projector": mm_projector(config.mm_projector_type, config.mm_hidden_size, hidden),
        "visual_model": kept_in("float32", _segment_anything()),
        "text_hidden_fcs": repeat(1, kept_in("float32", Module(to_prompt).marked(section=SEGMENTATION))),
    }
    return with_parts_within(config, config.text_config, parts, tie=config.tie_word_embeddings)


def _segment_anything() -> Module:
    neck = renamed(sam_neck(SAM_HUGE.hidden_size, SAM_HUGE.output_channels), ORIGINAL_NECK)
    return module(
        image_encoder=renamed(sam_vision(SAM_HUGE), ORIGINAL_NAMES).replacing(neck=neck),
        prompt_encoder=prompt_encoder().marked(section=SEGMENTATION),
        mask_decoder=mask_decoder().marked(section=SEGMENTATION),
    )

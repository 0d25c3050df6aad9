"""GOT-OCR2 as its authors' own code writes it: the tower inside the decoder, its two last convolutions in the tower."""

from __future__ import annotations

from ..blocks import linear, lm_head
from ..config import ModelConfig
from ..flat import FlatTextConfig
from ..multimodal import with_parts_within
from ..nested import nested, size_of
from ..registry import architecture
from ..tree import Module, Node, copied
from .towers.deepseek_ocr import OcrSamConfig, ocr_sam


class GotConfig(FlatTextConfig):
    text_config: ModelConfig = nested("qwen2")
    tie_word_embeddings: bool = True


@architecture("GOT", config=GotConfig)
def got(config: GotConfig) -> Module:
    """The config says nothing of the tower: it is always the one. The file stores the tied head all the same."""
    vision, hidden = OcrSamConfig(), size_of(config.text_config, "hidden_size")
    parts: dict[str, Node] = {
        "vision_tower_high": ocr_sam(vision),
        "mm_projector_vary": linear(vision.downsample_channels[1], hidden, bias=True).marked(section="projector"),
    }
    whole = with_parts_within(config, config.text_config, parts, tie=config.tie_word_embeddings)
    if not config.tie_word_embeddings:
        return whole
    head = lm_head(hidden, size_of(config.text_config, "vocab_size"))
    return whole.replacing(lm_head=copied(head, "model.embed_tokens"))

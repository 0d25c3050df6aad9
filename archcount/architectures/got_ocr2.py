"""GOT-OCR2: Segment Anything's vision tower, two convolutions, and a Qwen2 of half a billion parameters."""

from __future__ import annotations

from ..blocks import convolution, embedding, linear, lm_head, rms_norm
from ..config import ModelConfig
from ..registry import architecture
from ..tree import Module, module
from .qwen2 import Qwen2Config, qwen2_layers
from .towers.sam import SamVisionConfig, sam_vision


class GotOcr2TextConfig(Qwen2Config):
    model_type: str = "qwen2"


OWN_TEXT = GotOcr2TextConfig(
    vocab_size=151860,
    hidden_size=1024,
    intermediate_size=2816,
    num_hidden_layers=24,
    num_attention_heads=16,
    num_key_value_heads=16,
    tie_word_embeddings=True,
)  # where the config gives no text_config at all; in one that it gives, missing keys are Qwen2's own


class GotOcr2Config(ModelConfig):
    text_config: GotOcr2TextConfig = OWN_TEXT
    vision_config: SamVisionConfig = SamVisionConfig()
    tie_word_embeddings: bool = True


@architecture("got_ocr2", "pp_chart2table", config=GotOcr2Config)
def got_ocr2(config: GotOcr2Config) -> Module:
    text = config.text_config
    tied_to = "language_model.model.embed_tokens.weight" if config.tie_word_embeddings else None
    hidden, vocab = text.hidden_size, text.vocab_size
    model = module(embed_tokens=embedding(vocab, hidden), layers=qwen2_layers(text), norm=rms_norm(hidden))
    return module(
        language_model=module(model=model, lm_head=lm_head(hidden, vocab, tied_to=tied_to)),
        vision_tower=sam_vision(config.vision_config),
        multi_modal_projector=projector(config.vision_config.output_channels, text.hidden_size),
    )


def projector(channels: int, width: int) -> Module:
    """Two strided convolutions, each twice as wide or as wide as the text, and a matrix."""
    return module(
        conv_upsampler1=convolution(channels, 2 * channels, 3, 3, bias=False),
        conv_upsampler2=convolution(2 * channels, width, 3, 3, bias=False),
        multimodal_projector=linear(width, width, bias=True),
    ).marked(section="projector")

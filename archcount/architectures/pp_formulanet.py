"""PP-FormulaNet: Segment Anything's tower, a projector inside it, and mBART's decoder, which writes the formula."""

from __future__ import annotations

from ..blocks import convolution, embedding, linear, lm_head
from ..config import Count, ModelConfig, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, module
from .bart import MBART, SequenceConfig, decoder_part
from .towers.sam import SamVisionConfig, sam_vision


class FormulaTextConfig(SequenceConfig):
    model_type: str = "pp_formulanet_text"
    vocab_size: Size = 50000
    d_model: Size = 512
    decoder_layers: Count = 8
    decoder_ffn_dim: Size = 2048
    max_position_embeddings: Size = 2560
    tie_word_embeddings: bool = False


class FormulaVisionConfig(SamVisionConfig):
    model_type: str = "pp_formulanet_vision"
    image_size: Size = 512
    post_conv_in_channels: Size = 256
    post_conv_mid_channels: Size = 512
    post_conv_out_channels: Size = 1024
    decoder_hidden_size: Size = 512


class FormulaNetConfig(ModelConfig):
    text_config: FormulaTextConfig = FormulaTextConfig()
    vision_config: FormulaVisionConfig = FormulaVisionConfig()


@architecture("pp_formulanet", config=FormulaNetConfig)
def pp_formulanet(config: FormulaNetConfig) -> Module:
    """The head is a matrix of its own, whatever `tie_word_embeddings` says."""
    name, text, vision = config.class_name, config.text_config, config.vision_config
    width, vocab = text.d_model, text.vocab_size
    model = module(
        encoder=sam_vision(vision).extend(multi_modal_projector=_projector(vision)),
        decoder=decoder_part(text, MBART).prepend(embed_tokens=embedding(vocab, width)).marked(section="decoder"),
    )
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    return module(model=model, lm_head=lm_head(width, vocab))


def _projector(config: FormulaVisionConfig) -> Module:
    """Two strided convolutions, then two matrices."""
    inputs, middle, out = config.post_conv_in_channels, config.post_conv_mid_channels, config.post_conv_out_channels
    return module(
        conv1=convolution(inputs, middle, 3, 3, bias=False),
        conv2=convolution(middle, out, 3, 3, bias=False),
        linear_1=linear(out, out, bias=True),
        linear_2=linear(out, config.decoder_hidden_size, bias=True),
    ).marked(section="projector")

"""ModernVBERT: SigLIP's tower, squares of its patches through one matrix, and a ModernBERT that reads both ways."""

from __future__ import annotations

from ..blocks import linear
from ..config import Count, ModelConfig
from ..encoder_heads import score, unknown_class
from ..errors import ConfigValueError
from ..faults import shown
from ..multimodal import is_tied
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module, relocated


class ModernVBertConfig(CompositeConfig):
    text_config: ModelConfig = nested("modernbert")
    vision_config: ModelConfig = nested("siglip_vision_model")
    pixel_shuffle_factor: Count = 4
    tie_word_embeddings: bool = False


@architecture("modernvbert", config=ModernVBertConfig)
def modernvbert(config: ModernVBertConfig) -> Module:
    """Raises ConfigValueError: a language model that is no ModernBERT, whose head stands elsewhere."""
    text, vision, side, name = config.text_config, config.vision_config, config.pixel_shuffle_factor, config.class_name
    if text.model_type != "modernbert":
        raise ConfigValueError(f"text_config.model_type is {shown(text.model_type)}: should be modernbert")
    alone = built(text, tie_word_embeddings=is_tied(config, text))
    parts = dict(relocated(alone, "model.", "model.text_model.").children)
    hidden = size_of(text, "hidden_size")
    projection = linear(size_of(vision, "hidden_size") * (side * side), hidden)
    model = module(
        vision_model=built(vision),
        connector=module(modality_projection=projection).marked(section="projector"),
        text_model=parts["model"],
    )
    if not name or name.endswith("ForMaskedLM"):
        return module(model=model, projection_head=parts["head"], lm_head=parts["decoder"])
    if name.endswith(("ForSequenceClassification", "ForTokenClassification")):
        return module(model=model, head=parts["head"], classifier=score(hidden, config.labels))
    if name.endswith("Model"):
        return model
    raise unknown_class(config)

"""Florence-2: a DaViT, a projection that knows where each patch stood, and BART, which writes what is asked."""

from __future__ import annotations

from ..blocks import layer_norm, linear, lm_head, position_embedding
from ..config import ModelConfig
from ..encoder_heads import unknown_class
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Storage, Tensor, Use, module, relocated
from .towers.davit import FlorenceVisionConfig, davit


class Florence2Config(CompositeConfig):
    text_config: ModelConfig = nested("bart")
    vision_config: FlorenceVisionConfig = FlorenceVisionConfig()
    tie_word_embeddings: bool = True


@architecture("florence2", config=Florence2Config)
def florence2(config: Florence2Config) -> Module:
    """Whether the encoder and the decoder share a table, `text_config` says; whether the head does, the top level."""
    name, text = config.class_name, config.text_config
    writer = built(text, architectures=["Model"])
    parts = {"vision_tower": davit(config.vision_config), "multi_modal_projector": _projector(config.vision_config)}
    if name.endswith("Model"):
        return module(**parts, language_model=relocated(writer, "", "language_model."))
    if name and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    tied_to = "model.language_model.shared.weight" if config.tie_word_embeddings else None
    return module(
        model=module(**parts, language_model=relocated(writer, "", "model.language_model.")),
        lm_head=lm_head(size_of(text, "hidden_size"), size_of(text, "vocab_size"), tied_to=tied_to),
    )


def _projector(config: FlorenceVisionConfig) -> Module:
    """A matrix and a norm; learned rows and columns, each half of the width; computed positions of the frames."""
    width, out, places = config.embed_dim[-1], config.projection_dim, config.max_position_embeddings
    frames = Tensor((config.max_temporal_embeddings, width), Use.OTHER, Storage.BUFFER)
    return module(
        image_projection=linear(width, out),
        image_proj_norm=layer_norm(out),
        image_position_embed=module(
            row_embeddings=position_embedding(places, width // 2),
            column_embeddings=position_embedding(places, width - width // 2),
        ),
        visual_temporal_embed=module(pos_idx_to_embed=frames),
    ).marked(section="projector")

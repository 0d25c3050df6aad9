"""Florence-2: a DaViT, a projection that knows where each patch stood, and BART, which writes what is asked."""

from __future__ import annotations

from ..blocks import layer_norm, linear, lm_head, position_embedding
from ..config import ModelConfig, Size
from ..encoder_heads import unknown_class
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Storage, Tensor, Use, module, relocated
from .bart import BartConfig, bart
from .towers.davit import FlorenceVisionConfig, davit


class Florence2Config(CompositeConfig):
    text_config: ModelConfig = nested("bart")
    vision_config: FlorenceVisionConfig = FlorenceVisionConfig()
    tie_word_embeddings: bool = True


class FlorenceLanguageConfig(BartConfig):
    """As Microsoft's own configs call it: BART, with a word for each place in an image."""

    model_type: str = "florence2_language"
    vocab_size: Size = 51289


@architecture("florence2_language", config=FlorenceLanguageConfig)
def florence2_language(config: FlorenceLanguageConfig) -> Module:
    return bart(config)


@architecture("florence2", config=Florence2Config)
def florence2(config: Florence2Config) -> Module:
    """Whether the encoder and the decoder share a table, `text_config` says; whether the head does, the top level."""
    name, text = config.class_name, config.text_config
    if config.vision_config.is_original:
        return _original(config.vision_config, text)
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


def _original(vision: FlorenceVisionConfig, text: ModelConfig) -> Module:
    """Microsoft's own files: the projection is a bare matrix the other way round, the language model is BART whole."""
    turned = Tensor((vision.embed_dim[-1], vision.projection_dim), Use.MATMUL)
    _, *rest = _projector(vision, "image_pos_embed").children
    parts = {name: part.marked(section="projector") for name, part in rest if isinstance(part, Module)}
    return module(
        vision_tower=davit(vision),
        image_projection=turned,
        **parts,
        language_model=relocated(built(text), "", "language_model."),
    )


def _projector(config: FlorenceVisionConfig, positions: str = "image_position_embed") -> Module:
    """A matrix and a norm; learned rows and columns, each half of the width; computed positions of the frames."""
    width, out, places = config.embed_dim[-1], config.projection_dim, config.places
    frames = Tensor((config.frames, width), Use.OTHER, Storage.BUFFER)
    tables = module(
        row_embeddings=position_embedding(places, width // 2),
        column_embeddings=position_embedding(places, width - width // 2),
    )
    children = {
        "image_projection": linear(width, out),
        "image_proj_norm": layer_norm(out),
        positions: tables,
        "visual_temporal_embed": module(pos_idx_to_embed=frames),
    }
    return module(**children).marked(section="projector")

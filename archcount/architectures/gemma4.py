"""Gemma 4 with eyes and ears: towers before the language model, or (unified) pixels and samples straight into it."""

from __future__ import annotations

from ..blocks import layer_norm, linear, lm_head
from ..config import ModelConfig, Schema, Size
from ..errors import UnknownCostError
from ..heads import with_head
from ..images.grids import budgeted
from ..images.seen import ImageRule, Picture, Seen, View
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module
from .gemma4_text import Gemma4TextConfig, Gemma4UnifiedTextConfig, gemma4_text, language_model
from .towers.gemma4 import Gemma4AudioConfig, Gemma4VisionConfig, gemma4_audio, gemma4_vision

MLX = {
    "language_model.model.": "model.language_model.",
    **{f"{part}.": f"model.{part}." for part in ("vision_tower", "audio_tower", "embed_vision", "embed_audio")},
}
"""How files converted for MLX spell the prefixes."""


class Gemma4Config(ModelConfig):
    text_config: Gemma4TextConfig = Gemma4TextConfig()
    vision_config: Gemma4VisionConfig | None = None
    audio_config: Gemma4AudioConfig | None = None
    tie_word_embeddings: bool = True


class Gemma4UnifiedVisionConfig(Schema):
    model_type: str = "gemma4_unified_vision"
    patch_size: Size = 16
    pooling_kernel_size: Size = 3
    mm_embed_dim: Size = 3840
    mm_posemb_size: Size = 1120
    output_proj_dims: Size = 3840


class Gemma4UnifiedAudioConfig(Schema):
    model_type: str = "gemma4_unified_audio"
    audio_embed_dim: Size = 640


class Gemma4UnifiedConfig(ModelConfig):
    text_config: Gemma4UnifiedTextConfig = Gemma4UnifiedTextConfig()
    vision_config: Gemma4UnifiedVisionConfig | None = None
    audio_config: Gemma4UnifiedAudioConfig | None = None
    tie_word_embeddings: bool = True


def _images(config: Gemma4Config | Gemma4UnifiedConfig, picture: Picture) -> Seen:
    """Squares of patches, each averaged to a token, or (unified) read as one patch; a mark before and one after."""
    if config.vision_config is None:
        raise UnknownCostError("vision_config is null: there is nothing to see with")
    pooled = picture.count("pooling_kernel_size")
    square = int(config.vision_config.patch_size) * pooled
    rows, columns = budgeted(picture, square, picture.count("max_soft_tokens"))
    side, tokens = 1 if isinstance(config, Gemma4UnifiedConfig) else pooled, rows * columns
    return Seen(tokens, (View(rows * side, columns * side),), 2, {"embed_vision": tokens})


BUDGET = {"max_soft_tokens": 280, "pooling_kernel_size": 3}


@architecture("gemma4", config=Gemma4Config, spellings=MLX, images=ImageRule(_images, "Gemma4ImageProcessor", BUDGET))
def gemma4(config: Gemma4Config) -> Module:
    text, vision, audio = config.text_config, config.vision_config, config.audio_config
    model = module(
        vision_tower=gemma4_vision(vision) if vision else None,
        language_model=language_model(text),
        audio_tower=gemma4_audio(audio) if audio else None,
        embed_vision=_embedder(vision.hidden_size, text.hidden_size) if vision else None,
        embed_audio=_embedder(audio.output_proj_dims, text.hidden_size) if audio else None,
    )
    return _with_head(config, model)


@architecture(
    "gemma4_unified",
    config=Gemma4UnifiedConfig,
    spellings=MLX,
    images=ImageRule(_images, "Gemma4UnifiedImageProcessor", BUDGET),
)
def gemma4_unified(config: Gemma4UnifiedConfig) -> Module:
    text, vision, audio = config.text_config, config.vision_config, config.audio_config
    model = module(
        vision_embedder=_patch_embedder(vision) if vision else None,
        language_model=language_model(text),
        embed_vision=_embedder(vision.output_proj_dims, text.hidden_size) if vision else None,
        embed_audio=_embedder(audio.audio_embed_dim, text.hidden_size) if audio else None,
    )
    return _with_head(config, model)


def _with_head(config: Gemma4Config | Gemma4UnifiedConfig, model: Module) -> Module:
    text = config.text_config
    if config.class_name.endswith("ForCausalLM"):  # the language model alone
        return gemma4_text(text)
    tied_to = "model.language_model.embed_tokens.weight" if config.tie_word_embeddings else None
    head = lm_head(text.hidden_size, text.vocab_size, tied_to=tied_to)
    return with_head(config, model, {"lm_head": head}, hidden=text.hidden_size)


def _embedder(width: int, text_width: int) -> Module:
    """From a tower's width to the language model's; the norm before it has no gain."""
    return module(embedding_projection=linear(width, text_width)).marked(section="projector")


def _patch_embedder(config: Gemma4UnifiedVisionConfig) -> Module:
    """A flattened square of patches, a matrix between norms, and a position for each axis."""
    side, width = config.patch_size * config.pooling_kernel_size, config.mm_embed_dim
    patch = 3 * (side * side)
    return module(
        Role.EMBEDDING,
        patch_ln1=layer_norm(patch),
        patch_dense=linear(patch, width, bias=True),
        patch_ln2=layer_norm(width),
        pos_embedding=Tensor((config.mm_posemb_size, 2, width), Use.LOOKUP),
        pos_norm=layer_norm(width),
    ).marked(section="vision")

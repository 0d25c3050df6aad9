"""GIT: CLIP's vision tower, a projection, and BERT's layers that read its patches before the text."""

from __future__ import annotations

from ..blocks import encoder_attention, encoder_embeddings, encoder_layer, layer_norm, linear, lm_head
from ..config import Count, DecoderConfig, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Stack, Tensor, module, repeat, stack
from .towers.clip import ClipVisionConfig, clip_vision


class GitVisionConfig(ClipVisionConfig):
    model_type: str = "git_vision_model"
    patch_size: Size = 16


class GitConfig(DecoderConfig):
    vocab_size: Size = 30522
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 6
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 1024
    num_image_with_embedding: Count | None = None
    hidden_act: str = "gelu"
    vision_config: GitVisionConfig = GitVisionConfig()


@architecture("git", config=GitConfig)
def git(config: GitConfig) -> Module:
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    layer = encoder_layer(
        hidden,
        config.intermediate_size,
        attention=encoder_attention(hidden, heads=config.num_attention_heads, causal=True),
        activation=config.hidden_act,
    )
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=config.max_position_embeddings),
        image_encoder=module(vision_model=clip_vision(config.vision_config)),
        encoder=module(layer=repeat(config.num_hidden_layers, layer)),
        visual_projection=_projection(config),
        img_temporal_embedding=_frames(config),
    )
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForCausalLM"):
        raise unknown_class(config)
    tied_to = "git.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    return module(git=model, output=lm_head(hidden, vocab, tied_to=tied_to, bias=True))


def _projection(config: GitConfig) -> Module:
    matrix = linear(config.vision_config.hidden_size, config.hidden_size, bias=True)
    return module(visual_projection=stack([matrix, layer_norm(config.hidden_size)])).marked(section="projector")


def _frames(config: GitConfig) -> Stack | None:
    """A learned vector for each frame of a video."""
    frames, vector = config.num_image_with_embedding, Tensor((1, 1, config.vision_config.hidden_size))
    return None if frames is None else repeat(frames, vector)

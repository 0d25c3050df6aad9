"""Janus and DeepSeek-VL as their authors' own code writes them: a tower of timm's, a Llama, and what draws images."""

from __future__ import annotations

from ..blocks import embedding, linear
from ..config import Count, ModelConfig, Schema, Size
from ..errors import ConfigValueError
from ..nested import CompositeConfig, built, nested
from ..registry import architecture
from ..renaming import renamed
from ..tree import Module, Node, Role, Storage, Tensor, module, relocated, stack
from .janus import DRAWING
from .towers.janus_vq import JanusVqConfig, vq_model
from .towers.multi_modality import TowerParameters, tower_of

VQ_NAMES = {"down": "conv_blocks", "up": "conv_blocks", "block": "res", "block_1": "0", "attn_1": "1", "block_2": "2"}


class TowerConfig(Schema):
    cls: str
    params: TowerParameters


class AlignerParameters(Schema):
    projector_type: str
    depth: Count = 1
    input_dim: Size
    n_embed: Size


class AlignerConfig(Schema):
    params: AlignerParameters


class DrawingParameters(Schema):
    image_token_size: Size
    image_token_embed: Size | None = None
    n_embed: Size


class DrawingConfig(Schema):
    params: DrawingParameters


class MultiModalityConfig(CompositeConfig):
    """Without the `gen_…` configs it reads images and draws none: DeepSeek-VL."""

    language_config: ModelConfig = nested("llama")
    vision_config: TowerConfig
    aligner_config: AlignerConfig
    gen_vision_config: DrawingConfig | None = None
    gen_aligner_config: AlignerConfig | None = None
    gen_head_config: DrawingConfig | None = None


@architecture("multi_modality", config=MultiModalityConfig)
def multi_modality(config: MultiModalityConfig) -> Module:
    codes, aligner, head = config.gen_vision_config, config.gen_aligner_config, config.gen_head_config
    draws = _drawing(codes.params, aligner.params, head.params) if codes and aligner and head else {}
    return module(
        vision_model=tower_of(config.vision_config.cls, config.vision_config.params),
        aligner=_aligner(config.aligner_config.params).marked(section="projector"),
        **{name: part.marked(section=DRAWING) for name, part in draws.items()},
        language_model=relocated(built(config.language_config), "", "language_model."),
    )


def _aligner(config: AlignerParameters) -> Module:
    """Matrices with GELUs between; of two towers, each first fills half the width.

    Raises ConfigValueError: another projector.
    """
    kind, width = config.projector_type, config.n_embed
    first, further = linear(config.input_dim, width, bias=True), linear(width, width, bias=True)
    rest: list[Node | None] = [None, further] * (config.depth - 1)
    if kind == "mlp_gelu":
        return module(layers=stack([first, *rest]))
    if kind == "low_high_hybrid_split_mlp_gelu":
        half = linear(config.input_dim, width // 2, bias=True)
        return module(high_up_proj=half, low_up_proj=half, layers=stack(rest))
    known = "mlp_gelu or low_high_hybrid_split_mlp_gelu"
    raise ConfigValueError(f"projector_type is {kind!r}: should be {known}")


def _drawing(codes: DrawingParameters, aligner: AlignerParameters, head: DrawingParameters) -> dict[str, Module]:
    """The VQGAN and the ways from its codes to the language model and back; it remembers which codes were used."""
    vq = JanusVqConfig(num_embeddings=codes.image_token_size, embed_dim=codes.n_embed)
    drawn = renamed(vq_model(vq), VQ_NAMES)
    table = module(
        embedding=embedding(vq.num_embeddings, vq.embed_dim),
        codebook_used=Tensor((65536,), storage=Storage.BUFFER),
    )
    inner = head.image_token_embed or head.n_embed
    return {
        "gen_vision_model": drawn.replacing(quantize=table),
        "gen_aligner": _aligner(aligner),
        "gen_head": module(
            Role.HEAD,
            output_mlp_projector=linear(head.n_embed, inner, bias=True),
            vision_head=linear(inner, head.image_token_size, bias=True),
        ),
        "gen_embed": embedding(codes.image_token_size, codes.n_embed),
    }

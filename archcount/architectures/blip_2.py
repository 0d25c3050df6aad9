"""BLIP-2 and InstructBLIP: a ViT, a Q-Former that draws a few vectors from it, and a language model of any family."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear
from ..config import ModelConfig, Size
from ..encoder_heads import score, unknown_class
from ..images.seen import ImageRule, Picture, Seen
from ..images.square import one_square
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Tensor, module, relocated
from .towers.blip import Blip2VisionConfig, blip_vision
from .towers.qformer import QFormerConfig, norm, qformer, text_embeddings


class Blip2Config(CompositeConfig):
    text_config: ModelConfig = nested("opt")
    vision_config: Blip2VisionConfig = Blip2VisionConfig()
    qformer_config: QFormerConfig = QFormerConfig()
    num_query_tokens: Size = 32
    image_text_hidden_size: Size = 256


class InstructBlipConfig(Blip2Config):
    """The Q-Former reads the instruction too, whatever `use_qformer_text_input` says."""

    ignored: ClassVar[frozenset[str]] = frozenset({"image_text_hidden_size"})


def _images(config: Blip2Config, _: Picture) -> Seen:
    """A token for each query; patches and a class token stand before the Q-Former."""
    vision = config.vision_config
    return one_square(vision.image_size, vision.patch_size, tokens=config.num_query_tokens, extra=1)


IMAGES = ImageRule(_images)


@architecture("blip-2", config=Blip2Config, images=IMAGES)
def blip_2(config: Blip2Config) -> Module:
    """`Blip2Model` holds the same as `…ForConditionalGeneration`; `…ForImageTextRetrieval` has no language model."""
    queries = config.qformer_config
    former = qformer(queries, config.vision_config.hidden_size, reads_text=queries.use_qformer_text_input)
    former = former.prepend(layernorm=norm(queries))
    name, width = config.class_name, queries.hidden_size
    if not name or name in ("Blip2ForConditionalGeneration", "Blip2Model"):
        return _speaking(config, former)
    if name != "Blip2ForImageTextRetrieval":
        raise unknown_class(config)
    projection = linear(width, config.image_text_hidden_size, bias=True)
    return module(
        **_seeing(config),
        embeddings=text_embeddings(queries),
        qformer=former,
        vision_projection=projection,
        text_projection=projection,
        itm_head=score(width, 2),
    )


@architecture("instructblip", config=InstructBlipConfig, images=IMAGES)
@architecture("instructblipvideo", config=InstructBlipConfig)
def instructblip(config: InstructBlipConfig) -> Module:
    if config.class_name and not config.class_name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    queries = config.qformer_config
    tables = text_embeddings(queries).extend(layernorm=norm(queries))
    former = qformer(queries, config.vision_config.hidden_size, reads_text=True)
    return _speaking(config, former.prepend(embeddings=tables))


def _seeing(config: Blip2Config) -> dict[str, Node]:
    queries = Tensor((1, config.num_query_tokens, config.qformer_config.hidden_size))
    return {"query_tokens": queries, "vision_model": blip_vision(config.vision_config)}


def _speaking(config: Blip2Config, former: Module) -> Module:
    text, width = config.text_config, config.qformer_config.hidden_size
    return module(
        **_seeing(config),
        qformer=former,
        language_projection=linear(width, size_of(text, "hidden_size"), bias=True).marked(section="projector"),
        language_model=relocated(built(text), "", "language_model."),
    )

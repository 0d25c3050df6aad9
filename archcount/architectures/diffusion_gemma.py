"""DiffusionGemma: Gemma 4 with experts, read twice: it keeps the keys of a text, then refines a canvas of tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..blocks import gated_mlp, linear, lm_head, rms_norm
from ..config import Count, ModelConfig, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Node, Stack, Tensor, module, tied
from .gemma4_text import Gemma4TextConfig, language_model
from .towers.gemma4 import Gemma4VisionConfig, gemma4_vision

APART = ("layer_scalar", "bias")
"""What the layers of the encoder and of the decoder do not share."""


class DiffusionGemmaTextConfig(Gemma4TextConfig):
    model_type: str = "diffusion_gemma_text"
    num_experts: Count
    top_k_experts: Count
    moe_intermediate_size: Size
    enable_moe_block: Literal[True] = True
    attention_k_eq_v: Literal[True] = True
    hidden_size_per_layer_input: Literal[0] = 0
    num_kv_shared_layers: Literal[0] = 0


class DiffusionGemmaConfig(ModelConfig):
    text_config: DiffusionGemmaTextConfig
    vision_config: Gemma4VisionConfig = Gemma4VisionConfig()
    tie_word_embeddings: bool = True


@architecture("diffusion_gemma", config=DiffusionGemmaConfig)
def diffusion_gemma(config: DiffusionGemmaConfig) -> Module:
    """The decoder's tensors are the encoder's and the table is the head, unless `tie_word_embeddings` is false."""
    text, name, tie = config.text_config, config.class_name, config.tie_word_embeddings
    if name not in ("", "DiffusionGemmaModel", "DiffusionGemmaForBlockDiffusion"):
        raise unknown_class(config)
    bare = name == "DiffusionGemmaModel"
    decoder = "decoder" if bare else "model.decoder"
    model = module(encoder=_encoder(config, decoder if tie else None), decoder=_decoder(text))
    if bare:
        return model
    head = lm_head(text.hidden_size, text.vocab_size, tied_to=f"{decoder}.embed_tokens.weight" if tie else None)
    return module(model=model, lm_head=head)


def _encoder(config: DiffusionGemmaConfig, decoder: str | None) -> Module:
    """What reads the text and the images, once; `decoder` is the name of the one whose tensors it has."""
    text, vision = config.text_config, config.vision_config
    reading = language_model(text)
    projection = linear(vision.hidden_size, text.hidden_size)
    return module(
        language_model=_shared(reading, decoder) if decoder else reading,
        vision_tower=gemma4_vision(vision),
        embed_vision=module(embedding_projection=projection).marked(section="projector"),
    ).marked(section="encoder")


def _decoder(config: DiffusionGemmaTextConfig) -> Module:
    """What refines the canvas: its tokens read one another and the keys the encoder kept, and add none to them."""
    hidden, inner = config.hidden_size, config.intermediate_size
    conditioning = gated_mlp(hidden, inner, activation=config.hidden_activation).prepend(pre_norm=rms_norm(hidden))
    return language_model(config, causal=False).extend(self_conditioning=conditioning).marked(section="decoder")


def _shared(part: Module, name: str) -> Module:
    """The same tensors as those under `name`, all but a layer's scalar and the biases."""
    children = ((key, child if key in APART else _again(child, f"{name}.{key}")) for key, child in part.children)
    return replace(part, children=tuple(children))


def _again(node: Node, name: str) -> Node:
    match node:
        case Tensor():
            return tied(node, name)
        case Module():
            return _shared(node, name)
        case Stack(groups):
            one_each = ((index, layer) for where, layer in groups for index in where)
            return Stack(tuple(((index,), _again(layer, f"{name}.{index}")) for index, layer in one_each))

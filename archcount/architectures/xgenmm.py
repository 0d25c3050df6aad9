"""BLIP-3 (xGen-MM 1.5): SigLIP, latents that read what it saw, and a Phi-3 with three words of its own."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, linear
from ..config import ModelConfig, Schema, Size
from ..errors import ConfigValueError
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, Role, module
from .towers.flamingo import resampler
from .towers.siglip import SiglipVisionConfig, siglip_vision

SIGLIP = "google/siglip-so400m-patch14-384"
EYES = SiglipVisionConfig(
    hidden_size=1152,
    intermediate_size=4304,
    num_hidden_layers=27,
    num_attention_heads=16,
    patch_size=14,
    image_size=384,
)
WORDS = 3  # an image, its place, and the end of a chunk


class XGenVisionConfig(Schema):
    model_name: str = SIGLIP


class XGenTokenizerConfig(Schema):
    vis_feature_dim: Size = 1152
    num_vis_tokens: Size = 128
    ignored: ClassVar[frozenset[str]] = frozenset({"lang_embedding_dim"})  # the code takes the language model's


class XGenMMConfig(CompositeConfig):
    text_config: ModelConfig = nested("phi3")
    vision_encoder_config: XGenVisionConfig = XGenVisionConfig()
    vision_tokenizer_config: XGenTokenizerConfig = XGenTokenizerConfig()


@architecture("xgenmm", config=XGenMMConfig)
def xgenmm(config: XGenMMConfig) -> Module:
    name, reads, text = config.vision_encoder_config.model_name, config.vision_tokenizer_config, config.text_config
    if name != SIGLIP:
        raise ConfigValueError(f"vision_encoder_config.model_name is {name!r}: only {SIGLIP} is known")
    hidden = size_of(text, "hidden_size")
    tokenizer = resampler(reads.vis_feature_dim, latents=reads.num_vis_tokens, heads=16, head_dim=96, projected=hidden)
    parts: dict[str, Node] = {
        "vision_encoder": siglip_vision(EYES),
        "vision_tokenizer": tokenizer,
        "lang_model": _with_words(text),
    }
    return module(vlm=module(**parts))


def _with_words(text: ModelConfig) -> Module:
    """A table and a head with rows of their own for the new words; the head has biases, which Phi-3's has not."""
    hidden, vocab = size_of(text, "hidden_size"), size_of(text, "vocab_size")
    (base, decoder), *_ = built(text).children
    if not isinstance(decoder, Module):
        raise ConfigValueError(f"text_config: model_type {text.model_type!r} cannot be a part of this model")
    table = embedding(vocab, hidden).extend(additional_embedding=embedding(WORDS, hidden))
    head = linear(hidden, vocab, bias=True, role=Role.HEAD).extend(additional_fc=linear(hidden, WORDS, bias=True))
    return module(**{base: decoder.replacing(embed_tokens=table)}, lm_head=head)

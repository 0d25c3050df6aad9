"""Gemma 4's assistants: small models that draft tokens, over the keys and values of the model they help."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear, lm_head
from ..config import Count, ModelConfig, Size
from ..errors import ConfigValueError
from ..heads import refuse_other_heads
from ..registry import architecture
from ..tree import Module, Role, Storage, Tensor, module
from .gemma4_text import Gemma4TextConfig, Gemma4UnifiedTextConfig, language_model


class Gemma4UnifiedAssistantConfig(ModelConfig):
    text_config: Gemma4UnifiedTextConfig = Gemma4UnifiedTextConfig()
    backbone_hidden_size: Size = 3840
    use_ordered_embeddings: bool = False
    num_centroids: Count = 2048
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"centroid_intermediate_top_k"})


class Gemma4AssistantConfig(Gemma4UnifiedAssistantConfig):
    text_config: Gemma4TextConfig = Gemma4TextConfig()
    backbone_hidden_size: Size = 1536


@architecture("gemma4_assistant", config=Gemma4AssistantConfig)
@architecture("gemma4_unified_assistant", config=Gemma4UnifiedAssistantConfig)
def gemma4_assistant(config: Gemma4UnifiedAssistantConfig) -> Module:
    refuse_other_heads(config)
    text, backbone = config.text_config, config.backbone_hidden_size
    hidden, vocab = text.hidden_size, text.vocab_size
    if isinstance(text, Gemma4TextConfig) and text.hidden_size_per_layer_input:
        stated = text.hidden_size_per_layer_input
        raise ConfigValueError(f"text_config.hidden_size_per_layer_input is {stated}: should be 0 in an assistant")
    centroids = module(
        centroids=linear(hidden, config.num_centroids, role=Role.HEAD),
        token_ordering=Tensor((vocab,), storage=Storage.BUFFER, dtype="int64"),
    )
    return module(
        model=language_model(text, shared=text.num_kv_shared_layers or text.num_hidden_layers),
        lm_head=lm_head(hidden, vocab, tied_to="model.embed_tokens.weight" if config.tie_word_embeddings else None),
        pre_projection=linear(2 * backbone, hidden),
        post_projection=linear(hidden, backbone),
        masked_embedding=centroids if config.use_ordered_embeddings else None,
    )

"""dots3-note's language model: latent attention, sparse or through a window; a layer may have sizes of its own.

Longer than most: a layer's kind, its experts and its sizes are each spelled in two or three ways.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, NamedTuple

from ..blocks import gated_mlp, latent_attention, linear, pre_norm_layer, rms_norm, sparse_indexer, sparse_mlp
from ..config import Count, CountOrZero, ModelConfig, Schema, Size
from ..errors import ConfigValueError
from ..flat import FlatTextConfig
from ..heads import decoder_lm
from ..multimodal import with_language_on_top
from ..nested import nested
from ..registry import architecture
from ..schedules import DENSE, FULL, SLIDING, SPARSE, checked_length, layer_kinds, mlp_layer_kinds, stack_of
from ..tree import Module
from .deepseek_v32 import LatentMoeConfig
from .towers.dots_audio import DotsAudioConfig, dots_audio
from .towers.dots_vision import DotsVisionConfig, dots_vision

INDEXED = "indexed_attention"


class LayerSizes(Schema):
    """What one layer has otherwise than the rest."""

    num_attention_heads: Count | None = None
    q_lora_rank: Size | None = None
    kv_lora_rank: Size | None = None
    qk_nope_head_dim: Size | None = None
    qk_rope_head_dim: Size | None = None
    v_head_dim: Size | None = None
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim"})


class Dots3NoteTextConfig(LatentMoeConfig):
    vocab_size: Size = 152064
    hidden_size: Size = 5120
    intermediate_size: Size = 13824
    moe_intermediate_size: Size = 1536
    num_hidden_layers: Count = 46
    n_routed_experts: Count = 256
    q_lora_rank: Size = 1024
    shared_experts_intermediate_size: Size = 1536
    first_k_dense_replace: CountOrZero = 1
    moe_layer_freq: Count | list[CountOrZero] = 1
    index_topk: Count = 2048
    index_head_dim: Size = 128
    index_n_heads: Count = 64
    layer_types: list[str] | None = None
    use_dsa: bool | None = None
    use_sliding_window: bool = True
    sliding_window: Size = 512
    per_layer_config: dict[str, LayerSizes] | None = None
    swa_num_attention_heads: Count = 64
    swa_q_lora_rank: Size = 1024
    swa_kv_lora_rank: Size = 1024
    swa_head_dim: Size = 256
    swa_qk_nope_head_dim: Size = 192
    swa_qk_rope_head_dim: Size | None = None
    swa_v_head_dim: Size = 128
    also_spelled: ClassVar[dict[str, str]] = {
        "sliding_window_size": "sliding_window",
        "moe_shared_expert_intermediate_size": "shared_experts_intermediate_size",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"swa_num_key_value_heads"})
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


class Sizes(NamedTuple):
    heads: int
    query_rank: int
    kv_rank: int
    nope_dim: int
    rope_dim: int
    value_dim: int


@architecture("dots3_note_text", config=Dots3NoteTextConfig)
def dots3_note_text(config: Dots3NoteTextConfig) -> Module:
    hidden = config.hidden_size

    def layer(kind: tuple[str, str, Sizes]) -> Module:
        attends, mlp, sizes = kind
        return pre_norm_layer(_attention(config, attends, sizes), _mlp(config, mlp), rms_norm(hidden))

    attends = _attention_kinds(config)
    kinds = zip(attends, _mlp_kinds(config), _sizes(config, attends), strict=True)
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def _attention_kinds(config: Dots3NoteTextConfig) -> list[str]:
    """`use_dsa` (true, unless some layers have sizes of their own) turns full layers sparse, or sparse ones full."""
    sparse = config.use_dsa if config.use_dsa is not None or config.per_layer_config is not None else True
    whole = FULL if sparse is False else INDEXED

    def derived(index: int) -> str:
        return whole if not config.use_sliding_window or index < 2 or index % 4 == 1 else SLIDING

    known = (FULL, INDEXED, SLIDING)
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, derived, known=known)
    return kinds if sparse is None else [SLIDING if kind == SLIDING else whole for kind in kinds]


def _mlp_kinds(config: Dots3NoteTextConfig) -> list[str]:
    layers, every = config.num_hidden_layers, config.moe_layer_freq
    listed = every if isinstance(every, list) else [index % every == 0 for index in range(layers)]
    due = checked_length(listed, layers, "moe_layer_freq")

    def derived(index: int) -> str:
        return SPARSE if index >= config.first_k_dense_replace and due[index] else DENSE

    return mlp_layer_kinds(layers, config.mlp_layer_types, derived)


def _sizes(config: Dots3NoteTextConfig, kinds: list[str]) -> list[Sizes]:
    usual = Sizes(
        config.num_attention_heads,
        config.q_lora_rank,
        config.kv_lora_rank,
        config.qk_nope_head_dim,
        config.qk_rope_head_dim,
        config.v_head_dim,
    )
    if config.per_layer_config is None:
        return [_sliding_sizes(config) if kind == SLIDING else usual for kind in kinds]
    own = {_index(key, len(kinds)): sizes for key, sizes in config.per_layer_config.items()}
    return [_merged(usual, own[index]) if index in own else usual for index in range(len(kinds))]


def _sliding_sizes(config: Dots3NoteTextConfig) -> Sizes:
    nope = config.swa_qk_nope_head_dim
    return Sizes(
        config.swa_num_attention_heads,
        config.swa_q_lora_rank,
        config.swa_kv_lora_rank,
        nope,
        config.swa_qk_rope_head_dim or config.swa_head_dim - nope,
        config.swa_v_head_dim,
    )


def _index(key: str, layers: int) -> int:
    if not key.isascii() or not key.isdigit() or int(key) >= layers:
        raise ConfigValueError(f"per_layer_config has a key {key!r}: should be the number of one of {layers} layers")
    return int(key)


def _merged(usual: Sizes, own: LayerSizes) -> Sizes:
    return Sizes(
        own.num_attention_heads or usual.heads,
        own.q_lora_rank or usual.query_rank,
        own.kv_lora_rank or usual.kv_rank,
        own.qk_nope_head_dim or usual.nope_dim,
        own.qk_rope_head_dim or usual.rope_dim,
        own.v_head_dim or usual.value_dim,
    )


def _attention(config: Dots3NoteTextConfig, kind: str, sizes: Sizes) -> Module:
    """Latent attention with a gate for each head and a norm on the part of the key that turns."""
    hidden, index_heads, index_dim = config.hidden_size, config.index_n_heads, config.index_head_dim
    latent = latent_attention(hidden, **sizes._asdict(), bias=config.attention_bias, positions=config.rope).extend(
        k_rope_only_layernorm=rms_norm(sizes.rope_dim), g_proj=linear(hidden, sizes.heads)
    )
    if latent.attends is None or latent.cache is None or kind == FULL:
        return latent
    if kind == SLIDING:
        window = config.sliding_window
        return latent.marked(
            cache=replace(latent.cache, label="sliding latent", window=window),
            attends=replace(latent.attends, window=window),
        )
    indexer = sparse_indexer(hidden, query_rank=sizes.query_rank, heads=index_heads, head_dim=index_dim)
    return latent.marked(attends=replace(latent.attends, chosen=config.index_topk)).extend(indexer=indexer)


def _mlp(config: Dots3NoteTextConfig, kind: str) -> Module:
    if kind == DENSE:
        return gated_mlp(config.hidden_size, config.intermediate_size, activation=config.hidden_act)
    return sparse_mlp(
        config.hidden_size,
        config.moe_intermediate_size,
        experts=config.n_routed_experts,
        active=config.num_experts_per_tok,
        activation=config.hidden_act,
        shared=config.n_shared_experts * config.shared_experts_intermediate_size,
        correction=True,
    )


class Dots3NoteConfig(FlatTextConfig):
    text_config: ModelConfig = nested("dots3_note_text")
    vision_config: DotsVisionConfig = DotsVisionConfig()
    audio_config: DotsAudioConfig = DotsAudioConfig()
    tie_word_embeddings: bool = False


@architecture("dots3_note", config=Dots3NoteConfig)
def dots3_note(config: Dots3NoteConfig) -> Module:
    """With eyes and ears, named apart from the language model."""
    parts = {"vision_encoder": dots_vision(config.vision_config), "audio_encoder": dots_audio(config.audio_config)}
    return with_language_on_top(config, config.text_config, parts, tie=config.tie_word_embeddings)

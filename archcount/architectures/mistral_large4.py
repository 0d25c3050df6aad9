"""Mistral Large 4: latent attention that an indexer makes sparse, caches that layers share, and Pixtral's tower.

The names are those of Mistral's own files, which hold the language model at the top. The file is long since that
decoder is of no other family.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    embedding,
    expert_layout,
    gated_mlp,
    layer_norm,
    linear,
    lm_head,
    rms_norm,
    routed_experts,
    router,
)
from ..config import Count, CountOrZero, ModelConfig, Size
from ..errors import ConfigValueError
from ..heads import refuse_other_heads
from ..images.grids import LONGEST, pixtral_grid
from ..images.seen import ImageRule, Picture, Seen
from ..multimodal import is_tied
from ..nested import CompositeConfig, nested
from ..positions import Rotary
from ..registry import architecture
from ..schedules import DENSE, checked_length, dense_first, mlp_layer_kinds, stack_of
from ..tree import Attends, Cache, Module, Node, Role, Tensor, Use, module
from .deepseek_v32 import FULL_INDEXER, indexer_kinds
from .mistral3 import PIXTRAL, merger
from .towers.pixtral import MISTRAL, PixtralVisionConfig, pixtral_tower

MATRICES = MISTRAL[1]


class MistralLarge4TextConfig(ModelConfig, Rotary):
    model_type: str = "mistral_large4_text"
    vocab_size: Size = 204800
    hidden_size: Size = 6144
    intermediate_size: Size = 24576
    moe_intermediate_size: Size = 6144
    num_hidden_layers: Count = 72
    num_attention_heads: Count = 64
    n_shared_experts: Count = 1
    n_routed_experts: Count = 128
    num_experts_per_tok: Count = 4
    first_k_dense_replace: CountOrZero = 1
    mlp_layer_types: list[str] | None = None
    kv_lora_rank: Size = 512
    qk_rope_head_dim: Size = 64
    qk_nope_head_dim: Size = 64
    v_head_dim: Size = 128
    attention_bias: bool = False
    hidden_act: str = "silu"
    index_topk: Count = 2048
    index_head_dim: Size = 128
    index_n_heads: Count = 32
    indexer_types: list[str] | None = None
    index_topk_pattern: str | list[str] | None = None
    index_topk_freq: CountOrZero = 1
    index_skip_topk_offset: CountOrZero = 2
    no_rope_layers: list[int] | None = None
    no_rope_layer_interval: Count = 4
    kv_source_layers: list[int] | None = None
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {
        "num_experts": "n_routed_experts",
        "num_local_experts": "n_routed_experts",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim", "qk_head_dim", "topk_group"})

    def owns_cache(self) -> list[bool]:
        """Which layers keep latent rows of their own.

        Raises ConfigValueError: a source that is a later layer, or one that keeps none itself.
        """
        layers = range(self.num_hidden_layers)
        sources = checked_length(self.kv_source_layers or list(layers), len(layers), "kv_source_layers")
        for index, source in enumerate(sources):
            if not 0 <= source <= index or sources[source] != source:
                wanted = "should be the layer itself or an earlier one that is its own source"
                raise ConfigValueError(f"kv_source_layers[{index}] is {source}: {wanted}")
        return [source == index for index, source in enumerate(sources)]

    def rotates(self) -> list[bool]:
        """Which layers have rotary positions: all but every `no_rope_layer_interval`-th."""
        layers, every = self.num_hidden_layers, self.no_rope_layer_interval
        given = self.no_rope_layers or [(index + 1) % every for index in range(layers)]
        return [bool(flag) for flag in checked_length(given, layers, "no_rope_layers")]


class MistralLarge4Config(CompositeConfig):
    text_config: MistralLarge4TextConfig = MistralLarge4TextConfig()
    vision_config: PixtralVisionConfig = nested(
        "pixtral", hidden_size=2048, intermediate_size=6144, num_hidden_layers=30, patch_size=14, hidden_act="silu"
    )
    vision_feature_layer: int | tuple[int, ...] = -1
    multimodal_projector_bias: bool = False
    spatial_merge_size: Count = 2
    tie_word_embeddings: bool = False


def _images(config: MistralLarge4Config, picture: Picture) -> Seen:
    patch = config.vision_config.patch_size
    parts = ("patch_merger", "vision_language_adapter")
    return pixtral_grid(picture, patch, config.spatial_merge_size, parts, breaks=True)


@architecture(
    "mistral_large4",
    config=MistralLarge4Config,
    images=ImageRule(_images, "PixtralImageProcessor", PIXTRAL, LONGEST),
)
def mistral_large4(config: MistralLarge4Config) -> Module:
    refuse_other_heads(config)
    text, vision, hidden = config.text_config, config.vision_config, config.text_config.hidden_size
    chosen, bias = config.vision_feature_layer, config.multimodal_projector_bias
    features = vision.hidden_size * (len(chosen) if isinstance(chosen, tuple) else 1)
    adapter = module(w_in=linear(features, hidden, bias=bias), w_out=linear(hidden, hidden, bias=bias))
    merged = merger(vision.hidden_size, config.spatial_merge_size, ("pre_mm_projector_norm", "patch_merger"))
    return module(
        tok_embeddings=embedding(text.vocab_size, hidden),
        layers=stack_of(_kinds(text), lambda kind: _layer(text, *kind)),
        norm=rms_norm(hidden),
        lerope=module(alpha=Tensor((text.qk_rope_head_dim // 2,))),
        output=lm_head(hidden, text.vocab_size, tied_to="tok_embeddings.weight" if is_tied(config, text) else None),
        vision_encoder=pixtral_tower(vision, MISTRAL),
        **{name: part.marked(section="projector") for name, part in merged.items()},
        vision_language_adapter=adapter.marked(section="projector"),
    )


def _kinds(text: MistralLarge4TextConfig) -> list[tuple[str, str, bool, bool]]:
    """Of each layer: dense or sparse, an indexer or another layer's, rotary positions, a cache of its own."""
    layers, first = text.num_hidden_layers, text.first_k_dense_replace
    mlps = mlp_layer_kinds(layers, text.mlp_layer_types, dense_first(first))
    every, offset = text.index_topk_freq, text.index_skip_topk_offset
    indexers = indexer_kinds(layers, text.indexer_types, text.index_topk_pattern, every, offset)
    return list(zip(mlps, indexers, text.rotates(), text.owns_cache(), strict=True))


def _layer(text: MistralLarge4TextConfig, mlp: str, indexer: str, rotates: bool, owns_cache: bool) -> Module:
    hidden = text.hidden_size
    attended = _attention(text, rotates=rotates, owns_cache=owns_cache)
    return module(
        None,
        "pre-norm",
        attention=attended.extend(indexer=_indexer(text) if indexer == FULL_INDEXER else None),
        attention_norm=rms_norm(hidden),
        **({"feed_forward": _mlp(text, text.intermediate_size)} if mlp == DENSE else _experts(text)),
        ffn_norm=rms_norm(hidden),
    )


def _mlp(text: MistralLarge4TextConfig, inner: int) -> Module:
    return gated_mlp(text.hidden_size, inner, activation=text.hidden_act, names=MATRICES)


def _experts(text: MistralLarge4TextConfig) -> dict[str, Node]:
    hidden, inner, experts, active = (
        text.hidden_size,
        text.moe_intermediate_size,
        text.n_routed_experts,
        text.num_experts_per_tok,
    )
    each = routed_experts(hidden, inner, experts=experts, active=active, activation=text.hidden_act, names=MATRICES)
    return {
        "gate": router(hidden, experts).marked(kind=expert_layout(experts, active)),
        "experts": each,
        "shared_experts": _mlp(text, inner * text.n_shared_experts),
    }


def _attention(text: MistralLarge4TextConfig, *, rotates: bool, owns_cache: bool) -> Module:
    """Latent attention without a rank for queries; a layer without positions gives the rotary part to the rest."""
    hidden, heads, rank, value = text.hidden_size, text.num_attention_heads, text.kv_lora_rank, text.v_head_dim
    key = text.qk_nope_head_dim + text.qk_rope_head_dim
    row = rank + text.qk_rope_head_dim if rotates else rank
    bias, positions = text.attention_bias, text.rope if rotates else "none"
    kept = Cache("latent", per_token=row, expanded=heads * (key + value)) if owns_cache else None
    return module(
        Role.ATTENTION,
        f"MLA {heads}",
        wq=linear(hidden, heads * key),
        wkv_a_with_mqa=linear(hidden, row, bias=bias) if owns_cache else None,
        kv_a_norm=rms_norm(rank) if owns_cache else None,
        wkv_b=linear(rank, heads * ((text.qk_nope_head_dim if rotates else key) + value)),
        wo=linear(heads * value, hidden, bias=bias),
        ssmax_scaling=_scaling(heads),
    ).marked(cache=kept, attends=Attends(heads, key, value, positions=positions, chosen=text.index_topk))


def _indexer(text: MistralLarge4TextConfig) -> Module:
    hidden, heads, width = text.hidden_size, text.index_n_heads, text.index_head_dim
    return module(
        Role.ATTENTION,
        f"indexer {heads}",
        wq_b=linear(hidden, heads * width),
        wk=linear(hidden, width),
        k_norm=layer_norm(width),
        weights_proj=linear(hidden, heads),
        q_input_norm=layer_norm(hidden),
        ssmax_scaling=_scaling(heads),
    ).marked(cache=Cache("indexer", per_token=width), attends=Attends(heads, width, 0))


def _scaling(heads: int) -> Module:
    """Scores grow with the logarithm of the context, by a slope and a constant for each head."""
    return module(s=Tensor((heads,), Use.SCALE), b=Tensor((heads,), Use.BIAS))

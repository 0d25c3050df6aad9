"""Gemma 4's language models: five layers with a window to one without, whose heads are wider and fewer.

Longer than most: layers of two widths, caches that some borrow, experts, and a table for each layer.
"""

from __future__ import annotations

from ..blocks import (
    attention,
    borrowed_cache,
    borrowing_layers,
    embedding,
    expert_layout,
    gated_mlp,
    linear,
    packed_experts,
    rms_norm,
)
from ..config import Count, CountOrZero, DecoderConfig, Schema, Size, SizeOrZero
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, full_every, layer_kinds, stack_of
from ..tree import Module, Role, Tensor, Use, module
from .gemma3n_text import per_layer_input


class LayerOverrides(Schema):
    head_dim: Size | None = None
    num_key_value_heads: Count | None = None


class Gemma4UnifiedTextConfig(DecoderConfig, Rotary):
    model_type: str = "gemma4_unified_text"
    vocab_size: Size = 262_144
    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    num_hidden_layers: Count = 30
    num_attention_heads: Count = 8
    num_key_value_heads: Count = 4
    num_global_key_value_heads: Count | None = None
    head_dim: Size = 256
    global_head_dim: Size = 512
    per_layer_config: dict[int, LayerOverrides] | None = None
    hidden_activation: str = "gelu_pytorch_tanh"
    attention_bias: bool = False
    attention_k_eq_v: bool = False
    sliding_window: Size = 1024
    layer_types: list[str] | None = None
    num_kv_shared_layers: CountOrZero = 0
    use_double_wide_mlp: bool = False
    use_bidirectional_attention: str | None = None
    tie_word_embeddings: bool = True

    def schedule(self) -> list[str]:
        """The kind of each layer; the last always attends to all tokens."""
        kinds = layer_kinds(self.num_hidden_layers, self.layer_types, full_every(6))
        return [*kinds[:-1], FULL]

    def heads(self, index: int, kind: str) -> tuple[int, int]:
        """The width of a head and the number of key-value heads in a layer."""
        if self.per_layer_config is not None:
            own = self.per_layer_config.get(index, LayerOverrides())
            return own.head_dim or self.head_dim, own.num_key_value_heads or self.num_key_value_heads
        if kind == SLIDING:
            return self.head_dim, self.num_key_value_heads
        fewer = self.num_global_key_value_heads if self.attention_k_eq_v else None
        return self.global_head_dim, fewer or self.num_key_value_heads


class Gemma4TextConfig(Gemma4UnifiedTextConfig):
    model_type: str = "gemma4_text"
    sliding_window: Size = 512
    vocab_size_per_layer_input: SizeOrZero = 262_144
    hidden_size_per_layer_input: SizeOrZero = 256
    enable_moe_block: bool = False
    num_experts: Count | None = None
    top_k_experts: Count | None = None
    moe_intermediate_size: Size | None = None


@architecture("gemma4_text", config=Gemma4TextConfig)
@architecture("gemma4_unified_text", config=Gemma4UnifiedTextConfig)
def gemma4_text(config: Gemma4UnifiedTextConfig) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    return causal_lm(config, language_model(config), hidden=hidden, vocab=vocab, tie=tie)


def language_model(config: Gemma4UnifiedTextConfig, *, shared: int | None = None, causal: bool = True) -> Module:
    """`embed_tokens`, `layers`, `norm` and the tables by layer; `shared` layers at the end borrow keys and values."""
    schedule = config.schedule()
    borrowed = config.num_kv_shared_layers if shared is None else shared
    kinds = [
        (kind, borrows, *config.heads(index, kind))
        for index, (kind, borrows) in enumerate(zip(schedule, borrowing_layers(schedule, borrowed), strict=True))
    ]
    owns_none = borrowed == config.num_hidden_layers
    model = module(
        embed_tokens=embedding(config.vocab_size, config.hidden_size),
        layers=stack_of(kinds, lambda kind: _layer(config, *kind, is_stored=not owns_none, causal=causal)),
        norm=rms_norm(config.hidden_size),
    )
    return model.extend(**_per_layer_tables(config))


def _per_layer_tables(config: Gemma4UnifiedTextConfig) -> dict[str, Module]:
    if not isinstance(config, Gemma4TextConfig) or not config.hidden_size_per_layer_input:
        return {}
    narrow = config.hidden_size_per_layer_input
    width = config.num_hidden_layers * narrow
    return {
        "embed_tokens_per_layer": embedding(config.vocab_size_per_layer_input, width),
        "per_layer_model_projection": linear(config.hidden_size, width),
        "per_layer_projection_norm": rms_norm(narrow),
    }


def _layer(
    config: Gemma4UnifiedTextConfig,
    kind: str,
    borrows: bool,
    head_dim: int,
    kv_heads: int,
    *,
    is_stored: bool,
    causal: bool,
) -> Module:
    hidden, inner = config.hidden_size, config.intermediate_size
    own = _attention(config, kind, head_dim, kv_heads, causal=causal)
    wide = config.use_double_wide_mlp and borrows
    norms = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
    return module(
        None,
        "pre- and post-norm",
        layer_scalar=Tensor((1,), Use.SCALE),
        self_attn=borrowed_cache(own, is_stored=is_stored) if borrows else own,
        mlp=gated_mlp(hidden, 2 * inner if wide else inner, activation=config.hidden_activation),
        **{name: rms_norm(hidden) for name in norms},
        **_further(config),
    )


def _further(config: Gemma4UnifiedTextConfig) -> dict[str, Module]:
    """What only some Gemma 4 have in a layer: an input by layer, and experts beside the MLP."""
    if not isinstance(config, Gemma4TextConfig):
        return {}
    hidden, narrow = config.hidden_size, config.hidden_size_per_layer_input
    inputs = per_layer_input(hidden, narrow) if narrow else {}
    return inputs | (_experts(config) if config.enable_moe_block else {})


def _experts(config: Gemma4TextConfig) -> dict[str, Module]:
    hidden, experts, active, inner = (
        config.hidden_size,
        config.num_experts,
        config.top_k_experts,
        config.moe_intermediate_size,
    )
    if experts is None or active is None or inner is None:
        wanted = "num_experts, top_k_experts and moe_intermediate_size"
        raise ConfigValueError(f"enable_moe_block is true: {wanted} should be given with it")
    router = module(
        Role.ROUTER,
        expert_layout(experts, active),
        proj=linear(hidden, experts),
        scale=Tensor((hidden,), Use.SCALE),
        per_expert_scale=Tensor((experts,), Use.SCALE),
    )
    packed = packed_experts(hidden, inner, experts=experts, active=active, activation=config.hidden_activation)
    norms = ("post_feedforward_layernorm_1", "post_feedforward_layernorm_2", "pre_feedforward_layernorm_2")
    return {"router": router, "experts": packed} | {name: rms_norm(hidden) for name in norms}


def _attention(config: Gemma4UnifiedTextConfig, kind: str, head_dim: int, kv_heads: int, *, causal: bool) -> Module:
    """Grouped-query attention; with `attention_k_eq_v` the layers without a window take their keys for values."""
    plain = attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=config.sliding_window if kind == SLIDING else None,
        causal=causal,
        positions=config.rope,
    )
    return plain.replacing(v_proj=None) if config.attention_k_eq_v and kind == FULL else plain

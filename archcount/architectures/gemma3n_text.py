"""Gemma 3n's language model: a table for each layer, four streams at once (AltUp), caches shared by the last layers."""

from __future__ import annotations

from ..blocks import attention, borrowed_cache, borrowing_layers, embedding, gated_mlp, linear, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import SLIDING, checked_length, full_every, layer_kinds, stack_of
from ..tree import Module, Tensor, Use, module, repeat


class Gemma3nTextConfig(ModelConfig, Rotary):
    model_type: str = "gemma3n_text"
    vocab_size: Size = 262_400
    hidden_size: Size = 2048
    intermediate_size: Size | list[Size] = 16_384
    num_hidden_layers: Count = 35
    num_attention_heads: Count = 8
    num_key_value_heads: Count = 2
    head_dim: Size = 256
    hidden_activation: str = "gelu_pytorch_tanh"
    attention_bias: bool = False
    sliding_window: Size = 512
    layer_types: list[str] | None = None
    vocab_size_per_layer_input: Size = 262_144
    hidden_size_per_layer_input: Size = 256
    altup_num_inputs: Count = 4
    num_kv_shared_layers: CountOrZero = 15
    laurel_rank: Size = 64
    tie_word_embeddings: bool = True


@architecture("gemma3n_text", config=Gemma3nTextConfig)
def gemma3n_text(config: Gemma3nTextConfig) -> Module:
    hidden, vocab, tie = config.hidden_size, config.vocab_size, config.tie_word_embeddings
    return causal_lm(config, language_model(config), hidden=hidden, vocab=vocab, tie=tie)


def language_model(config: Gemma3nTextConfig) -> Module:
    """The tables, the layers and what mixes the streams; Gemma 3n with eyes and ears has them too."""
    hidden, layers, narrow = config.hidden_size, config.num_hidden_layers, config.hidden_size_per_layer_input
    schedule = layer_kinds(layers, config.layer_types, full_every(5))
    borrows = borrowing_layers(schedule, config.num_kv_shared_layers)
    kinds = zip(schedule, borrows, _inner_sizes(config), strict=True)
    streams = repeat(config.altup_num_inputs - 1, linear(hidden, hidden))
    return module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=stack_of(kinds, lambda kind: _layer(config, *kind)),
        norm=rms_norm(hidden),
        embed_tokens_per_layer=embedding(config.vocab_size_per_layer_input, layers * narrow),
        per_layer_model_projection=linear(hidden, layers * narrow),
        per_layer_projection_norm=rms_norm(narrow),
        altup_projections=streams,
        altup_unembed_projections=streams,
    )


def _inner_sizes(config: Gemma3nTextConfig) -> list[int]:
    """The MLP's width in each layer; equal widths bear the name of the first, so that their layers are one."""
    given, layers = config.intermediate_size, config.num_hidden_layers
    if not isinstance(given, list):
        return [given] * layers
    first: dict[int, int] = {}
    return [first.setdefault(size, size) for size in checked_length(given, layers, "intermediate_size")]


def _layer(config: Gemma3nTextConfig, kind: str, borrows: bool, inner: int) -> Module:
    hidden, streams = config.hidden_size, config.altup_num_inputs
    norms = ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")
    own = _attention(config, config.sliding_window if kind == SLIDING else None)
    return module(
        None,
        "pre- and post-norm",
        self_attn=borrowed_cache(own) if borrows else own,
        mlp=gated_mlp(hidden, inner, activation=config.hidden_activation),
        **{name: rms_norm(hidden) for name in norms},
        altup=module(
            None,
            f"AltUp {streams}",
            correct_output_scale=Tensor((hidden,), Use.SCALE),
            correction_coefs=linear(streams, streams),
            prediction_coefs=linear(streams, streams * streams),
            modality_router=linear(hidden, streams),
            router_norm=rms_norm(hidden),
        ),
        laurel=module(
            linear_left=linear(hidden, config.laurel_rank),
            linear_right=linear(config.laurel_rank, hidden),
            post_laurel_norm=rms_norm(hidden),
        ),
        **per_layer_input(hidden, config.hidden_size_per_layer_input),
    )


def per_layer_input(hidden: int, narrow: int) -> dict[str, Module]:
    """What a layer does with its own row of the per-layer table: a gate, a projection back, a norm."""
    return {
        "per_layer_input_gate": linear(hidden, narrow),
        "per_layer_projection": linear(narrow, hidden),
        "post_per_layer_input_norm": rms_norm(hidden),
    }


def _attention(config: Gemma3nTextConfig, window: int | None) -> Module:
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(config.head_dim),
        key_norm=rms_norm(config.head_dim),
        window=window,
        positions=config.rope,
    )

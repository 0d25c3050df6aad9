"""Dory: a normalised transformer (nGPT) whose middle layers are applied in loops."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ..blocks import attention, embedding, gated_mlp, linear
from ..config import Count, CountOrZero, DecoderConfig, Index, Size
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import SLIDING, checked_length, full_every, layer_kinds, stack_of
from ..tree import Module, Role, Tensor, Use, module

PAIRED = "mlp"  # a config that lists MLPs among its layers counts two for each of ours


class DoryConfig(DecoderConfig, Rotary):
    vocab_size: Size = 131072
    hidden_size: Size = 2560
    intermediate_size: Size = 7168
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 16
    num_key_value_heads: Count = 4
    head_dim: Size = 256
    attention_bias: bool = False
    mlp_bias: bool = False
    sliding_window: Size = 1024
    layer_types: list[str] | None = None
    n_input_layers: CountOrZero = 8
    n_recurrent_layers: Index | None = None
    n_output_layers: CountOrZero = 8
    n_recurrent_loops: Count = 2
    recurrent_kv_cache_mode: Literal["per_loop", "last_loop"] = "per_loop"
    hidden_act: str = "silu"

    def kinds(self) -> list[tuple[str, bool]]:
        """For each layer how it attends, and whether it is one of the looped ones between input and output."""
        given, layers = self.layer_types, self.num_hidden_layers
        first, looped, last = self.n_input_layers, self.n_recurrent_layers, self.n_output_layers
        if looped is not None and first + looped + last != layers:
            parts = f"n_input_layers, n_recurrent_layers and n_output_layers are {first}, {looped} and {last}"
            raise ConfigValueError(f"{parts}: should sum to num_hidden_layers, {layers}")
        if given is not None and PAIRED in given:
            checked_length(given, layers, "layer_types")
            given, layers, first, last = given[::2], layers // 2, first // 2, last // 2
        attends = layer_kinds(layers, given, full_every(4))
        return [(kind, first <= index < layers - last) for index, kind in enumerate(attends)]


@architecture("dory", config=DoryConfig)
def dory(config: DoryConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size

    def layer(kind: tuple[str, bool]) -> Module:
        attends, is_looped = kind
        return dory_layer(config, config.sliding_window if attends == SLIDING else None, is_looped)

    model = module(embeddings=embedding(vocab, hidden), layers=stack_of(config.kinds(), layer))
    tie = config.tie_word_embeddings
    whole = causal_lm(config, model, hidden=hidden, vocab=vocab, tie=tie, base="backbone", table="embeddings")
    head = dict(whole.children).get("lm_head")
    if not isinstance(head, Module):
        return whole
    return whole.replacing(lm_head=head.extend(logit_scale=Tensor((vocab,), Use.SCALE)))


def dory_layer(config: DoryConfig, window: int | None, is_looped: bool) -> Module:
    """Every layer ends in a step of learned length for each channel: `lambda_1` after attention, `lambda_2` after MLP.

    With `last_loop` only the last pass leaves keys and values, so that the cache is the layer's, not each pass's.
    """
    hidden, inner, step = config.hidden_size, config.intermediate_size, Tensor((config.hidden_size,), Use.SCALE)
    gains = Tensor((inner,), Use.SCALE)
    mlp = gated_mlp(hidden, inner, bias=config.mlp_bias, activation=config.hidden_act)
    mlp = mlp.extend(suv_gate=gains, suv_up=gains)
    self_attn, passes = dory_attention(config, window), config.n_recurrent_loops if is_looped else 1
    kept = self_attn.cache
    if config.recurrent_kv_cache_mode == "last_loop":
        self_attn = replace(self_attn, cache=None)
        layer = module(None, "pre- and post-norm", self_attn=self_attn.marked(uses=passes), mlp=mlp.marked(uses=passes))
        return layer.extend(lambda_1=step, lambda_2=step).marked(cache=kept)
    layer = module(None, "pre- and post-norm", self_attn=self_attn, mlp=mlp, lambda_1=step, lambda_2=step)
    return layer.marked(uses=passes)


def dory_attention(config: DoryConfig, window: int | None) -> Module:
    """Attention on the unit sphere: queries rescaled by `sqk`, the output through a gate rescaled by `s_gate`."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    rows, unit = heads * head_dim, module(Role.NORM, "L2 norm")
    scale = Tensor((rows,), Use.SCALE)
    return attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=unit,
        key_norm=unit,
        window=window,
        positions=config.rope,
    ).extend(g_proj=linear(hidden, rows), sqk=scale, s_gate=scale)

"""NLLB-MoE: M2M-100 with experts in every n-th layer, of which a token visits two."""

from __future__ import annotations

from ..blocks import fairseq_attention, layer_norm, mlp, named_experts
from ..config import Count, CountOrZero
from ..registry import architecture
from ..schedules import stack_of
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, module
from .m2m_100 import M2m100Config


class NllbMoeConfig(M2m100Config):
    num_experts: Count = 128
    encoder_sparse_step: CountOrZero = 4
    decoder_sparse_step: CountOrZero = 4
    router_bias: bool = False


@architecture("nllb-moe", config=NllbMoeConfig)
def nllb_moe(config: NllbMoeConfig) -> Module:
    encoder, decoder = _side(config, "encoder"), _side(config, "decoder")
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    return seq2seq(config, encoder, decoder, words, logits_bias=False, has_causal_class=False)


def _side(config: NllbMoeConfig, side: str) -> Module:
    """Of every `…_sparse_step` layers the last has experts; with a step of 0 none has."""
    if side == "encoder":
        layers, step = config.encoder_layers, config.encoder_sparse_step
    else:
        layers, step = config.decoder_layers, config.decoder_sparse_step
    is_sparse = [step > 0 and (index + 1) % step == 0 for index in range(layers)]
    stacked = stack_of(is_sparse, lambda sparse: _layer(config, side, sparse))
    return module(layers=stacked, layer_norm=layer_norm(config.d_model))


def _layer(config: NllbMoeConfig, side: str, is_sparse: bool) -> Module:
    width, norm = config.d_model, layer_norm(config.d_model)
    if side == "encoder":
        heads, inner = config.encoder_attention_heads, config.encoder_ffn_dim
        own, cross = fairseq_attention(width, heads=heads, causal=False, positions="sinusoidal"), None
    else:
        heads, inner = config.decoder_attention_heads, config.decoder_ffn_dim
        own = fairseq_attention(width, heads=heads, positions="sinusoidal")
        cross = fairseq_attention(width, heads=heads, source_width=width, positions="sinusoidal")
    return module(
        None,
        "pre-norm",
        self_attn=own,
        self_attn_layer_norm=norm,
        cross_attention=cross,
        cross_attention_layer_norm=norm if cross else None,
        ffn=_feed_forward(config, inner, is_sparse),
        ff_layer_norm=norm,
    )


def _feed_forward(config: NllbMoeConfig, inner: int, is_sparse: bool) -> Module:
    activation = config.activation_function
    if not is_sparse:
        return mlp(config.d_model, inner, activation=activation)
    return named_experts(
        config.d_model,
        inner,
        experts=config.num_experts,
        active=2,
        activation=activation,
        bias=True,
        names=("fc1", "fc2"),
        router_bias=config.router_bias,
    )

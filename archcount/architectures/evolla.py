"""Evolla (Zhou et al. 2025): an ESM-2 reads a protein, latents read that, and some of a Llama's layers read them.

Longer than most: an encoder, latents and an adapter, each in a form no other family has.
"""

from __future__ import annotations

from ..blocks import (
    attention,
    embedding,
    encoder_attention,
    encoder_embeddings,
    encoder_layer,
    layer_norm,
    linear,
    lm_head,
    mlp,
    paired_attention,
    position_embedding,
    rms_norm,
)
from ..config import Count, Schema, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, Storage, Tensor, Use, module, repeat, stack
from .llama import LlamaConfig, llama_layer


class SaProtConfig(Schema):
    vocab_size: Size = 446
    hidden_size: Size = 1280
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 33
    num_attention_heads: Count = 20
    max_position_embeddings: Size = 1026
    position_embedding_type: str = "rotary"
    emb_layer_norm_before: bool = False


class EvollaConfig(LlamaConfig):
    protein_encoder_config: SaProtConfig = SaProtConfig()
    vocab_size: Size = 128_256
    intermediate_size: Size = 14_336
    num_key_value_heads: Count | None = 8
    aligner_ffn_mult: Size = 4
    aligner_enable_bias: bool = True
    aligner_num_add_layers: Count = 8
    resampler_depth: Count = 6
    resampler_dim_head: Size = 64
    resampler_heads: Count = 8
    resampler_num_latents: Size = 64
    resampler_ff_mult: Size = 4


@architecture("evolla", config=EvollaConfig)
def evolla(config: EvollaConfig) -> Module:
    """Its class never ties the head, whatever `tie_word_embeddings` says."""
    hidden, vocab, layers = config.hidden_size, config.vocab_size, config.num_hidden_layers
    every, plain = max(layers // config.aligner_num_add_layers, 1), llama_layer(config)
    reading = plain.extend(adapter=_adapter(config))
    reader = module(model=_saprot(config.protein_encoder_config), sequence_compressor_resampler=_latents(config))
    model = module(
        embed_tokens=embedding(vocab, hidden),
        protein_encoder=reader,
        layers=stack([plain if (index + 1) % every else reading for index in range(layers)]),
        norm=rms_norm(hidden),
    )
    if config.class_name == "EvollaModel":
        return model
    if config.class_name not in ("", "EvollaForProteinText2Text"):
        raise unknown_class(config)
    return module(model=model, lm_head=lm_head(hidden, vocab))


def _saprot(config: SaProtConfig) -> Module:
    """ESM-2 on amino acids and what surrounds them; its frequencies are saved."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    norms, positions = ("attention.LayerNorm", "LayerNorm"), config.position_embedding_type
    word = "RoPE" if positions == "rotary" else "learned"
    reading = encoder_attention(hidden, heads=heads, positions=word, norms=norms)
    layer = encoder_layer(hidden, config.intermediate_size, attention=reading, norms=norms, kind="pre-norm")
    tables = encoder_embeddings(hidden, vocab=config.vocab_size, norm=False).extend(
        layer_norm=layer_norm(hidden) if config.emb_layer_norm_before else None,
        position_embeddings=position_embedding(config.max_position_embeddings, hidden)
        if positions == "absolute"
        else None,
    )
    frequencies = Tensor((exact_div(hidden, heads) // 2,), storage=Storage.BUFFER)
    return module(
        embeddings=tables,
        rotary_embeddings=module(inv_freq=frequencies),
        encoder=module(layer=repeat(config.num_hidden_layers, layer), emb_layer_norm_after=layer_norm(hidden)),
    ).marked(section="encoder")


def _latents(config: EvollaConfig) -> Module:
    """`latents` that read a protein and one another, layer after layer, and a matrix to the language model's width."""
    width, hidden = config.protein_encoder_config.hidden_size, config.hidden_size
    reading = paired_attention(
        width, heads=config.resampler_heads, head_dim=config.resampler_dim_head, source_width=width
    ).prepend(norm_media=layer_norm(width), norm_latents=layer_norm(width))
    return module(
        latents=Tensor((config.resampler_num_latents, width)),
        layers=repeat(config.resampler_depth, stack([reading, _feed_forward(width, config.resampler_ff_mult)])),
        norm=layer_norm(hidden),
        protein_projector=linear(width, hidden, bias=True),
    ).marked(section="projector")


def _adapter(config: EvollaConfig) -> Module:
    """After a layer: attention to the latents and an MLP, which training opens by two gates from 0."""
    hidden, heads, gate = config.hidden_size, config.num_attention_heads, Tensor((1,), Use.SCALE)
    reading = attention(
        hidden,
        heads=heads,
        head_dim=exact_div(hidden, heads),
        bias=True,
        out_bias=config.aligner_enable_bias,
        source_width=hidden,
        names=("query", "key_protein", "value_protein", "out_proj"),
    )
    return reading.extend(
        attention_norm=rms_norm(hidden),
        gate_attention=gate,
        gate_ffw=gate,
        ff=_feed_forward(hidden, config.aligner_ffn_mult),
    )


def _feed_forward(width: int, times: int) -> Module:
    return mlp(width, width * times, bias=False, activation="gelu", names=("fc1", "fc2")).prepend(
        norm=layer_norm(width)
    )

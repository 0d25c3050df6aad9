"""Byte Latent Transformer: bytes gathered into patches, a large model over patches, and bytes read out again.

Longer than most: it is four transformers, each with a schema of its own, and what reads from one to the next.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, gated_mlp, linear, lm_head, pre_norm_layer, rms_norm
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..heads import has_language_head, with_head
from ..registry import architecture
from ..tree import Module, Stack, module, repeat, tied


class _BltPart(Schema):
    """A stack of Llama's layers; each part of the model states its own sizes."""

    hidden_size: Size
    num_attention_heads: Count
    num_key_value_heads: Count | None = None
    num_hidden_layers: Count
    intermediate_size: Size | None = None
    hidden_act: str = "silu"
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim"})


class BltEncoderConfig(_BltPart):
    model_type: str = "blt_local_encoder"
    vocab_size: Size = 260
    hidden_size: Size = 1024
    num_attention_heads: Count = 16
    num_hidden_layers: Count = 1
    cross_attn_all_layers: bool = False
    cross_attn_k: Count = 2


class BltDecoderConfig(_BltPart):
    model_type: str = "blt_local_decoder"
    hidden_size: Size = 1024
    hidden_size_global: Size = 2048
    num_attention_heads: Count = 16
    num_hidden_layers: Count = 9
    intermediate_size: Size | None = 2816
    cross_attn_all_layers: bool = True
    cross_attn_k: Count = 2
    ignored: ClassVar[frozenset[str]] = frozenset({"vocab_size"})


class BltGlobalConfig(_BltPart):
    model_type: str = "blt_global_transformer"
    hidden_size: Size = 2048
    num_attention_heads: Count = 16
    num_hidden_layers: Count = 25
    intermediate_size: Size | None = 5632


class BltPatcherConfig(_BltPart):
    model_type: str = "blt_patcher"
    vocab_size: Size = 260
    hidden_size: Size = 768
    num_attention_heads: Count = 12
    num_hidden_layers: Count = 14
    intermediate_size: Size | None = 2048
    sliding_window: Size | None = 512


class BltConfig(ModelConfig):
    vocab_size: Size = 260
    patch_in_forward: bool = True
    local_attention_window_len: Size | None = 512
    cross_attn_k: Count = 2
    encoder_hash_byte_group_size: list[Size] | None = None
    encoder_hash_byte_group_vocab: Size = 500002
    encoder_hash_byte_group_nb_functions: Count = 1
    encoder_config: BltEncoderConfig = BltEncoderConfig()
    decoder_config: BltDecoderConfig = BltDecoderConfig()
    global_config: BltGlobalConfig = BltGlobalConfig()
    patcher_config: BltPatcherConfig = BltPatcherConfig()
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"patch_size", "patching_batch_size"})


@architecture("blt", config=BltConfig)
def blt(config: BltConfig) -> Module:
    encoder, decoder, hidden = config.encoder_config, config.decoder_config, config.decoder_config.hidden_size
    groups = len(config.encoder_hash_byte_group_size or range(3, 9))
    hashed = config.encoder_hash_byte_group_vocab * (config.encoder_hash_byte_group_nb_functions * groups)
    table = embedding(encoder.vocab_size, encoder.hidden_size)
    if config.tie_word_embeddings and has_language_head(config):  # then it is the head's, whatever the encoder's sizes
        table = tied(embedding(config.vocab_size, hidden), "lm_head")
    model = module(
        local_encoder=_local_encoder(config, table),
        global_transformer=_global_transformer(config),
        local_decoder=_local_decoder(decoder),
        encoder_hash_tok_embedding=embedding(hashed, encoder.hidden_size),
        patcher=_patcher(config.patcher_config) if config.patch_in_forward else None,
    )
    return with_head(config, model, {"lm_head": lm_head(hidden, config.vocab_size)}, hidden=hidden)


def _local_encoder(config: BltConfig, table: Module) -> Module:
    encoder = config.encoder_config
    width = encoder.hidden_size
    return module(
        layers=_layers(encoder, config.local_attention_window_len),
        patch_embedding_projection=linear(width, width * encoder.cross_attn_k),
        embed_tokens=table,
        cross_attn_layers=_cross_attention(encoder),
    )


def _global_transformer(config: BltConfig) -> Module:
    """Patches come in at `cross_attn_k` times the encoder's width, and through a matrix where that is another."""
    patch, width = config.encoder_config.hidden_size * config.cross_attn_k, config.global_config.hidden_size
    return module(
        layers=_layers(config.global_config),
        token_embedding_projection=linear(patch, width) if patch != width else None,
    )


def _local_decoder(decoder: BltDecoderConfig) -> Module:
    return module(
        layers=_layers(decoder),
        patch_embedding_projection=linear(decoder.hidden_size_global, decoder.hidden_size * decoder.cross_attn_k),
        norm=rms_norm(decoder.hidden_size),
        cross_attn_layers=_cross_attention(decoder),
    )


def _patcher(patcher: BltPatcherConfig) -> Module:
    """A small model of bytes whose entropy decides where a patch ends."""
    return module(
        layers=_layers(patcher, patcher.sliding_window),
        embed_tokens=embedding(patcher.vocab_size, patcher.hidden_size),
        norm=rms_norm(patcher.hidden_size),
        lm_head=lm_head(patcher.hidden_size, patcher.vocab_size),
    )


def _layers(part: _BltPart, window: int | None = None) -> Stack:
    width, heads = part.hidden_size, part.num_attention_heads
    self_attn = attention(
        width,
        heads=heads,
        kv_heads=part.num_key_value_heads,
        head_dim=exact_div(width, heads),
        window=window,
        positions="RoPE",
    )
    mlp = gated_mlp(width, part.intermediate_size or 8 * width // 3, activation=part.hidden_act)
    return repeat(part.num_hidden_layers, pre_norm_layer(self_attn, mlp, rms_norm(width)))


def _cross_attention(part: BltEncoderConfig | BltDecoderConfig) -> Stack:
    """Between bytes and patches, after every layer or after one."""
    width, heads = part.hidden_size, part.num_attention_heads
    cross = attention(
        width,
        heads=heads,
        kv_heads=part.num_key_value_heads,
        head_dim=exact_div(width, heads),
        query_norm=rms_norm(width),
        key_norm=rms_norm(width),
        causal=False,
    )
    return repeat(part.num_hidden_layers if part.cross_attn_all_layers else 1, cross)

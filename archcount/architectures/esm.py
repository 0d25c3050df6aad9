"""ESM-1b and ESM-2, which read proteins: RoBERTa with its norms before, rotary positions, and a contact head."""

from __future__ import annotations

from typing import Literal

from ..blocks import (
    encoder_attention,
    encoder_embeddings,
    encoder_layer,
    layer_norm,
    linear,
    lm_head,
    position_embedding,
)
from ..blocks.linear import bias_of
from ..config import Count, ModelConfig, Size
from ..encoder_heads import encoder, pooler
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module, Role, Storage, module, repeat
from .bert import OLD_NORM


class EsmConfig(ModelConfig):
    vocab_size: Size
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 1026
    position_embedding_type: Literal["absolute", "rotary"] = "absolute"
    emb_layer_norm_before: bool = False
    is_folding_model: bool = False
    tie_word_embeddings: bool = True


@architecture("esm", config=EsmConfig, renamed=OLD_NORM)
def esm(config: EsmConfig) -> Module:
    if config.is_folding_model:
        raise ConfigValueError("is_folding_model is true: ESMFold is not known here; set it to false for its ESM-2")
    hidden, vocab, is_rotary = config.hidden_size, config.vocab_size, config.position_embedding_type == "rotary"
    norms, positions = ("attention.LayerNorm", "LayerNorm"), "RoPE" if is_rotary else "learned"
    attention = encoder_attention(hidden, heads=config.num_attention_heads, positions=positions, norms=norms)
    layer = encoder_layer(hidden, config.intermediate_size, attention=attention, norms=norms, kind="pre-norm")
    tables = encoder_embeddings(hidden, vocab=vocab, norm=False)
    tables = tables.extend(position_embeddings=_positions(config, is_rotary=is_rotary))
    norm = layer_norm(hidden) if config.emb_layer_norm_before else None
    contacts = linear(config.num_hidden_layers * config.num_attention_heads, 1, bias=True)
    layers = repeat(config.num_hidden_layers, layer)
    model = module(
        embeddings=tables.extend(layer_norm=norm),
        encoder=module(layer=layers, emb_layer_norm_after=layer_norm(hidden)),
        contact_head=module(Role.OTHER, regression=contacts),
    )
    head = {"lm_head": _language_head(config)}
    return encoder(
        config, model, base="esm", hidden=hidden, language_head=head, pooler=pooler(hidden), deep_classifier=True
    )


def _positions(config: EsmConfig, *, is_rotary: bool) -> Module | None:
    """Transformers 4 stored a table of positions, which a model with rotary ones never reads."""
    count, hidden = config.max_position_embeddings, config.hidden_size
    if not is_rotary:
        return position_embedding(count, hidden)
    if not config.is_written_by_transformers_4:
        return None
    return position_embedding(count, hidden, kind="positions never read", storage=Storage.BUFFER)


def _language_head(config: EsmConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    table = "esm.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    return module(
        Role.HEAD,
        bias=bias_of(vocab),
        dense=linear(hidden, hidden, bias=True),
        layer_norm=layer_norm(hidden),
        decoder=lm_head(hidden, vocab, tied_to=table),
    )

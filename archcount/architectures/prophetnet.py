"""ProphetNet: an encoder-decoder that predicts several tokens at once, with relative positions in its decoder."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, bidirectional_attention, embedding, layer_norm, linear, lm_head, mlp, position_embedding
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, module, repeat, tied

NAMES = ("query_proj", "key_proj", "value_proj", "out_proj")


class ProphetNetConfig(ModelConfig):
    vocab_size: Size = 30522
    hidden_size: Size = 1024
    encoder_ffn_dim: Size = 4096
    num_encoder_layers: Count = 12
    num_encoder_attention_heads: Count = 16
    decoder_ffn_dim: Size = 4096
    num_decoder_layers: Count = 12
    num_decoder_attention_heads: Count = 16
    max_position_embeddings: Size = 512
    ngram: Size = 2
    num_buckets: Size = 32
    add_cross_attention: bool = True
    activation_function: str = "gelu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_heads": "num_encoder_attention_heads"}


@architecture("prophetnet", config=ProphetNetConfig)
def prophetnet(config: ProphetNetConfig) -> Module:
    name, width, vocab, tie = config.class_name, config.hidden_size, config.vocab_size, config.tie_word_embeddings
    bare, alone = name.endswith("Model"), name.endswith("ForCausalLM")
    if name and not bare and not alone and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    table = embedding(vocab, width)
    again = tied(table, "word_embeddings" if bare else "prophetnet.word_embeddings") if tie else table
    encoder = _encoder(config).prepend(word_embeddings=again).marked(section="encoder")
    decoder = _decoder(config).prepend(word_embeddings=again).marked(section="decoder")
    model = module(word_embeddings=table, encoder=None if alone else encoder, decoder=decoder)
    tied_to = "prophetnet.word_embeddings.weight" if tie else None
    return model if bare else module(prophetnet=model, lm_head=lm_head(width, vocab, tied_to=tied_to))


def _encoder(config: ProphetNetConfig) -> Module:
    width, heads = config.hidden_size, config.num_encoder_attention_heads
    self_attn = bidirectional_attention(width, heads=heads, names=NAMES)
    parts = {**_part("self_attn", self_attn, width), **_feed_forward(config, config.encoder_ffn_dim)}
    layer = module(None, "post-norm", **parts)
    return module(**_tables(config), layers=repeat(config.num_encoder_layers, layer))


def _decoder(config: ProphetNetConfig) -> Module:
    width, heads = config.hidden_size, config.num_decoder_attention_heads
    head_dim = exact_div(width, heads)
    self_attn = attention(width, heads=heads, head_dim=head_dim, bias=True, positions="relative", names=NAMES)
    self_attn = self_attn.extend(relative_pos_embeddings=linear(width, config.num_buckets * heads, bias=True))
    cross = attention(width, heads=heads, head_dim=head_dim, bias=True, source_width=width, names=NAMES)
    layer = module(
        None,
        "post-norm",
        **_part("self_attn", self_attn, width),
        **(_part("cross_attn", cross, width) if config.add_cross_attention else {}),
        **_feed_forward(config, config.decoder_ffn_dim),
    )
    tables = {**_tables(config), "ngram_embeddings": embedding(config.ngram, width)}
    return module(**tables, layers=repeat(config.num_decoder_layers, layer))


def _tables(config: ProphetNetConfig) -> dict[str, Module]:
    width = config.hidden_size
    positions = position_embedding(config.max_position_embeddings, width)
    return {"position_embeddings": positions, "embeddings_layer_norm": layer_norm(width)}


def _part(name: str, part: Module, width: int) -> dict[str, Module]:
    return {name: part, f"{name}_layer_norm": layer_norm(width)}


def _feed_forward(config: ProphetNetConfig, inner: int) -> dict[str, Module]:
    width, names = config.hidden_size, ("intermediate", "output")
    return _part("feed_forward", mlp(width, inner, activation=config.activation_function, names=names), width)

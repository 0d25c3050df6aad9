"""OPT: fairseq's decoder with learned positions, in one size narrower at both ends than inside."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, fairseq_attention, fairseq_layer, layer_norm, linear, position_embedding
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class OptConfig(ModelConfig):
    vocab_size: Size = 50272
    hidden_size: Size = 768
    ffn_dim: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 2048
    word_embed_proj_dim: Size | None = None
    do_layer_norm_before: bool = True
    remove_final_layer_norm: bool = False
    enable_bias: bool = True
    layer_norm_elementwise_affine: bool = True
    activation_function: str = "relu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"_remove_final_layer_norm": "remove_final_layer_norm"}


@architecture("opt", config=OptConfig, spellings={"decoder.": "model.decoder."})
def opt(config: OptConfig) -> Module:
    width, vocab, before = config.hidden_size, config.vocab_size, config.do_layer_norm_before
    outer = config.word_embed_proj_dim or width
    affine = config.layer_norm_elementwise_affine
    norm = layer_norm(width, weight=affine, bias=affine)
    layer = fairseq_layer(
        width,
        config.ffn_dim,
        self_attn=fairseq_attention(width, heads=config.num_attention_heads, bias=config.enable_bias),
        activation=config.activation_function,
        bias=config.enable_bias,
        norm=norm,
        kind="pre-norm" if before else "post-norm",
    )
    decoder = module(
        embed_tokens=embedding(vocab, outer),
        embed_positions=position_embedding(config.max_position_embeddings + 2, width),  # the first two: padding
        project_out=linear(width, outer) if outer != width else None,
        project_in=linear(outer, width) if outer != width else None,
        final_layer_norm=norm if before and not config.remove_final_layer_norm else None,
        layers=repeat(config.num_hidden_layers, layer),
    )
    tie, table = config.tie_word_embeddings, "decoder.embed_tokens"
    return causal_lm(config, module(decoder=decoder), hidden=outer, vocab=vocab, tie=tie, table=table)

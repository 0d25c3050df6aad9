"""CPM-Ant: a decoder with buckets of relative positions and prompts that stand among its token embeddings."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import attention, embedding, gated_mlp, rms_norm
from ..config import Count, ModelConfig, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, Role, Tensor, module, repeat


class CpmAntConfig(ModelConfig):
    vocab_size: Size = 30720
    hidden_size: Size = 4096
    num_attention_heads: Count = 32
    dim_head: Size = 128
    dim_ff: Size = 10240
    num_hidden_layers: Count = 48
    position_bias_num_buckets: Size = 512
    prompt_types: Size = 32
    prompt_length: Size = 32
    segment_types: Size = 32
    tie_word_embeddings: bool = True  # the table is longer than the head: never tied, whatever this says


@architecture("cpmant", config=CpmAntConfig)
def cpmant(config: CpmAntConfig) -> Module:
    width, vocab, heads = config.hidden_size, config.vocab_size, config.num_attention_heads
    names = ("project_q", "project_k", "project_v", "attention_out")
    attend = attention(width, heads=heads, head_dim=config.dim_head, positions="relative", names=names)
    layer = module(
        None,
        "pre-norm",
        self_att=module(layernorm_before_attention=rms_norm(width), self_attention=attend),
        ffn=module(layernorm_before_ffn=rms_norm(width), ffn=_gated_in_two_steps(width, config.dim_ff)),
    )
    relations = config.segment_types * config.segment_types + config.position_bias_num_buckets
    model = module(
        encoder=module(layers=repeat(config.num_hidden_layers, layer), output_layernorm=rms_norm(width)),
        segment_embedding=embedding(config.segment_types, width),
        input_embedding=embedding(vocab + config.prompt_types * config.prompt_length, width),
        position_bias=module(Role.EMBEDDING, relative_attention_bias=Tensor((relations, heads))),
    )
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=False, base="cpmant")


def _gated_in_two_steps(width: int, inner: int) -> Module:
    """A gated MLP whose first two matrices stand under `w_in`."""
    flat = gated_mlp(width, inner, activation="gelu", names=("w_0", "w_1", "w_out"))
    *into, out = flat.children
    return replace(flat, children=(("w_in", Module(tuple(into))), out))

"""Nomic BERT: BERT with rotary positions, one matrix for queries, keys and values, and in its second form experts."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    encoder_embeddings,
    fused_attention,
    gated_mlp,
    layer_norm,
    linear,
    mixture,
    mlp,
    routed_to,
    router,
)
from ..blocks.linear import bias_of
from ..blocks.mlp import activation_name
from ..config import Count, CountOrZero, ModelConfig, Size, SizeOrZero
from ..dim import exact_div
from ..encoder_heads import biased_twice, encoder, pooler
from ..errors import ConfigValueError
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, Tensor, Use, module


class NomicBertConfig(ModelConfig, Rotary):
    """The published files spell their keys as GPT-2 does."""

    vocab_size: Size = 30528
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    head_dim: Size | None = None
    type_vocab_size: SizeOrZero = 2
    hidden_act: str = "silu"
    qkv_proj_bias: bool = False
    mlp_fc1_bias: bool = False
    mlp_fc2_bias: bool = False
    num_experts: CountOrZero = 0
    moe_every_n_layers: CountOrZero = 0
    moe_top_k: Count = 2
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "n_embd": "hidden_size",
        "n_inner": "intermediate_size",
        "n_layer": "num_hidden_layers",
        "n_head": "num_attention_heads",
        "activation_function": "hidden_act",
    }


@architecture("nomic_bert", config=NomicBertConfig)
def nomic_bert(config: NomicBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    every = config.moe_every_n_layers if config.num_experts else 0
    sparse = [bool(every) and index % every == 1 for index in range(config.num_hidden_layers)]
    heads, bias = config.num_attention_heads, config.qkv_proj_bias
    head_dim = config.head_dim or exact_div(hidden, heads)
    attn = rotary_attention(hidden, heads=heads, head_dim=head_dim, bias=bias, positions=config.rope)
    mlps = {True: _experts, False: _mlp}
    layers = stack_of(sparse, lambda is_sparse: rotary_layer(hidden, attn=attn, mlp=mlps[is_sparse](config)))
    tables = encoder_embeddings(hidden, vocab=vocab, types=config.type_vocab_size or None, norm=False)
    model = module(embeddings=tables, emb_ln=layer_norm(hidden), encoder=module(layers=layers))
    pooled = pooler(hidden) if config.class_name.endswith("ForSequenceClassification") else None
    head = _language_head(config)
    return encoder(config, model, base="nomic_bert", hidden=hidden, language_head=head, pooler=pooled)


def rotary_layer(hidden: int, **parts: Module) -> Module:
    """Attention and MLP under the names given, a norm after each."""
    return module(None, "post-norm", **parts, norm1=layer_norm(hidden), norm2=layer_norm(hidden))


def rotary_attention(hidden: int, *, heads: int, head_dim: int, bias: bool, positions: str) -> Module:
    """`Wqkv` and `out_proj`, both ways."""
    names = ("Wqkv", "out_proj")
    return fused_attention(
        hidden, heads=heads, head_dim=head_dim, bias=bias, positions=positions, causal=False, names=names
    )


def _mlp(config: NomicBertConfig) -> Module:
    hidden, inner, bias = config.hidden_size, config.intermediate_size, config.mlp_fc1_bias
    if bias != config.mlp_fc2_bias:
        raise ConfigValueError(f"mlp_fc1_bias is {bias} and mlp_fc2_bias is not: an MLP of that kind is not known here")
    if config.hidden_act in ("silu", "swiglu"):
        return gated_mlp(hidden, inner, bias=bias, activation="silu", names=("fc12", "fc11", "fc2"))
    return mlp(hidden, inner, bias=bias, activation=config.hidden_act)


def _experts(config: NomicBertConfig) -> Module:
    """All experts' matrices one below the other [experts × inner, hidden], and one bias after them."""
    hidden, experts, active = config.hidden_size, config.num_experts, config.moe_top_k
    matrix = Tensor((experts * config.intermediate_size, hidden), Use.MATMUL)
    both = module(w1=matrix, w2=matrix).marked(routed=routed_to(active, experts))
    kind = activation_name(config.hidden_act, gated=False)
    packed = module(Role.EXPERTS, kind, mlp=both, bias=bias_of(hidden))
    return mixture(experts, active, router=module(layer=router(hidden, experts)), experts=packed)


def _language_head(config: NomicBertConfig) -> dict[str, Module]:
    hidden, vocab = config.hidden_size, config.vocab_size
    table = "nomic_bert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    predictions = module(
        bias=bias_of(vocab),
        transform=module(dense=linear(hidden, hidden, bias=True), layer_norm=layer_norm(hidden)),
        decoder=biased_twice(hidden, vocab, table=table, bias="cls.predictions.bias"),
    )
    return {"cls": module(Role.HEAD, predictions=predictions)}

"""Nomic BERT and Jina Embeddings 3: BERT's layers with rotary positions, one matrix for queries, keys and values."""

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
from ..encoder_heads import biased_twice, encoder, pooler, roberta_head
from ..errors import ConfigValueError
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Role, Tensor, Use, module, repeat


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


class JinaEmbeddingsV3Config(ModelConfig, Rotary):
    vocab_size: Size = 250002
    hidden_size: Size = 1024
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 16
    type_vocab_size: Size = 1
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


@architecture("nomic_bert", config=NomicBertConfig)
def nomic_bert(config: NomicBertConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    every = config.moe_every_n_layers if config.num_experts else 0
    sparse = [bool(every) and index % every == 1 for index in range(config.num_hidden_layers)]
    attn = _attention(config, config.head_dim, bias=config.qkv_proj_bias)
    mlps = {True: _experts, False: _mlp}
    layers = stack_of(sparse, lambda is_sparse: _layer(hidden, attn=attn, mlp=mlps[is_sparse](config)))
    tables = encoder_embeddings(hidden, vocab=vocab, types=config.type_vocab_size or None, norm=False)
    model = module(embeddings=tables, emb_ln=layer_norm(hidden), encoder=module(layers=layers))
    pooled = pooler(hidden) if config.class_name.endswith("ForSequenceClassification") else None
    head = _language_head(config)
    return encoder(config, model, base="nomic_bert", hidden=hidden, language_head=head, pooler=pooled)


@architecture("jina_embeddings_v3", config=JinaEmbeddingsV3Config)
def jina_embeddings_v3(config: JinaEmbeddingsV3Config) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    dense = mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = _layer(hidden, mixer=_attention(config, None, bias=True), mlp=dense)
    tables = encoder_embeddings(hidden, vocab=vocab, types=config.type_vocab_size, norm=False)
    layers = repeat(config.num_hidden_layers, layer)
    model = module(embeddings=tables, emb_ln=layer_norm(hidden), encoder=module(layers=layers))
    table = "roberta.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = roberta_head(hidden, vocab, table=table)
    pooled = pooler(hidden)
    return encoder(
        config, model, base="roberta", hidden=hidden, language_head=head, pooler=pooled, deep_classifier=True
    )


def _layer(hidden: int, **parts: Module) -> Module:
    return module(None, "post-norm", **parts, norm1=layer_norm(hidden), norm2=layer_norm(hidden))


def _attention(config: NomicBertConfig | JinaEmbeddingsV3Config, head_dim: int | None, *, bias: bool) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return fused_attention(
        hidden,
        heads=heads,
        head_dim=head_dim or exact_div(hidden, heads),
        bias=bias,
        positions=config.rope,
        causal=False,
        names=("Wqkv", "out_proj"),
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

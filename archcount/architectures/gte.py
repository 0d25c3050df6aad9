"""GTE 1.5 and multilingual (model_type "new"): BERT with rotary positions, gated MLPs and fused projections."""

from __future__ import annotations

from ..blocks import encoder_embeddings, fused_attention, layer_norm, linear, lm_head
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size, SizeOrZero
from ..dim import exact_div
from ..encoder_heads import encoder, pooler
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class GteConfig(ModelConfig, Rotary):
    vocab_size: Size = 250048
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    type_vocab_size: SizeOrZero = 1
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


class NewConfig(GteConfig):
    vocab_size: Size = 30528


@architecture("gte", config=GteConfig)
def gte(config: GteConfig) -> Module:
    return _model(config, base="gte")


@architecture("new", config=NewConfig)
def new(config: NewConfig) -> Module:
    return _model(config, base="new")


def _model(config: GteConfig, *, base: str) -> Module:
    hidden, vocab, types = config.hidden_size, config.vocab_size, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, types=types or None),
        encoder=module(layer=repeat(config.num_hidden_layers, _layer(config))),
    )
    table = f"{base}.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = module(
        Role.HEAD,
        dense=linear(hidden, hidden, bias=True),
        norm=layer_norm(hidden),
        decoder=lm_head(hidden, vocab, tied_to=table, bias=True),
    )
    pooled = pooler(hidden) if config.class_name.endswith("ForSequenceClassification") else None
    return encoder(config, model, base=base, hidden=hidden, language_head={"lm_head": head}, pooler=pooled)


def _layer(config: GteConfig) -> Module:
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    attention = fused_attention(
        hidden,
        heads=heads,
        head_dim=exact_div(hidden, heads),
        bias=True,
        positions=config.rope,
        causal=False,
        names=("qkv_proj", "o_proj"),
    )
    mlp = module(
        Role.MLP,
        activation_name(config.hidden_act, gated=True),
        up_gate_proj=linear(hidden, 2 * inner),
        down_proj=linear(inner, hidden, bias=True),
    )
    norms = {"attn_ln": layer_norm(hidden), "mlp_ln": layer_norm(hidden)}
    return module(None, "post-norm", attention=attention, mlp=mlp, **norms)

"""EuroBERT: Llama that looks both ways."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, linear, lm_head, pre_norm_layer, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..tree import Module, module, repeat
from .llama import LlamaConfig


class EuroBertConfig(LlamaConfig):
    vocab_size: Size = 128256
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12


@architecture("eurobert", config=EuroBertConfig)
def eurobert(config: EuroBertConfig) -> Module:
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=repeat(config.num_hidden_layers, _layer(config)),
        norm=rms_norm(hidden),
    )
    if not name or name.endswith("ForMaskedLM"):
        table = "model.embed_tokens.weight" if config.tie_word_embeddings else None
        return module(model=model, lm_head=lm_head(hidden, vocab, tied_to=table, bias=config.mlp_bias))
    if name.endswith("ForSequenceClassification"):
        return module(model=model, dense=linear(hidden, hidden, bias=True), classifier=score(hidden, config.labels))
    if name.endswith("ForTokenClassification"):
        return module(model=model, classifier=score(hidden, config.labels))
    if name.endswith("Model"):
        return model
    raise unknown_class(config)


def _layer(config: EuroBertConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
        causal=False,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    return pre_norm_layer(self_attn, mlp, rms_norm(hidden))

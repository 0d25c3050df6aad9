"""ESM C, which reads proteins: Llama's layers with LayerNorms, attention both ways, and a norm of queries and keys."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, layer_norm, linear, pre_norm_layer
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import dense_classifier, score, unknown_class
from ..errors import ConfigValueError
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class EsmcConfig(DecoderConfig, Rotary):
    vocab_size: Size = 64
    hidden_size: Size = 2560
    intermediate_size: Size = 6912
    num_hidden_layers: Count = 80
    num_attention_heads: Count = 40
    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    hidden_act: str = "silu"
    attention_bias: bool = False
    mlp_bias: bool = False


@architecture("esmc", config=EsmcConfig)
def esmc(config: EsmcConfig) -> Module:
    """Its head is never the table of tokens, whatever `tie_word_embeddings` says."""
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=repeat(config.num_hidden_layers, _layer(config)),
        norm=layer_norm(hidden, bias=False),
    )
    if not name or name.endswith("ForMaskedLM"):
        dense, decoder = linear(hidden, hidden, bias=True), linear(hidden, vocab, bias=True)
        return module(
            esmc=model, lm_head=module(Role.HEAD, dense=dense, layer_norm=layer_norm(hidden), decoder=decoder)
        )
    if name.endswith("ForSequenceClassification"):
        return module(esmc=model, classifier=dense_classifier(hidden, config.labels))
    if name.endswith("ForTokenClassification"):
        return module(esmc=model, score=score(hidden, config.labels))
    if name.endswith("Model"):
        return model
    raise unknown_class(config)


def _layer(config: EsmcConfig) -> Module:
    """Raises ConfigValueError: key-value heads of another number than heads, which no class of it builds."""
    hidden, heads, norm = config.hidden_size, config.num_attention_heads, layer_norm(config.hidden_size, bias=False)
    if (config.num_key_value_heads or heads) != heads:
        found = f"num_key_value_heads is {int(config.num_key_value_heads or heads)}"
        raise ConfigValueError(f"{found}: should be num_attention_heads ({int(heads)}), a head of keys for each")
    attend = attention(
        hidden,
        heads=heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        query_norm=norm,
        key_norm=norm,
        positions=config.rope,
        causal=False,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    return pre_norm_layer(attend, mlp, layer_norm(hidden))

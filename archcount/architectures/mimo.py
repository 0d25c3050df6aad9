"""MiMo: Qwen2's layer, and layers that predict a token further ahead."""

from __future__ import annotations

from ..blocks import attention, embedding, gated_mlp, linear, pre_norm_layer, rms_norm
from ..config import CountOrZero
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .qwen2 import Qwen2Config


class MimoConfig(Qwen2Config):
    attention_bias: bool = True
    num_nextn_predict_layers: CountOrZero = 0


@architecture("mimo", config=MimoConfig)
def mimo(config: MimoConfig) -> Module:
    hidden, heads, norm = config.hidden_size, config.num_attention_heads, rms_norm(config.hidden_size)
    layer = pre_norm_layer(
        attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            out_bias=False,
            positions=config.rope,
        ),
        gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act),
        norm,
    )
    ahead = layer.marked(section="mtp").extend(
        token_layernorm=norm,
        hidden_layernorm=norm,
        input_proj=linear(2 * hidden, hidden),
        final_layernorm=norm,
    )
    ahead_layers = config.num_nextn_predict_layers
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, layer),
        norm=norm,
        mtp_layers=repeat(ahead_layers, ahead) if ahead_layers else None,
    )
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=config.tie_word_embeddings)

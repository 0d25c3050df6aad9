"""DiffLlama: Llama with differential attention, whose two softmaxes are weighed by four learned vectors."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, Tensor, repeat
from .llama import LlamaConfig


class DiffLlamaConfig(LlamaConfig):
    hidden_size: Size = 2048
    intermediate_size: Size = 8192
    num_hidden_layers: Count = 16


@architecture("diffllama", config=DiffLlamaConfig)
def diffllama(config: DiffLlamaConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    weigh = Tensor((head_dim,))
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        positions=config.rope,
    ).prepend(lambda_q1=weigh, lambda_k1=weigh, lambda_q2=weigh, lambda_k2=weigh)
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))

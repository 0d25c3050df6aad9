"""HyperCLOVA X: Llama with a further norm after attention and after the MLP, unless `use_post_norm` is off."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .llama import LlamaConfig


class HyperClovaXConfig(LlamaConfig):
    use_post_norm: bool = True


@architecture("hyperclovax", config=HyperClovaXConfig)
def hyperclovax(config: HyperClovaXConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    if config.use_post_norm:
        layer = layer.extend(post_norm1=rms_norm(hidden), post_norm2=rms_norm(hidden)).marked(kind="pre- and post-norm")
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))

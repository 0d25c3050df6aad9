"""StableLM: Llama with LayerNorms, where asked biases on query, key and value, QK-norm and parallel layers."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, layer_norm, pre_norm_layer
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class StableLmConfig(DecoderConfig, Rotary):
    vocab_size: Size = 50304
    hidden_size: Size = 2560
    intermediate_size: Size = 6912
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 32
    use_qkv_bias: bool = False
    qk_layernorm: bool = False
    use_parallel_residual: bool = False
    hidden_act: str = "silu"


@architecture("stablelm", "stablelm_epoch", config=StableLmConfig)  # the latter before transformers had it
def stablelm(config: StableLmConfig) -> Module:
    hidden, heads, kv_heads = config.hidden_size, config.num_attention_heads, config.num_key_value_heads
    head_dim = exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.use_qkv_bias,
        out_bias=False,
        query_norm=norm_of_each(heads, head_dim) if config.qk_layernorm else None,
        key_norm=norm_of_each(kv_heads, head_dim) if config.qk_layernorm else None,
        positions=config.rope,
        norm_names=("q_layernorm", "k_layernorm"),
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    if config.use_parallel_residual:
        layer = module(None, "parallel", self_attn=self_attn, mlp=mlp, input_layernorm=layer_norm(hidden))
    else:
        layer = pre_norm_layer(self_attn, mlp, layer_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), layer_norm(hidden))


def norm_of_each(heads: int, head_dim: int) -> Module:
    """A LayerNorm of its own, without a bias, for every head."""
    return module(Role.NORM, "LayerNorm", norms=repeat(heads, layer_norm(head_dim, bias=False)))

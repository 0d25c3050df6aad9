"""OLMo 2: norms after attention and MLP, none before; query and key are normed across all heads at once."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, post_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, repeat


class OlmoAttentionKeys(DecoderConfig, Rotary):
    """What attention needs in OLMo 2 and after."""

    num_key_value_heads: Count | None = None
    head_dim: Size | None = None
    attention_bias: bool = False


class Olmo2Config(OlmoAttentionKeys):
    vocab_size: Size = 50304
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    hidden_act: str = "silu"


@architecture("olmo2", config=Olmo2Config)
def olmo2(config: Olmo2Config) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = post_norm_layer(olmo_attention(config), mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


def olmo_attention(config: OlmoAttentionKeys, window: int | None = None) -> Module:
    """Attention whose queries and keys are normed over all their heads at once."""
    heads = config.num_attention_heads
    kv_heads, head_dim = config.num_key_value_heads or heads, config.head_dim or exact_div(config.hidden_size, heads)
    return attention(
        config.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        query_norm=rms_norm(heads * head_dim),
        key_norm=rms_norm(kv_heads * head_dim),
        window=window,
        positions=config.rope,
    )

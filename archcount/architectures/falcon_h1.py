"""Falcon-H1: every layer holds attention and a Mamba-2 mixer side by side, then a gated MLP."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat
from .bamba import Mamba2Keys, state_space


class FalconH1Config(Mamba2Keys, DecoderConfig, Rotary):
    vocab_size: Size = 128000
    hidden_size: Size = 4096
    intermediate_size: Size = 14336
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size | None = None
    hidden_act: str = "silu"
    mamba_d_ssm: Size | None = 1024
    mamba_rms_norm: bool = False
    projectors_bias: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False


@architecture("falcon_h1", config=FalconH1Config)
def falcon_h1(config: FalconH1Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    layer = module(
        None,
        "pre-norm",
        feed_forward=gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act),
        mamba=state_space(
            config, hidden, inner=config.mamba_d_ssm, out_bias=config.projectors_bias, norm=config.mamba_rms_norm
        ),
        self_attn=attention(
            hidden,
            heads=heads,
            kv_heads=config.num_key_value_heads,
            head_dim=config.head_dim or exact_div(hidden, heads),
            bias=config.attention_bias,
            positions=config.rope,
        ),
        input_layernorm=rms_norm(hidden),
        pre_ff_layernorm=rms_norm(hidden),
    )
    layers = repeat(config.num_hidden_layers, layer)
    return decoder_lm(config, layers, rms_norm(hidden), norm_name="final_layernorm")

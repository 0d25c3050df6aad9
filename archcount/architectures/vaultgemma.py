"""VaultGemma: Gemma 2 without the norms that follow attention and MLP."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, rms_norm
from ..config import Count, DecoderConfig, Size
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import full_every, layer_kinds, stack_of, windows
from ..tree import Module, module


class VaultGemmaConfig(DecoderConfig, Rotary):
    vocab_size: Size = 256000
    hidden_size: Size = 2304
    intermediate_size: Size = 9216
    num_hidden_layers: Count = 26
    num_attention_heads: Count = 8
    num_key_value_heads: Count = 4
    head_dim: Size = 256
    attention_bias: bool = False
    hidden_activation: str = "gelu_pytorch_tanh"
    sliding_window: Size | None = 4096
    layer_types: list[str] | None = None
    tie_word_embeddings: bool = True


@architecture("vaultgemma", config=VaultGemmaConfig)
def vaultgemma(config: VaultGemmaConfig) -> Module:
    hidden = config.hidden_size
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, full_every(2))

    def layer(window: int | None) -> Module:
        return module(
            None,
            "pre-norm",
            self_attn=attention(
                hidden,
                heads=config.num_attention_heads,
                kv_heads=config.num_key_value_heads,
                head_dim=config.head_dim,
                bias=config.attention_bias,
                window=window,
                positions=config.rope,
            ),
            mlp=gated_mlp(hidden, config.intermediate_size, activation=config.hidden_activation),
            input_layernorm=rms_norm(hidden),
            pre_feedforward_layernorm=rms_norm(hidden),
        )

    return decoder_lm(config, stack_of(windows(kinds, config.sliding_window), layer), rms_norm(hidden))

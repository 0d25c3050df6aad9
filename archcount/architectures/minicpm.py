"""MiniCPM 1, 2 and 4: Llama's layer, by default with a tied head; one of them with experts."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, repeat
from .llama import LlamaConfig


class MiniCpmConfig(LlamaConfig):
    tie_word_embeddings: bool = True
    num_experts: CountOrZero = 0
    num_experts_per_tok: Count = 2
    dim_model_base: Size = 1  # scales the logits, no tensor


@architecture("minicpm", config=MiniCpmConfig)
def minicpm(config: MiniCpmConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    dense = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    mlp = (
        dense
        if not config.num_experts
        else sparse_mlp(
            hidden,
            config.intermediate_size,
            experts=config.num_experts,
            active=config.num_experts_per_tok,
            activation=config.hidden_act,
            expert_names=("w1", "w3", "w2"),
        )
    )
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))

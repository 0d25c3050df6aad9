"""ERNIE 4.5 MoE: DeepSeek-V3's kind of experts in a range of layers, with a dense layer that looks ahead."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, gated_mlp, linear, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Index, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Stack, Tensor, Use, module, repeat, stack


class Ernie45MoeConfig(DecoderConfig, Rotary):
    vocab_size: Size = 103424
    hidden_size: Size = 2560
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 20
    num_key_value_heads: Count = 4
    head_dim: Size | None = None
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    use_bias: bool = False
    moe_intermediate_size: Size = 1536
    moe_k: Count = 6
    moe_num_experts: Count = 64
    moe_num_shared_experts: CountOrZero = 2
    moe_layer_start_index: CountOrZero = 1
    moe_layer_end_index: Index = -1
    moe_layer_interval: Count = 1
    num_nextn_predict_layers: CountOrZero = 0
    also_spelled: ClassVar[dict[str, str]] = {"num_experts": "moe_num_experts", "num_experts_per_tok": "moe_k"}


@architecture("ernie4_5_moe", config=Ernie45MoeConfig)
def ernie4_5_moe(config: Ernie45MoeConfig) -> Module:
    hidden, heads, bias = config.hidden_size, config.num_attention_heads, config.use_bias
    layers = config.num_hidden_layers
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=bias, activation=config.hidden_act)
    dense = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    sparse = pre_norm_layer(self_attn, _experts(config), rms_norm(hidden))
    last = layers - 1 if config.moe_layer_end_index == -1 else config.moe_layer_end_index
    with_experts = range(config.moe_layer_start_index, last + 1)
    is_sparse = [index in with_experts and (index + 1) % config.moe_layer_interval == 0 for index in range(layers)]
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=stack(sparse if chosen else dense for chosen in is_sparse),
        norm=rms_norm(hidden),
        **_look_ahead(config, dense),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, head_bias=bias)


def _experts(config: Ernie45MoeConfig) -> Module:
    hidden, inner, bias = config.hidden_size, config.moe_intermediate_size, config.use_bias
    shared, activation = config.moe_num_shared_experts * inner, config.hidden_act
    correction = Tensor((1, config.moe_num_experts), Use.BIAS)
    return sparse_mlp(
        hidden,
        inner,
        experts=config.moe_num_experts,
        active=config.moe_k,
        activation=activation,
        moe_statics=module(Role.ROUTER, e_score_correction_bias=correction),
        shared_experts=gated_mlp(hidden, shared, bias=bias, activation=activation) if shared else None,
    )


def _look_ahead(config: Ernie45MoeConfig, dense: Module) -> dict[str, Stack]:
    """Multi-token prediction as the published files name it: each part a list of its own beside the layers."""
    hidden, times = config.hidden_size, config.num_nextn_predict_layers
    parts = {
        "mtp_block": dense,
        "mtp_emb_norm": rms_norm(hidden),
        "mtp_hidden_norm": rms_norm(hidden),
        "mtp_linear_proj": linear(2 * hidden, hidden, bias=config.use_bias),
    }
    return {name: repeat(times, part.marked(section="mtp")) for name, part in parts.items()} if times else {}

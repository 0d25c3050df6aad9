"""DeepSeek-MoE and DeepSeek LLM (the first): Llama's attention, fine-grained experts beside shared ones."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..heads import decoder_lm
from ..positions import Rotary
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module


class DeepseekConfig(DecoderConfig, Rotary):
    vocab_size: Size = 102400
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    moe_intermediate_size: Size = 1407
    num_hidden_layers: Count = 30
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    n_shared_experts: CountOrZero | None = None
    n_routed_experts: Count | None = None
    num_experts_per_tok: Count | None = None
    moe_layer_freq: Count = 1
    first_k_dense_replace: CountOrZero = 0
    attention_bias: bool = False
    hidden_act: str = "silu"

    def is_sparse(self, layer: int) -> bool:
        """Has this layer experts?"""
        return bool(self.n_routed_experts) and layer >= self.first_k_dense_replace and layer % self.moe_layer_freq == 0


@architecture("deepseek", config=DeepseekConfig)
def deepseek(config: DeepseekConfig) -> Module:
    return decoder(config)


def decoder(config: DeepseekConfig, *, mlp_bias: bool = False) -> Module:
    """The decoder and its head; `mlp_bias` is that of every MLP but the experts'."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )

    def layer(sparse: bool) -> Module:
        mlp = gated_mlp(hidden, config.intermediate_size, bias=mlp_bias, activation=config.hidden_act)
        return pre_norm_layer(self_attn, _experts(config, mlp_bias) if sparse else mlp, rms_norm(hidden))

    kinds = [config.is_sparse(index) for index in range(config.num_hidden_layers)]
    return decoder_lm(config, stack_of(kinds, layer), rms_norm(hidden))


def _experts(config: DeepseekConfig, mlp_bias: bool) -> Module:
    hidden, expert, activation = config.hidden_size, config.moe_intermediate_size, config.hidden_act
    experts, shared = config.n_routed_experts or 0, (config.n_shared_experts or 0) * expert
    return sparse_mlp(
        hidden,
        expert,
        experts=experts,
        active=config.num_experts_per_tok or experts,
        activation=activation,
        shared_experts=gated_mlp(hidden, shared, bias=mlp_bias, activation=activation) if shared else None,
    )

"""DeepSeek-V3: latent attention, a few dense layers, then experts; an extra layer predicts a token ahead."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, gated_mlp, latent_attention, linear, lm_head, rms_norm, sparse_mlp
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, copied, in_turn, module


class DeepseekV3Config(DecoderConfig, Rotary):
    vocab_size: Size = 129280
    hidden_size: Size = 7168
    intermediate_size: Size = 18432
    moe_intermediate_size: Size = 2048
    num_hidden_layers: Count = 61
    num_attention_heads: Count = 128
    num_key_value_heads: Count | None = 128
    n_shared_experts: CountOrZero | None = 1
    n_routed_experts: Count = 256
    num_experts_per_tok: Count = 8
    first_k_dense_replace: CountOrZero = 3
    kv_lora_rank: Size = 512
    q_lora_rank: Size | None = 1536
    qk_rope_head_dim: Size = 64
    v_head_dim: Size = 128
    qk_nope_head_dim: Size = 128
    attention_bias: bool = False
    hidden_act: str = "silu"
    num_nextn_predict_layers: CountOrZero = 0
    ignored: ClassVar[frozenset[str]] = frozenset({"head_dim", "qk_head_dim"})  # sums of the others


@architecture("deepseek_v3", config=DeepseekV3Config)
def deepseek_v3(config: DeepseekV3Config) -> Module:
    hidden, vocab, expert = config.hidden_size, config.vocab_size, config.moe_intermediate_size
    embed_tokens = embedding(vocab, hidden)
    attention = latent_attention(
        hidden,
        heads=config.num_attention_heads,
        query_rank=config.q_lora_rank,
        kv_rank=config.kv_lora_rank,
        nope_dim=config.qk_nope_head_dim,
        rope_dim=config.qk_rope_head_dim,
        value_dim=config.v_head_dim,
        bias=config.attention_bias,
        positions=config.rope,
    )

    def layer(mlp: Module) -> Module:
        norms = {"input_layernorm": rms_norm(hidden), "post_attention_layernorm": rms_norm(hidden)}
        return module(None, "pre-norm", self_attn=attention, mlp=mlp, **norms)

    dense = layer(gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act))
    sparse = layer(
        sparse_mlp(
            hidden,
            expert,
            experts=config.n_routed_experts,
            active=config.num_experts_per_tok,
            activation=config.hidden_act,
            shared=config.n_shared_experts and config.n_shared_experts * expert,
            correction=True,
        )
    )
    look_ahead = sparse.marked(section="mtp").extend(
        embed_tokens=copied(embed_tokens, "model.embed_tokens"),
        enorm=rms_norm(hidden),
        hnorm=rms_norm(hidden),
        eh_proj=linear(2 * hidden, hidden),
        shared_head=module(norm=rms_norm(hidden), head=copied(lm_head(hidden, vocab), "lm_head")),
    )
    layers, first = config.num_hidden_layers, config.first_k_dense_replace
    ahead = config.num_nextn_predict_layers
    stack = in_turn((min(first, layers), dense), (layers - first, sparse), (ahead, look_ahead))
    model = module(embed_tokens=embed_tokens, layers=stack, norm=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)

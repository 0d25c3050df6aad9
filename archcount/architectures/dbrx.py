"""DBRX: query, key and value in one matrix, norms with a gain only, and experts stacked in three tall matrices."""

from __future__ import annotations

from typing import Any, ClassVar

from ..blocks import embedding, expert_layout, fused_attention, layer_norm, router
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Routed, Tensor, Use, module, repeat


class DbrxAttentionConfig(Rotary):
    kv_n_heads: Count = 1


class DbrxFfnConfig(Schema):
    ffn_hidden_size: Size = 3584
    moe_num_experts: Count = 4
    moe_top_k: Count = 1
    ffn_act_fn: dict[str, Any] | None = None
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size"})  # d_model's mirror


class DbrxConfig(ModelConfig):
    vocab_size: Size = 32000
    d_model: Size = 2048
    n_heads: Count = 16
    n_layers: Count = 24
    attn_config: DbrxAttentionConfig = DbrxAttentionConfig()
    ffn_config: DbrxFfnConfig = DbrxFfnConfig()
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "n_heads",
        "num_hidden_layers": "n_layers",
    }


@architecture("dbrx", config=DbrxConfig)
def dbrx(config: DbrxConfig) -> Module:
    width, vocab, heads, how = config.d_model, config.vocab_size, config.n_heads, config.attn_config
    norm = layer_norm(width, bias=False)
    attention = fused_attention(
        width,
        heads=heads,
        kv_heads=how.kv_n_heads,
        head_dim=exact_div(width, heads),
        positions=how.rope,
        names=("Wqkv", "out_proj"),
    )
    parts = module(norm_1=norm, attn=attention, norm_2=norm)
    layer = module(None, "pre-norm", norm_attn_norm=parts, ffn=_experts(config))
    model = module(wte=embedding(vocab, width), blocks=repeat(config.n_layers, layer), norm_f=norm)
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=tie, base="transformer", table="wte")


def _experts(config: DbrxConfig) -> Module:
    """Gate, up and down of every expert, one below the other: [experts × ffn_hidden_size, d_model] each."""
    ffn = config.ffn_config
    experts, active, inner = ffn.moe_num_experts, ffn.moe_top_k, ffn.ffn_hidden_size
    matrix = Tensor((experts * inner, config.d_model), Use.MATMUL)
    kind = activation_name(str((ffn.ffn_act_fn or {}).get("name", "silu")), gated=True)
    stacked = module(Role.EXPERTS, kind, w1=matrix, v1=matrix, w2=matrix).marked(routed=Routed(active, experts))
    gate = module(layer=router(config.d_model, experts))
    return module(None, expert_layout(experts, active), router=gate, experts=module(mlp=stacked))

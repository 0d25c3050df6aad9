"""HRM-Text: two stacks of layers, a slow and a fast one, applied in cycles; norms without a gain."""

from __future__ import annotations

from ..blocks import bias_of, embedding, fused_gated_mlp, linear, rms_norm
from ..blocks.attention import head_layout, kv_cache
from ..config import Count, DecoderConfig, Size
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Attends, Module, Role, Tensor, module, repeat


class HrmTextConfig(DecoderConfig, Rotary):
    vocab_size: Size = 151808
    hidden_size: Size = 1536
    intermediate_size: Size = 4096
    num_hidden_layers: Count = 16
    num_layers_per_stack: Count | None = None
    num_attention_heads: Count = 12
    head_dim: Size = 128
    attention_bias: bool = False
    mlp_bias: bool = False
    H_cycles: Count = 2
    L_cycles: Count = 3
    hidden_act: str = "silu"


@architecture("hrm_text", config=HrmTextConfig)
def hrm_text(config: HrmTextConfig) -> Module:
    hidden, vocab, slow, fast = config.hidden_size, config.vocab_size, config.H_cycles, config.L_cycles
    layers = repeat(config.num_layers_per_stack or config.num_hidden_layers, hrm_layer(config))
    model = module(
        embed_tokens=embedding(vocab, hidden),
        L_module=module(layers=layers).marked(uses=slow * fast),
        H_module=module(layers=layers).marked(uses=slow),
        z_L_init=Tensor((hidden,)),
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def hrm_layer(config: HrmTextConfig) -> Module:
    """Attention (`attn`) and MLP with their matrices fused; where asked, biases as Hugging Face saves them: apart."""
    hidden, inner, rows = config.hidden_size, config.intermediate_size, config.num_attention_heads * config.head_dim
    mlp = fused_gated_mlp(hidden, inner, activation=config.hidden_act)
    if config.mlp_bias:
        down = linear(inner, hidden, bias=True)
        mlp = mlp.replacing(down_proj=down).extend(gate_proj=bias(inner), up_proj=bias(inner))
    apart = {name: bias(rows) for name in ("gate_proj", "q_proj", "k_proj", "v_proj")}
    return module(
        None,
        "pre-norm",
        input_layernorm=rms_norm(hidden, weight=False),
        attn=gated_attention(config),
        self_attn=module(Role.ATTENTION, **apart) if config.attention_bias else None,
        post_attention_layernorm=rms_norm(hidden, weight=False),
        mlp=mlp,
    )


def gated_attention(config: HrmTextConfig) -> Module:
    """Gate, query, key and value in one matrix [4 × heads × head_dim, hidden]."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    return module(
        Role.ATTENTION,
        head_layout(heads, heads),
        gqkv_proj=linear(hidden, 4 * (heads * head_dim)),
        o_proj=linear(heads * head_dim, hidden, bias=config.attention_bias),
    ).marked(
        cache=kv_cache(heads, head_dim, head_dim, None, cross=False),
        attends=Attends(heads, head_dim, head_dim, positions=config.rope),
    )


def bias(width: int) -> Module:
    return module(bias=bias_of(width))

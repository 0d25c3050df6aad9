"""Configs of published families whose code lives in their repository, as far as several tests ask of them."""

from __future__ import annotations

GLM = {"model_type": "chatglm", "architectures": ["ChatGLMModel"], "add_qkv_bias": True}
GLM_MAP = {"auto_map": {"AutoModel": "modeling_chatglm.ChatGLMForConditionalGeneration"}}
GLM_2 = {**GLM, **GLM_MAP, "multi_query_attention": True, "multi_query_group_num": 2}
GLM_1 = {"model_type": "chatglm", "inner_hidden_size": 16384}
ELM = {
    "model_type": "openelm",
    "head_dim": 64,
    "num_gqa_groups": 4,
    "normalize_qk_projections": True,
    "share_input_output_layers": True,
    "ffn_multipliers": [0.5, 4.0],
    "qkv_multipliers": [0.5, 1.0],
}
MINIMAX = {
    "model_type": "minimax_m1",
    "vocab_size": 200064,
    "hidden_size": 6144,
    "intermediate_size": 9216,
    "num_hidden_layers": 80,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "num_local_experts": 32,
    "num_experts_per_tok": 2,
    "attn_type_list": ([0] * 7 + [1]) * 10,
}
PHI_2 = {"vocab_size": 51200, "n_embd": 2560, "n_layer": 32, "n_head": 32}
MOLMO = {
    "model_type": "molmo",
    "vocab_size": 152064,
    "embedding_size": 152064,
    "hidden_size": 3584,
    "intermediate_size": 37888,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "qkv_bias": True,
}
DEEPSEEK_MOE = {
    "model_type": "deepseek",
    "hidden_size": 2048,
    "intermediate_size": 10944,
    "moe_intermediate_size": 1408,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "n_shared_experts": 2,
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "first_k_dense_replace": 1,
}
KIMI = {
    "model_type": "kimi_k2",
    "vocab_size": 163840,
    "n_routed_experts": 384,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "first_k_dense_replace": 1,
}
ARCTIC = {
    "model_type": "arctic",
    "hidden_size": 7168,
    "intermediate_size": 4864,
    "num_hidden_layers": 35,
    "num_attention_heads": 56,
    "num_key_value_heads": 8,
    "num_local_experts": 128,
    "num_experts_per_tok": 2,
    "moe_layer_frequency": 1,
    "parallel_attn_mlp_res": True,
}


def sizes(width: int, layers: int, heads: int, inner: int | None = None, vocab: int | None = None) -> dict[str, int]:
    """A config's usual keys."""
    given = {"hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads}
    more = {"intermediate_size": inner, "vocab_size": vocab}
    return given | {key: value for key, value in more.items() if value is not None}

"""A Llama of a few hundred numbers: its config, and every tensor its file must hold, written out."""

from __future__ import annotations

from collections.abc import Iterator

from .files import Tensor

HIDDEN, INNER, VOCABULARY, LAYERS, HEADS, KV_HEADS, HEAD_DIM = 8, 12, 32, 2, 2, 1, 4
CONFIG: dict[str, object] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": HIDDEN,
    "intermediate_size": INNER,
    "vocab_size": VOCABULARY,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
TIED = {**CONFIG, "tie_word_embeddings": True}
PARAMETERS = 2 * 32 * 8 + 2 * (2 * 8 * 8 + 2 * 4 * 8 + 3 * 8 * 12 + 2 * 8) + 8  # 1,512
MATRICES = {
    "self_attn.q_proj": [8, 8],
    "self_attn.k_proj": [4, 8],
    "self_attn.v_proj": [4, 8],
    "self_attn.o_proj": [8, 8],
    "mlp.gate_proj": [12, 8],
    "mlp.up_proj": [12, 8],
    "mlp.down_proj": [8, 12],
}


def tensors(*, head: bool = True, layers: int = LAYERS, dtype: str = "BF16") -> Iterator[Tensor]:
    """Every tensor of the file, in the order of the layers."""
    yield "model.embed_tokens.weight", dtype, [VOCABULARY, HIDDEN]
    for layer in range(layers):
        at = f"model.layers.{layer}"
        yield from ((f"{at}.{name}.weight", dtype, shape) for name, shape in MATRICES.items())
        yield from (
            (f"{at}.{name}.weight", dtype, [HIDDEN]) for name in ("input_layernorm", "post_attention_layernorm")
        )
    yield "model.norm.weight", dtype, [HIDDEN]
    if head:
        yield "lm_head.weight", dtype, [VOCABULARY, HIDDEN]

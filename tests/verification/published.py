"""What published checkpoints hold, tensor by tensor, written out from their own headers' layout."""

from __future__ import annotations

from collections.abc import Iterator

from .files import Tensor


def llama_405b() -> Iterator[Tensor]:
    """Llama 3.1 405B: 126 layers of 16,384, 8 key and value heads of 128, an MLP of 53,248, untied."""
    hidden, inner, vocabulary = 16_384, 53_248, 128_256
    yield "model.embed_tokens.weight", "BF16", [vocabulary, hidden]
    for layer in range(126):
        at = f"model.layers.{layer}"
        sizes = {"q_proj": hidden, "k_proj": 1_024, "v_proj": 1_024, "o_proj": hidden}
        yield from ((f"{at}.self_attn.{name}.weight", "BF16", [rows, hidden]) for name, rows in sizes.items())
        yield from ((f"{at}.mlp.{name}.weight", "BF16", [inner, hidden]) for name in ("gate_proj", "up_proj"))
        yield f"{at}.mlp.down_proj.weight", "BF16", [hidden, inner]
        yield from (
            (f"{at}.{name}.weight", "BF16", [hidden]) for name in ("input_layernorm", "post_attention_layernorm")
        )
    yield "model.norm.weight", "BF16", [hidden]
    yield "lm_head.weight", "BF16", [vocabulary, hidden]


def gpt_oss_20b() -> Iterator[Tensor]:
    """gpt-oss-20b: 24 layers of 32 experts in MXFP4, everything else in BF16."""
    hidden, experts, vocabulary = 2_880, 32, 201_088
    yield "model.embed_tokens.weight", "BF16", [vocabulary, hidden]
    for layer in range(24):
        at = f"model.layers.{layer}"
        for name, rows, columns in (
            ("q_proj", 4_096, hidden),
            ("k_proj", 512, hidden),
            ("v_proj", 512, hidden),
            ("o_proj", hidden, 4_096),
        ):
            yield f"{at}.self_attn.{name}.weight", "BF16", [rows, columns]
            yield f"{at}.self_attn.{name}.bias", "BF16", [rows]
        yield f"{at}.self_attn.sinks", "BF16", [64]
        yield f"{at}.mlp.router.weight", "BF16", [experts, hidden]
        yield f"{at}.mlp.router.bias", "BF16", [experts]
        for name, rows in (("gate_up_proj", 2 * hidden), ("down_proj", hidden)):
            yield f"{at}.mlp.experts.{name}_blocks", "U8", [experts, rows, 90, 16]
            yield f"{at}.mlp.experts.{name}_scales", "U8", [experts, rows, 90]
            yield f"{at}.mlp.experts.{name}_bias", "BF16", [experts, rows]
        yield from (
            (f"{at}.{name}.weight", "BF16", [hidden]) for name in ("input_layernorm", "post_attention_layernorm")
        )
    yield "model.norm.weight", "BF16", [hidden]
    yield "lm_head.weight", "BF16", [vocabulary, hidden]


def gpt2() -> Iterator[Tensor]:
    """GPT-2 as it was first published: no prefix, no head, and a mask for each layer."""
    width = 768
    yield "wte.weight", "F32", [50_257, width]
    yield "wpe.weight", "F32", [1_024, width]
    for layer in range(12):
        at = f"h.{layer}"
        yield f"{at}.attn.bias", "F32", [1, 1, 1_024, 1_024]
        for name, inputs, outputs in (
            ("attn.c_attn", width, 2_304),
            ("attn.c_proj", width, width),
            ("mlp.c_fc", width, 3_072),
            ("mlp.c_proj", 3_072, width),
        ):
            yield f"{at}.{name}.weight", "F32", [inputs, outputs]
            yield f"{at}.{name}.bias", "F32", [outputs]
        for name in ("ln_1", "ln_2"):
            yield f"{at}.{name}.weight", "F32", [width]
            yield f"{at}.{name}.bias", "F32", [width]
    yield "ln_f.weight", "F32", [width]
    yield "ln_f.bias", "F32", [width]


def qwen3_06b() -> Iterator[Tensor]:
    """Qwen3-0.6B: 28 layers of 1,024, and a head that is tied and stored all the same."""
    hidden = 1_024
    yield "lm_head.weight", "BF16", [151_936, hidden]
    yield "model.embed_tokens.weight", "BF16", [151_936, hidden]
    for layer in range(28):
        at = f"model.layers.{layer}"
        for name, rows, columns in (
            ("q_proj", 2_048, hidden),
            ("k_proj", 1_024, hidden),
            ("v_proj", 1_024, hidden),
            ("o_proj", hidden, 2_048),
        ):
            yield f"{at}.self_attn.{name}.weight", "BF16", [rows, columns]
        yield from ((f"{at}.self_attn.{name}.weight", "BF16", [128]) for name in ("q_norm", "k_norm"))
        yield from ((f"{at}.mlp.{name}.weight", "BF16", [3_072, hidden]) for name in ("gate_proj", "up_proj"))
        yield f"{at}.mlp.down_proj.weight", "BF16", [hidden, 3_072]
        yield from (
            (f"{at}.{name}.weight", "BF16", [hidden]) for name in ("input_layernorm", "post_attention_layernorm")
        )
    yield "model.norm.weight", "BF16", [hidden]


def deepseek_v3(*, layers: int = 62) -> Iterator[Tensor]:
    """DeepSeek-V3: 61 layers, three of them dense, and one that predicts a token ahead; matrices in FP8 by blocks."""
    hidden, expert, dense, vocabulary = 7_168, 2_048, 18_432, 129_280
    yield "model.embed_tokens.weight", "BF16", [vocabulary, hidden]
    for layer in range(layers):
        at = f"model.layers.{layer}"
        norms = {
            "input_layernorm": hidden,
            "post_attention_layernorm": hidden,
            "self_attn.q_a_layernorm": 1_536,
            "self_attn.kv_a_layernorm": 512,
        }
        yield from ((f"{at}.{name}.weight", "BF16", [width]) for name, width in norms.items())
        attention = {
            "q_a_proj": (1_536, hidden),
            "q_b_proj": (24_576, 1_536),
            "kv_a_proj_with_mqa": (576, hidden),
            "kv_b_proj": (32_768, 512),
            "o_proj": (hidden, 16_384),
        }
        for name, (rows, columns) in attention.items():
            yield from _float8(f"{at}.self_attn.{name}", rows, columns)
        if layer < 3:
            yield from _mlp(f"{at}.mlp", hidden, dense)
            continue
        yield f"{at}.mlp.gate.weight", "BF16", [256, hidden]
        yield f"{at}.mlp.gate.e_score_correction_bias", "F32", [256]
        yield from _mlp(f"{at}.mlp.shared_experts", hidden, expert)
        for number in range(256):
            yield from _mlp(f"{at}.mlp.experts.{number}", hidden, expert)
    if layers == 62:
        yield from (
            (f"model.layers.61.{name}.weight", "BF16", [vocabulary, hidden])
            for name in ("embed_tokens", "shared_head.head")
        )
        yield from (
            (f"model.layers.61.{name}.weight", "BF16", [hidden]) for name in ("enorm", "hnorm", "shared_head.norm")
        )
        yield "model.layers.61.eh_proj.weight", "BF16", [hidden, 2 * hidden]
    yield "model.norm.weight", "BF16", [hidden]
    yield "lm_head.weight", "BF16", [vocabulary, hidden]


def _mlp(name: str, width: int, inner: int) -> Iterator[Tensor]:
    yield from _float8(f"{name}.gate_proj", inner, width)
    yield from _float8(f"{name}.up_proj", inner, width)
    yield from _float8(f"{name}.down_proj", width, inner)


def _float8(name: str, rows: int, columns: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [rows, columns]
    yield f"{name}.weight_scale_inv", "F32", [-(-rows // 128), -(-columns // 128)]

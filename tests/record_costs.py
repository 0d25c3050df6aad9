"""Record what the reference implementation computes and keeps for tiny models: FLOPs by torch's counter, caches.

Run with an interpreter that has torch and transformers: `python tests/record_costs.py`. Writes recorded_costs/*.json.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode

OUT = Path(__file__).parent / "recorded_costs"
TOKENS, SOURCE = 48, 20
COMMON: dict[str, object] = {
    "vocab_size": 512,
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 96,
}
GROUPED = {**COMMON, "num_key_value_heads": 2, "head_dim": 24}
LATENT = {
    **COMMON, "num_key_value_heads": 4, "q_lora_rank": 40, "kv_lora_rank": 32, "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 8, "v_head_dim": 12, "n_routed_experts": 8, "num_experts_per_tok": 2, "n_group": 2,
    "topk_group": 1, "moe_intermediate_size": 24, "first_k_dense_replace": 1, "n_shared_experts": 1,
}  # fmt: skip
MOE = {**GROUPED, "num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 24}
LINEAR = {
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 12, "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}  # fmt: skip
T5: dict[str, object] = {
    "vocab_size": 512,
    "d_model": 64,
    "d_kv": 12,
    "d_ff": 96,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
}
MODELS: dict[str, dict[str, object]] = {
    "llama": GROUPED,
    "qwen2": {**COMMON, "num_key_value_heads": 2, "use_sliding_window": False, "sliding_window": 16},
    "qwen3": {**GROUPED, "tie_word_embeddings": True},
    "qwen3_moe": MOE,
    "mistral": {**GROUPED, "sliding_window": 16},
    "mixtral": {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": None},
    "gemma2": {**GROUPED, "sliding_window": 16},
    "gemma3_text": {**GROUPED, "num_hidden_layers": 7, "sliding_window": 16},
    "gpt2": {"vocab_size": 512, "n_embd": 64, "n_layer": 3, "n_head": 4, "n_positions": 64},
    "gptj": {"vocab_size": 512, "n_embd": 64, "n_layer": 3, "n_head": 4, "rotary_dim": 8, "n_positions": 64},
    "gpt_oss": {**GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 16},
    "olmo2": {**COMMON, "num_key_value_heads": 2},
    "phi3": {**COMMON, "num_key_value_heads": 2, "pad_token_id": 0, "sliding_window": None},
    "deepseek_v3": LATENT,
    "llama4_text": {
        **GROUPED, "intermediate_size_mlp": 80, "num_local_experts": 4, "num_experts_per_tok": 1,
        "attention_chunk_size": 16,
    },
    "bert": {**COMMON, "max_position_embeddings": 64},
    "t5": T5,
    "falcon_h1": {
        **GROUPED, "mamba_d_ssm": 64, "mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 16, "mamba_n_groups": 2,
        "mamba_d_conv": 4,
    },
    "mamba": {"vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 3, "state_size": 8},
    "mamba2": {
        "vocab_size": 512, "hidden_size": 64, "num_hidden_layers": 3, "num_heads": 8, "head_dim": 16, "n_groups": 2,
        "state_size": 16, "chunk_size": 16,
    },
    "jamba": {**COMMON, "num_key_value_heads": 2, "attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 4,
              "use_mamba_kernels": False, "pad_token_id": 0},
    "qwen3_next": {**MOE, **LINEAR, "shared_expert_intermediate_size": 24},
    "lfm2": {**COMMON, "num_key_value_heads": 2, "layer_types": ["conv", "full_attention", "conv", "full_attention"]},
    "recurrent_gemma": {**COMMON, "num_key_value_heads": 1, "lru_width": 64, "attention_window_size": 16},
}  # fmt: skip


def record(model_type: str, settings: dict[str, object]) -> dict[str, object]:
    """One model: its config, FLOPs of a forward pass over TOKENS tokens, elements its caches then hold."""
    config = transformers.AutoConfig.for_model(model_type, **settings)
    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    torch.manual_seed(0)
    model = _model_class(model_type).from_config(config).eval()
    ids = torch.randint(1, 500, (1, TOKENS))
    inputs = {"input_ids": ids}
    if model_type == "t5":
        inputs = {"input_ids": ids[:, :SOURCE], "decoder_input_ids": ids}
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        output = model(**inputs, use_cache=True) if model_type != "bert" else model(**inputs)
    modules = {name: int(sum(ops.values())) for name, ops in counter.get_flop_counts().items()}
    found = {
        "model_type": model_type,
        "config": json.loads(config.to_json_string(use_diff=False)),
        "tokens": TOKENS,
        "source": SOURCE if model_type == "t5" else None,
        "flops": counter.get_total_flops(),
        "flops_of_rotary_tables": sum(count for name, count in modules.items() if name.endswith("rotary_emb")),
    }
    cache = getattr(output, "past_key_values", None)
    cache = getattr(output, "cache_params", None) if cache is None else cache
    return {**found, "cache": _kept(cache)}


def _model_class(model_type: str) -> Any:  # noqa: ANN401 - a class of transformers
    if model_type == "t5":
        return transformers.AutoModelForSeq2SeqLM
    return transformers.AutoModelForMaskedLM if model_type == "bert" else transformers.AutoModelForCausalLM


def _kept(cache: object) -> list[dict[str, object]]:
    """Elements by the name of each tensor a layer of the cache holds; equal layers in one entry."""
    if cache is None:
        return []
    sides = ("self_attention_cache", "cross_attention_cache")
    parts = [getattr(cache, side) for side in sides] if hasattr(cache, sides[0]) else [cache]
    kept: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for place, part in enumerate(parts):
        for layer in getattr(part, "layers", []):
            for name, value in vars(layer).items():
                tensors = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
                for tensor in tensors:
                    if isinstance(tensor, torch.Tensor) and tensor.numel():
                        label = f"{type(layer).__name__}{'.cross' if place else ''}.{name}"
                        kept[label, tuple(tensor.shape)] += 1
    return [{"tensor": name, "shape": list(shape), "layers": count} for (name, shape), count in kept.items()]


def main() -> None:
    """Record every model."""
    OUT.mkdir(exist_ok=True)
    for model_type, settings in MODELS.items():
        found = record(model_type, settings)
        path = OUT / f"{model_type}.json"
        path.write_text(
            json.dumps({"transformers": transformers.__version__, **found}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()

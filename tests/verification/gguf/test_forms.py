"""What llama.cpp's converter makes of a tensor, where the gguf package that the tests run with has no table for it."""

from __future__ import annotations

import archcount
from archcount.quantization.siblings import Siblings
from archcount.verification.gguf.forms import Forms

HRM = {
    "model_type": "hrm_text",
    "architectures": ["HrmTextForCausalLM"],
    "hidden_size": 128,
    "intermediate_size": 96,
    "num_attention_heads": 16,
    "head_dim": 32,
    "num_layers_per_stack": 3,
    "vocab_size": 1_536,
}


BAICHUAN = {
    "model_type": "baichuan",
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "vocab_size": 128,
}


def first_form(pattern: str, config: dict[str, object] = HRM) -> dict[str, tuple[int, ...]]:
    model = archcount.load(config)
    forms = Forms(Siblings.of(model.rows), {}, layers=3)
    row = next(row for row in model.rows if row.pattern == pattern)
    return {part.pattern: tuple(map(int, part.tensor.shape)) for part in next(iter(forms.of(row)))}


def test_two_stacks_are_numbered_as_one() -> None:
    assert first_form("model.L_module.layers.{0-2}.attn.gqkv_proj.weight") == {
        "blk.{0-2}.attn_gate.weight": (512, 128),
        "blk.{0-2}.attn_q.weight": (512, 128),
        "blk.{0-2}.attn_k.weight": (512, 128),
        "blk.{0-2}.attn_v.weight": (512, 128),
    }
    assert first_form("model.H_module.layers.{0-2}.mlp.gate_up_proj.weight") == {
        "blk.{3-5}.ffn_gate.weight": (96, 128),
        "blk.{3-5}.ffn_up.weight": (96, 128),
    }


def test_a_vector_by_another_name() -> None:
    assert first_form("model.z_L_init") == {"hrm.z_l_init": (1, 128)}


def test_queries_keys_and_values_of_baichuan() -> None:
    assert first_form("model.layers.{0-1}.self_attn.W_pack.weight", BAICHUAN) == {
        "blk.{0-1}.attn_q.weight": (64, 64),
        "blk.{0-1}.attn_k.weight": (64, 64),
        "blk.{0-1}.attn_v.weight": (64, 64),
    }

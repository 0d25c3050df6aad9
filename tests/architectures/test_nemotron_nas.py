"""Nemotron-NAS: blocks found by search, each with the attention and the MLP that the search left it."""

from collections.abc import Mapping

import pytest

import archcount
from archcount.errors import ConfigValueError

NAS = {"model_type": "nemotron-nas", "hidden_size": 8192, "num_attention_heads": 64}


def nas(*blocks: Mapping[str, Mapping[str, object]]) -> dict[str, object]:
    return {**NAS, "num_hidden_layers": len(blocks), "block_configs": list(blocks)}


def test_a_block_found_by_search_holds_what_it_keeps() -> None:
    nothing, straight = {"no_op": True}, {"replace_with_linear": True}
    model = archcount.load(
        nas(
            {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}},
            {"attention": nothing, "ffn": {"ffn_mult": 1.3125}},
            {"attention": straight, "ffn": straight},
            {"attention": {"n_heads_in_group": 16, "window_length": 1024}, "ffn": nothing},
        )
    )
    found = {tensor.name: tuple(tensor.shape) for tensor in model.tensors()}
    inside = {name.removeprefix("model.layers."): shape for name, shape in found.items() if ".layers." in name}
    norms = {f"{layer}.{name}.weight": (8192,) for layer, name in _NORMS}
    assert inside == norms | {
        "0.self_attn.q_proj.weight": (8192, 8192),
        "0.self_attn.k_proj.weight": (1024, 8192),
        "0.self_attn.v_proj.weight": (1024, 8192),
        "0.self_attn.o_proj.weight": (8192, 8192),
        "0.mlp.gate_proj.weight": (28672, 8192),
        "0.mlp.up_proj.weight": (28672, 8192),
        "0.mlp.down_proj.weight": (8192, 28672),
        "1.mlp.gate_proj.weight": (7168, 8192),
        "1.mlp.up_proj.weight": (7168, 8192),
        "1.mlp.down_proj.weight": (8192, 7168),
        "2.self_attn.linear_attn.weight": (8192, 8192),
        "2.mlp.linear_mlp.weight": (8192, 8192),
        "3.self_attn.q_proj.weight": (8192, 8192),
        "3.self_attn.k_proj.weight": (512, 8192),
        "3.self_attn.v_proj.weight": (512, 8192),
        "3.self_attn.o_proj.weight": (8192, 8192),
    }


_NORMS = [
    (0, "input_layernorm"),
    (0, "post_attention_layernorm"),
    (1, "post_attention_layernorm"),
    (2, "input_layernorm"),
    (2, "post_attention_layernorm"),
    (3, "input_layernorm"),
]


def test_blocks_found_by_search_that_are_all_llama_count_as_llama_70b() -> None:
    whole: dict[str, dict[str, object]] = {"attention": {"n_heads_in_group": 8}, "ffn": {"ffn_mult": 5.25}}
    assert archcount.load(nas(*[whole] * 80)).totals.parameters == 70_553_706_496


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            nas({"attention": {}, "ffn": {"ffn_mult": 1.0}}),
            r"block_configs\[0\]\.attention\.n_heads_in_group is missing: give it, or no_op or replace_with_linear",
        ),
        (
            nas({"attention": {"no_op": True}, "ffn": {}}),
            r"block_configs\[0\]\.ffn\.ffn_mult is missing",
        ),
        ({**NAS, "num_hidden_layers": 3, "block_configs": []}, "block_configs has 0 entries"),
    ],
)
def test_what_is_not_known_is_refused(config: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load(config)

"""Llama 3.1 8B as each quantizer stores it, at its full size: all of it is found again, none of it is counted twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import archcount
from archcount import Verdict
from archcount.verification.findings import Kind

from .files import Tensor, write_headers
from .layouts import (
    Layout,
    aqlm,
    awq,
    awq_gemv,
    bitnet,
    bnb4,
    bnb8,
    eetq,
    fbgemm,
    float_quantized,
    fp8_block,
    fp8_tensor,
    gptq,
    hqq,
    int_quantized,
    mlx,
    modelopt,
    mxfp4,
    nvfp4,
    pack_quantized,
    spqr,
    static_float,
    vptq,
)

HIDDEN, INNER, VOCABULARY, LAYERS = 4_096, 14_336, 128_256, 32
MATRICES = {
    "self_attn.q_proj": (HIDDEN, HIDDEN),
    "self_attn.k_proj": (1_024, HIDDEN),
    "self_attn.v_proj": (1_024, HIDDEN),
    "self_attn.o_proj": (HIDDEN, HIDDEN),
    "mlp.gate_proj": (INNER, HIDDEN),
    "mlp.up_proj": (INNER, HIDDEN),
    "mlp.down_proj": (HIDDEN, INNER),
}
PACKED = 6_979_321_856  # 32 × 218,103,808: the elements of those matrices
Entry = dict[str, object]


def modules() -> Iterator[tuple[str, int, int]]:
    for layer in range(LAYERS):
        yield from ((f"model.layers.{layer}.{name}", *shape) for name, shape in MATRICES.items())


def config_groups(weights: Entry, inputs: Entry | None = None) -> Entry:
    return {"group_0": {"targets": ["Linear"], "weights": weights, "input_activations": inputs}}


def compressed(packing: str, weights: Entry, inputs: Entry | None = None, **more: object) -> Entry:
    method = {"quant_method": "compressed-tensors", "format": packing, "ignore": ["lm_head"]}
    return {**method, "config_groups": config_groups(weights, inputs), **more}


VPTQ_LAYER = {
    "vector_lens": [-1, 8],
    "num_centroids": [-1, 65_536],
    "num_res_centroids": [-1, 256],
    "group_num": 1,
    "outlier_size": 0,
    "enable_perm": True,
    "enable_norm": True,
}
SPQR_SHAPES = {
    f"{name}.{part}.shape": size
    for name, outputs, inputs in modules()
    for part, size in {
        "dense_weights": outputs * inputs // 16,
        "row_offsets": outputs + 1,
        "col_vals": 1_234,
        "in_perm": inputs,
    }.items()
}
FLOAT8 = {"num_bits": 8, "type": "float", "symmetric": True}
CASES: dict[str, tuple[Entry, Layout]] = {
    "gptq-2": ({"quant_method": "gptq", "bits": 2, "group_size": 128}, gptq(2, 128)),
    "gptq-3": ({"quant_method": "gptq", "bits": 3, "group_size": 128}, gptq(3, 128)),
    "gptq-4": ({"quant_method": "gptq", "bits": 4, "group_size": 32, "desc_act": True}, gptq(4, 32)),
    "gptq-8": ({"quant_method": "gptq", "bits": 8, "group_size": -1}, gptq(8, -1)),
    "gptq without g_idx": ({"quant_method": "gptq", "bits": 4, "group_size": 128}, gptq(4, 128, order=False)),
    "gptq with biases of zeros": ({"quant_method": "gptq", "bits": 4, "group_size": 128}, gptq(4, 128, zeros=True)),
    "auto-round": (
        {"quant_method": "auto-round", "packing_format": "auto_round:auto_gptq", "bits": 4, "group_size": 128},
        gptq(4, 128, order=False),
    ),
    "awq": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemm"}, awq),
    "awq gemv": ({"quant_method": "awq", "bits": 4, "group_size": 128, "version": "gemv"}, awq_gemv),
    "bitsandbytes-8": ({"quant_method": "bitsandbytes", "load_in_8bit": True}, bnb8),
    "bitsandbytes nf4": (
        {"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"},
        bnb4(nested=False),
    ),
    "bitsandbytes nf4 nested": (
        {"load_in_4bit": True, "bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True},
        bnb4(nested=True),
    ),
    "fp8 by block": ({"quant_method": "fp8", "weight_block_size": [128, 128]}, fp8_block),
    "fp8 by tensor": ({"quant_method": "fp8", "activation_scheme": "static"}, fp8_tensor),
    "fbgemm_fp8": ({"quant_method": "fbgemm_fp8", "modules_to_not_convert": ["lm_head"]}, fbgemm),
    "pack-quantized": (
        compressed("pack-quantized", {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": False}),
        pack_quantized,
    ),
    "float-quantized": (
        compressed("float-quantized", {**FLOAT8, "strategy": "channel"}, {"dynamic": True}),
        float_quantized,
    ),
    "float-quantized, static, with a cache": (
        compressed("float-quantized", {**FLOAT8, "strategy": "tensor"}, {"dynamic": False}, kv_cache_scheme=FLOAT8),
        static_float,
    ),
    "int-quantized": (
        compressed("int-quantized", {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": True}),
        int_quantized,
    ),
    "nvfp4-pack-quantized": (
        compressed(
            "nvfp4-pack-quantized",
            {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16},
            {"num_bits": 4, "dynamic": "local"},
        ),
        nvfp4,
    ),
    "mxfp4-pack-quantized": (
        compressed("mxfp4-pack-quantized", {"num_bits": 4, "type": "float", "strategy": "group", "group_size": 32}),
        mxfp4,
    ),
    "modelopt nvfp4": (
        {
            "quant_method": "modelopt",
            "quant_algo": "NVFP4",
            "ignore": ["lm_head"],
            "kv_cache_scheme": {"num_bits": 8},
        },
        modelopt,
    ),
    "hqq": (
        {
            "quant_method": "hqq",
            "quant_config": {"weight_quant_params": {"nbits": 4, "group_size": 64, "axis": 1}},
            "skip_modules": ["lm_head"],
        },
        hqq,
    ),
    "eetq": ({"quant_method": "eetq", "modules_to_not_convert": ["lm_head"]}, eetq),
    "aqlm": (
        {
            "quant_method": "aqlm",
            "in_group_size": 8,
            "out_group_size": 1,
            "num_codebooks": 1,
            "nbits_per_codebook": 16,
            "linear_weights_not_to_quantize": ["lm_head.weight"],
        },
        aqlm,
    ),
    "bitnet": ({"quant_method": "bitnet", "quantization_mode": "offline"}, bitnet),
    "vptq": (
        {
            "quant_method": "vptq",
            "config_for_layers": {name: {**VPTQ_LAYER, "group_size": inputs} for name, _, inputs in modules()},
        },
        vptq,
    ),
    "spqr": ({"quant_method": "spqr", "bits": 3, "beta1": 16, "beta2": 16, "shapes": SPQR_SHAPES}, spqr),
}


def tensors(layout: Layout) -> Iterator[Tensor]:
    yield "model.embed_tokens.weight", "BF16", [VOCABULARY, HIDDEN]
    for name, outputs, inputs in modules():
        yield from layout(name, outputs, inputs)
    for layer in range(LAYERS):
        norms = ("input_layernorm", "post_attention_layernorm")
        yield from ((f"model.layers.{layer}.{name}.weight", "BF16", [HIDDEN]) for name in norms)
    yield "model.norm.weight", "BF16", [HIDDEN]
    yield "lm_head.weight", "BF16", [VOCABULARY, HIDDEN]


def told(folder: Path, config: Entry, written: Iterator[Tensor]) -> archcount.Verification:
    write_headers(folder / "model.safetensors", written)
    return archcount.verify({**archcount.load("llama-3.1-8b").raw, **config}, folder)


@pytest.mark.parametrize(("entry", "layout"), CASES.values(), ids=CASES)
def test_every_tensor_of_the_format_is_foreseen(tmp_path: Path, entry: Entry, layout: Layout) -> None:
    answer = told(tmp_path, {"quantization_config": entry}, tensors(layout))
    assert [finding for finding in answer.findings if not finding.is_note] == []
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert answer.parameters == answer.declared == 8_030_261_248


@pytest.mark.parametrize(("entry", "layout"), CASES.values(), ids=CASES)
def test_a_packed_tensor_that_is_not_there_is_missed(tmp_path: Path, entry: Entry, layout: Layout) -> None:
    name = "model.layers.7.mlp.down_proj"
    first = next(layout(name, HIDDEN, INNER))[0]
    written = (tensor for tensor in tensors(layout) if tensor[0] != first)
    answer = told(tmp_path, {"quantization_config": entry}, written)
    failing = [(finding.kind, finding.subject) for finding in answer.findings if not finding.is_note]
    assert failing == [(Kind.MISSING, first)]
    assert answer.parameters == 8_030_261_248 - HIDDEN * INNER


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 6, 8])
def test_mlx_packs_tables_and_heads_too(tmp_path: Path, bits: int) -> None:
    def written() -> Iterator[Tensor]:
        for name, dtype, shape in tensors(mlx(bits)):
            if name in ("model.embed_tokens.weight", "lm_head.weight"):
                yield from mlx(bits)(name.removesuffix(".weight"), VOCABULARY, HIDDEN)
            else:
                yield name, dtype, shape

    entry = {"group_size": 64, "bits": bits}
    answer = told(tmp_path, {"quantization": entry, "quantization_config": entry}, written())
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert answer.parameters == 8_030_261_248
    assert answer.stored == 266_240 + 8_029_995_008 * bits // 32 + 2 * 8_029_995_008 // 64


def test_a_bias_of_zeros_is_the_quantizer_s(tmp_path: Path) -> None:
    answer = told(tmp_path, {"quantization_config": CASES["gptq-4"][0]}, tensors(gptq(4, 32, zeros=True)))
    (bias,) = [finding for finding in answer.findings if finding.kind is Kind.WRITERS_BIAS]
    assert (bias.count, bias.elements) == (224, 32 * 43_008)


def test_the_wrong_width_is_found(tmp_path: Path) -> None:
    answer = told(tmp_path, {"quantization_config": CASES["gptq-8"][0]}, tensors(gptq(4, -1)))
    assert answer.verdict is Verdict.MISMATCH
    assert {finding.kind for finding in answer.findings if not finding.is_note} == {Kind.WRONG_SHAPE}


def test_plain_weights_under_a_quantized_config(tmp_path: Path) -> None:
    def plain(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
        yield f"{name}.weight", "BF16", [outputs, inputs]

    answer = told(tmp_path, {"quantization_config": CASES["awq"][0]}, tensors(plain))
    causes = {finding.cause for finding in answer.findings if finding.kind is Kind.MISSING}
    assert causes == {"stored as it is, where the config says that it is quantized"}

"""How each quantizer lays out one matrix: written out by hand from the formats' own descriptions, apart from ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .files import Tensor

Layout = Callable[[str, int, int], Iterator[Tensor]]
"""From a module's name, its outputs and its inputs to the tensors that stand for its weight."""


def gptq(bits: int, group: int, *, order: bool = True, zeros: bool = False) -> Layout:
    def layout(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
        groups = inputs // group if group > 0 else 1
        yield f"{name}.qweight", "I32", [inputs * bits // 32, outputs]
        yield f"{name}.qzeros", "I32", [groups, outputs * bits // 32]
        yield f"{name}.scales", "F16", [groups, outputs]
        if order:
            yield f"{name}.g_idx", "I32", [inputs]
        if zeros:
            yield f"{name}.bias", "F16", [outputs]

    return layout


def awq(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.qweight", "I32", [inputs, outputs // 8]
    yield f"{name}.qzeros", "I32", [inputs // 128, outputs // 8]
    yield f"{name}.scales", "F16", [inputs // 128, outputs]


def awq_gemv(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.qweight", "I32", [outputs, inputs // 8]
    yield f"{name}.qzeros", "I32", [outputs, inputs // 128 // 8]
    yield f"{name}.scales", "F16", [outputs, inputs // 128]


def bnb8(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "I8", [outputs, inputs]
    yield f"{name}.SCB", "F32", [outputs]
    yield f"{name}.weight_format", "U8", []


def bnb4(*, nested: bool) -> Layout:
    def layout(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
        blocks = outputs * inputs // 64
        yield f"{name}.weight", "U8", [outputs * inputs // 2, 1]
        yield f"{name}.weight.absmax", "U8" if nested else "F32", [blocks]
        yield f"{name}.weight.quant_map", "F32", [16]
        yield f"{name}.weight.quant_state.bitsandbytes__nf4", "U8", [85 + len(str(outputs))]
        if nested:
            yield f"{name}.weight.nested_absmax", "F32", [-(-blocks // 256)]
            yield f"{name}.weight.nested_quant_map", "F32", [256]

    return layout


def fp8_block(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [outputs, inputs]
    yield f"{name}.weight_scale_inv", "BF16", [outputs // 128, inputs // 128]


def fp8_tensor(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [outputs, inputs]
    yield f"{name}.weight_scale_inv", "F32", []
    yield f"{name}.activation_scale", "F32", [1]


def fbgemm(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [outputs, inputs]
    yield f"{name}.weight_scale", "F32", [outputs, 1]


def pack_quantized(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight_packed", "I32", [outputs, inputs // 8]
    yield f"{name}.weight_scale", "BF16", [outputs, inputs // 128]
    yield f"{name}.weight_shape", "I64", [2]
    yield f"{name}.weight_zero_point", "I32", [outputs // 8, inputs // 128]


def float_quantized(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [outputs, inputs]
    yield f"{name}.weight_scale", "BF16", [outputs, 1]


def static_float(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [outputs, inputs]
    yield f"{name}.weight_scale", "BF16", [1]
    yield f"{name}.input_scale", "BF16", [1]
    if name.endswith("k_proj"):
        yield f"{name.removesuffix('.k_proj')}.k_scale", "BF16", [1]
    if name.endswith("v_proj"):
        yield f"{name.removesuffix('.v_proj')}.v_scale", "BF16", [1]


def int_quantized(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "I8", [outputs, inputs]
    yield f"{name}.weight_scale", "BF16", [outputs, 1]


def nvfp4(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight_packed", "U8", [outputs, inputs // 2]
    yield f"{name}.weight_scale", "F8_E4M3", [outputs, inputs // 16]
    yield f"{name}.weight_global_scale", "F32", [1]
    yield f"{name}.input_global_scale", "F32", [1]


def mxfp4(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight_packed", "U8", [outputs, inputs // 2]
    yield f"{name}.weight_scale", "U8", [outputs, inputs // 32]


def modelopt(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "U8", [outputs, inputs // 2]
    yield f"{name}.weight_scale", "F8_E4M3", [outputs, inputs // 16]
    yield f"{name}.weight_scale_2", "F32", []
    yield f"{name}.input_scale", "F32", []
    if name.endswith(("k_proj", "v_proj")):
        yield f"{name}.{name[-6]}_scale", "F32", []


def mlx(bits: int) -> Layout:
    def layout(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
        yield f"{name}.weight", "U32", [outputs, inputs * bits // 32]
        yield f"{name}.scales", "BF16", [outputs, inputs // 64]
        yield f"{name}.biases", "BF16", [outputs, inputs // 64]

    return layout


def hqq(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    groups = outputs * inputs // 64
    yield f"{name}.W_q", "U8", [groups // 2, 64]
    yield f"{name}.scale", "BF16", [groups, 1]
    yield f"{name}.zero", "BF16", [groups, 1]
    yield f"{name}.shape", "I64", [2]
    yield from ((f"{name}.{key}", "I32", []) for key in ("nbits", "group_size", "axis"))
    yield from ((f"{name}.{key}", "U8", []) for key in ("view_as_float", "optimize", "round_zero", "channel_wise"))
    yield from ((f"{name}.{key}", "U8", [len(key)]) for key in ("packing", "unpack_view_dtype", "compute_dtype"))


def eetq(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "I8", [inputs, outputs]
    yield f"{name}.weight_scales", "F16", [outputs]


def aqlm(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.codes", "I16", [outputs, inputs // 8, 1]
    yield f"{name}.codebooks", "F16", [1, 65_536, 1, 8]
    yield f"{name}.scales", "F16", [outputs, 1, 1, 1]


def bitnet(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "U8", [outputs // 4, inputs]
    yield f"{name}.weight_scale", "BF16", [1]


def vptq(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.indices", "I32", [1, outputs // 8, inputs * 24 // 32]
    yield f"{name}.centroids.weight", "F16", [1, 65_536 * 8]
    yield f"{name}.res_centroids.weight", "F16", [1, 256 * 8]
    yield f"{name}.perm", "I16", [inputs]
    yield f"{name}.weight_scale", "F16", [inputs]
    yield f"{name}.weight_bias", "F16", [inputs]


def spqr(name: str, outputs: int, inputs: int) -> Iterator[Tensor]:
    yield f"{name}.dense_weights", "I64", [outputs * inputs // 16]
    yield f"{name}.row_offsets", "I32", [outputs + 1]
    yield f"{name}.col_vals", "I32", [1_234]
    yield f"{name}.in_perm", "I32", [inputs]

"""Llama 3.1 8B as exllamav2 and exllamav3 store it, at its full size and under their own names of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import archcount
from archcount import Verdict
from archcount.verification.findings import Kind

from . import tiny
from .files import Tensor, write_headers, write_index, write_shards
from .test_quantized import HIDDEN, INNER, LAYERS, MATRICES, PACKED, VOCABULARY, told

HEAD = VOCABULARY * HIDDEN
DECLARED = 8_030_261_248
EXL2: dict[str, object] = {"quant_method": "exl2", "version": "0.2.9", "bits": 4.0, "head_bits": 6}


def exl2(name: str, outputs: int, inputs: int, widths: Mapping[int, int]) -> Iterator[Tensor]:
    """`widths` is how many groups of 128 inputs there are of so many bits."""
    groups = sum(widths.values())
    yield f"{name}.q_weight", "I32", [sum(count * 128 * bits // 32 for bits, count in widths.items()), outputs]
    yield f"{name}.q_scale", "I32", [groups, outputs // 8]
    yield f"{name}.q_scale_max", "F16", [groups]
    yield f"{name}.q_groups", "I16", [2 * groups]
    yield f"{name}.q_invperm", "I32", [inputs]


def exl3(name: str, outputs: int, inputs: int, bits: int) -> Iterator[Tensor]:
    yield f"{name}.suh", "F16", [inputs]
    yield f"{name}.svh", "F16", [outputs]
    yield f"{name}.trellis", "I16", [inputs // 16, outputs // 16, 16 * bits]
    yield f"{name}.mcg", "I32", []


def packed(module: str, outputs: int, inputs: int, *, newer: bool) -> Iterator[Tensor]:
    is_head = module == "lm_head"
    if newer:
        return exl3(module, outputs, inputs, 6 if is_head else 4)
    groups = inputs // 128
    return exl2(module, outputs, inputs, {6: groups} if is_head else {5: groups // 16, 4: groups - groups // 16})


def written(*, newer: bool = False, head: bool = True) -> Iterator[Tensor]:
    yield "model.embed_tokens.weight", "F16", [VOCABULARY, HIDDEN]
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        for name, (outputs, inputs) in MATRICES.items():
            yield from packed(f"{at}.{name}", outputs, inputs, newer=newer)
        norms = ("input_layernorm", "post_attention_layernorm")
        yield from ((f"{at}.{name}.weight", "F16", [HIDDEN]) for name in norms)
    yield "model.norm.weight", "F16", [HIDDEN]
    if head:
        yield from packed("lm_head", VOCABULARY, HIDDEN, newer=newer)


def changed(name: str, shape: list[int]) -> Iterator[Tensor]:
    yield from ((one, dtype, shape if one == name else size) for one, dtype, size in written())


def steps(answer: archcount.Verification) -> dict[str, int | None]:
    return {step.label: step.elements for step in answer.ladder}


def test_exl2_beside_the_index_of_the_original(tmp_path: Path) -> None:
    """exllamav2 copies what is no tensor of the original's folder, so an index of files that are not there too."""
    everything = list(written())
    for number, part in ((1, everything[:700]), (2, everything[700:])):
        write_headers(tmp_path / f"output-0000{number}-of-00002.safetensors", part)
    write_index(tmp_path, {"lm_head.weight": "model-00004-of-00004.safetensors"}, {})
    config = {**archcount.load("llama-3.1-8b").raw, "quantization_config": EXL2}
    answer = archcount.verify(config, tmp_path)
    assert answer.files == "shards without an index"
    assert {finding.kind for finding in answer.findings} == {Kind.BOOKKEEPING}
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert answer.parameters == answer.declared == DECLARED
    # 520 rows of words for 4,096 inputs and 1,820 for 14,336: a sixteenth of the groups has 5 bits, the others have 4
    layer = 520 * (2 * 4_096 + 2 * 1_024 + 2 * 14_336) + 1_820 * 4_096
    assert steps(answer)["packed weights unpacked"] == PACKED + HEAD - LAYERS * layer - 768 * VOCABULARY


def test_exl2_of_a_tied_model_has_a_packed_copy(tmp_path: Path) -> None:
    config = {"tie_word_embeddings": True, "quantization_config": EXL2}
    answer = told(tmp_path, config, written())
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert answer.parameters == answer.declared == DECLARED - HEAD
    assert steps(answer)["less tensors stored a second time"] == -HEAD
    answer = told(tmp_path, config, written(head=False))
    absent = [finding.subject for finding in answer.findings if finding.kind is Kind.COPY_ABSENT]
    assert absent == [f"lm_head.{last}" for last in ("q_weight", "q_scale", "q_scale_max", "q_groups", "q_invperm")]


UP = "model.layers.3.mlp.up_proj"


@pytest.mark.parametrize(
    ("name", "shape", "failing"),
    [
        (f"{UP}.q_scale", [31, INNER // 8], (f"{UP}.q_scale", "its tensors differ in their groups")),
        (f"{UP}.q_groups", [63], (f"{UP}.q_scale", "its tensors differ in their groups")),
        (f"{UP}.q_weight", [255, INNER], (f"{UP}.q_weight", "no widths from 2 to 8 bits make so many words")),
        (f"{UP}.q_weight", [1_025, INNER], (f"{UP}.q_weight", "no widths from 2 to 8 bits make so many words")),
        (f"{UP}.q_weight", [520, INNER - 32], (f"{UP}.q_weight", "")),
        (f"{UP}.q_invperm", [INNER], (f"{UP}.q_invperm", "14,336 rows, where the config says 4,096")),
    ],
)
def test_what_cannot_go_together_is_found(
    tmp_path: Path, name: str, shape: list[int], failing: tuple[str, str]
) -> None:
    answer = told(tmp_path, {"quantization_config": EXL2}, changed(name, shape))
    found = [finding for finding in answer.findings if not finding.is_note]
    assert failing in [(finding.subject, finding.cause) for finding in found]
    assert {finding.kind for finding in found} == {Kind.WRONG_SHAPE}


def test_a_packed_matrix_that_is_not_there_is_missed(tmp_path: Path) -> None:
    kept = (tensor for tensor in written() if tensor[0] != f"{UP}.q_weight")
    answer = told(tmp_path, {"quantization_config": EXL2}, kept)
    (missing,) = [finding for finding in answer.findings if not finding.is_note]
    assert (missing.kind, missing.subject, missing.expected) == (Kind.MISSING, f"{UP}.q_weight", "[any, 14336]")
    assert answer.parameters == DECLARED - INNER * HIDDEN


def storage() -> dict[str, object]:
    """exllamav3's own list of what it wrote."""
    listed: dict[str, dict[str, object]] = {}
    for name, dtype, shape in written(newer=True):
        module, _, last = name.rpartition(".")
        kept: dict[str, object] = {name: {"shape": shape, "dtype": dtype}}
        listed.setdefault(module, {"stored_tensors": {}})
        listed[module]["stored_tensors"] |= kept  # type: ignore[operator]
        if last == "trellis":
            listed[module] |= {"quant_format": "exl3", "bits_per_weight": shape[2] // 16}
    return dict(listed)


def test_exl3_by_its_own_list(tmp_path: Path) -> None:
    write_shards(tmp_path, written(newer=True), 2)
    entry = {"quant_method": "exl3", "bits": 4.0, "head_bits": 6, "tensor_storage": storage()}
    model = archcount.load({**archcount.load("llama-3.1-8b").raw, "quantization_config": entry})
    answer = archcount.verify(model, tmp_path)
    assert {finding.kind for finding in answer.findings} == {Kind.BOOKKEEPING}
    assert answer.parameters == DECLARED
    assert answer.stored == model.totals.stored
    assert steps(answer)["packed weights unpacked"] == PACKED - PACKED // 4 + HEAD - HEAD * 6 // 16


def test_exl3_of_another_width_than_listed(tmp_path: Path) -> None:
    entry = {"quant_method": "exl3", "tensor_storage": {**storage(), UP: {**_three_bits()}}}
    answer = told(tmp_path, {"quantization_config": entry}, written(newer=True))
    (wrong,) = [finding for finding in answer.findings if not finding.is_note]
    assert (wrong.subject, wrong.expected, wrong.found) == (f"{UP}.trellis", "[256, 896, 48]", "[256, 896, 64]")


def _three_bits() -> dict[str, object]:
    names = [f"{UP}.{last}" for last in ("suh", "svh", "trellis", "mcg")]
    return {"stored_tensors": dict.fromkeys(names), "quant_format": "exl3", "bits_per_weight": 3}


def test_plain_weights_under_an_exl2_config(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", tiny.tensors(dtype="F16"))
    answer = archcount.verify({**tiny.CONFIG, "quantization_config": EXL2}, tmp_path)
    causes = {finding.cause for finding in answer.findings if finding.kind is Kind.MISSING}
    assert causes == {"stored as it is, where the config says that it is quantized"}


def test_the_packed_copy_of_a_tied_head_is_whole_or_not_there(tmp_path: Path) -> None:
    config = {**archcount.load("llama-3.1-8b").raw, "tie_word_embeddings": True, "quantization_config": EXL2}
    names = ("lm_head.q_invperm", "lm_head.q_groups")
    write_headers(tmp_path / "model.safetensors", (tensor for tensor in written() if tensor[0] not in names))
    answer = archcount.verify(config, tmp_path)
    told_missing = [finding.subject for finding in answer.findings if finding.kind is Kind.MISSING]
    assert (answer.verdict, sorted(told_missing)) == (Verdict.MISMATCH, ["lm_head.q_groups", "lm_head.q_invperm"])
    write_headers(tmp_path / "model.safetensors", written(head=False))
    assert archcount.verify(config, tmp_path).verdict is Verdict.MATCH_WITH_NOTES

"""What files claim of themselves: right, right by another convention, or wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import archcount
from archcount.verification.findings import Finding, Kind

from . import tiny
from .files import write_headers, write_shards

HEADS = ("encoder_attention_heads", "decoder_attention_heads")


def of_index(folder: Path, config: dict[str, object] = tiny.CONFIG, **metadata: object) -> list[Finding]:
    write_shards(folder, tiny.tensors(), 2, metadata)
    wanted = (Kind.WRONG_TOTAL, Kind.OTHER_TOTAL)
    return [finding for finding in archcount.verify(config, folder).findings if finding.kind in wanted]


@pytest.mark.parametrize("size", [3_024, 3_024.0, "3024"])
def test_the_bytes_of_the_tensors_are_right(tmp_path: Path, size: object) -> None:
    assert of_index(tmp_path, total_size=size) == []


@pytest.mark.parametrize(
    ("size", "cause"),
    [
        (3_023, "1 too few"),
        (4_000, "976 too many"),
        (6_048, "it is its elements at 4 bytes each"),
        (1_512, "it is the elements, not the bytes"),
        (80, "it is only the one-dimensional tensors"),
    ],
)
def test_a_wrong_size_and_what_it_equals(tmp_path: Path, size: int, cause: str) -> None:
    (finding,) = of_index(tmp_path, total_size=size)
    assert (finding.kind, finding.subject) == (Kind.WRONG_TOTAL, "total_size in model.safetensors.index.json")
    assert (finding.expected, finding.found, finding.cause) == ("3,024", f"{size:,}", cause)


def test_the_bytes_of_the_files_are_another_convention(tmp_path: Path) -> None:
    write_shards(tmp_path, tiny.tensors(), 2)
    size = sum(path.stat().st_size for path in tmp_path.glob("*.safetensors"))
    (finding,) = of_index(tmp_path, total_size=size)
    assert (finding.kind, finding.cause) == (Kind.OTHER_TOTAL, "it is the bytes of the files, their headers in it")


def test_the_parameters_are_right(tmp_path: Path) -> None:
    assert of_index(tmp_path, total_size=3_024, total_parameters=1_512) == []


def test_a_tied_head_counted_twice(tmp_path: Path) -> None:
    (finding,) = of_index(tmp_path, tiny.TIED, total_size=3_024, total_parameters=1_512)
    assert (finding.kind, finding.expected, finding.found) == (Kind.OTHER_TOTAL, "1,256", "1,512")
    assert finding.cause == "it is the parameters with the tied tensors counted twice"


def test_routers_biases_that_the_writer_calls_buffers(tmp_path: Path) -> None:
    """As transformers 5 writes it for every model whose routers have one."""
    config = archcount.load("deepseek-v3", {"num_hidden_layers": 4, "quantization_config": None})
    names = [(tensor.name, "BF16", [int(size) for size in tensor.shape]) for tensor in config.tensors()]
    write_shards(tmp_path, names, 2, {"total_parameters": config.totals.parameters - 256})
    findings = [finding for finding in archcount.verify(config, tmp_path).findings if "total" in finding.subject]
    assert [finding.kind for finding in findings] == [Kind.OTHER_TOTAL]
    assert findings[0].cause == "it is the parameters without the routers' correction biases, which some call buffers"


def test_only_the_vectors_counted(tmp_path: Path) -> None:
    (finding,) = of_index(tmp_path, total_size=3_024, total_parameters=40)
    assert (finding.kind, finding.cause) == (Kind.WRONG_TOTAL, "it is only the one-dimensional tensors")


def test_a_claim_in_a_header(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", tiny.tensors(), {"format": "pt", "total_parameters": "1500"})
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path).findings
    assert (finding.subject, finding.cause) == ("total_parameters in model.safetensors", "12 too few")


@pytest.mark.parametrize("size", [None, True, "many", [1], 1.5])
def test_what_is_no_number_claims_nothing(tmp_path: Path, size: object) -> None:
    assert of_index(tmp_path, total_size=size) == []


def test_computed_tables_of_positions_that_the_writer_counts_and_does_not_save(tmp_path: Path) -> None:
    widths = dict.fromkeys(("d_model", "encoder_ffn_dim", "decoder_ffn_dim"), 2)
    counts = dict.fromkeys(("encoder_layers", "decoder_layers", *HEADS), 1)
    names = {"model_type": "marian", "architectures": ["MarianMTModel"], "dtype": "float32"}
    config: dict[str, object] = {**names, **widths, **counts, "vocab_size": 6, "max_position_embeddings": 4}
    model = archcount.load(config)
    held = [(each.name, "F32", [*map(int, each.shape)]) for each in model.tensors() if each.storage.value == "own"]
    write_shards(tmp_path, held, 2, {"total_parameters": model.totals.parameters + 2 * 4 * 2})
    answer = archcount.verify(config, tmp_path)
    claims = [(finding.kind, finding.cause) for finding in answer.findings if "total" in finding.subject]
    assert claims == [(Kind.OTHER_TOTAL, "it is the parameters with the computed tables of positions")]

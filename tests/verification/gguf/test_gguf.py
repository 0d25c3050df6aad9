"""GGUF files, their names mapped back."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
import pytest

import archcount
from archcount import Verdict
from archcount.checkpoint.entries import Entry
from archcount.checkpoint.gguf_names import gguf_names
from archcount.verification.findings import Kind
from archcount.verification.gguf import as_gguf
from archcount.verification.prediction import predict

from .. import tiny

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "model.layers": "blk",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def write(path: Path, architecture: str, shapes: dict[str, list[int]]) -> None:
    writer = gguf.GGUFWriter(str(path), architecture)
    for name, shape in shapes.items():
        writer.add_tensor(name, np.zeros(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def shapes() -> dict[str, list[int]]:
    found = {}
    for name, _, shape in tiny.tensors():
        for ours, met in NAMES.items():
            name = name.replace(ours, met)  # noqa: PLW2901 - each name is changed part by part
        found[name] = shape
    return found


def test_a_llama(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", "llama", shapes())
    answer = archcount.verify(tiny.CONFIG, tmp_path / "model.gguf")
    assert (answer.verdict, answer.findings) == (Verdict.MATCH, ())
    assert answer.stored == answer.parameters == 1_512


def test_its_rotary_frequencies_are_a_buffer(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", "llama", {**shapes(), "rope_freqs.weight": [2]})
    answer = archcount.verify(tiny.CONFIG, tmp_path / "model.gguf")
    assert [(finding.kind, finding.elements) for finding in answer.findings] == [(Kind.BUFFER_STORED, 2)]


def test_queries_keys_and_values_in_one_tensor(tmp_path: Path) -> None:
    fused = {
        name: shape for name, shape in shapes().items() if not name.endswith(("_q.weight", "_k.weight", "_v.weight"))
    }
    fused |= {f"blk.{layer}.attn_qkv.weight": [16, 8] for layer in range(2)}
    write(tmp_path / "model.gguf", "llama", fused)
    answer = archcount.verify(tiny.CONFIG, tmp_path / "model.gguf")
    assert (answer.verdict, answer.stored, answer.parameters) == (Verdict.MATCH, 1_512, 1_512)


def test_what_is_missing_is_told_by_the_name_in_the_file(tmp_path: Path) -> None:
    found = shapes()
    del found["blk.1.ffn_up.weight"]
    write(tmp_path / "model.gguf", "llama", found)
    (finding,) = archcount.verify(tiny.CONFIG, tmp_path / "model.gguf").findings
    assert (finding.kind, finding.subject) == (Kind.MISSING, "blk.1.ffn_up.weight")


def test_an_adapter_is_called_one(tmp_path: Path) -> None:
    write(tmp_path / "lora.gguf", "llama", {"blk.0.attn_q.weight.lora_a": [4, 8], "blk.0.attn_q.weight.lora_b": [8, 4]})
    for weights in (tmp_path, tmp_path / "lora.gguf"):
        with pytest.raises(archcount.ArchcountError, match="an adapter, not the weights of a model"):
            archcount.verify(tiny.CONFIG, weights)


def test_an_architecture_that_nobody_knows(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", "nonesuch", shapes())
    with pytest.raises(archcount.ArchcountError, match="GGUF architecture 'nonesuch' is unknown"):
        archcount.verify(tiny.CONFIG, tmp_path / "model.gguf")


def named(model: archcount.Model, architecture: str, held: dict[str, Entry]) -> dict[str, tuple[int, ...]]:
    """Every tensor that a file of that architecture must hold, by the pattern of its names."""
    stored = as_gguf(model, predict(model), {"general.architecture": architecture}, held).stored
    return {one.pattern: tuple(map(int, one.shape)) for one in stored if not one.is_optional}


@pytest.mark.parametrize(
    ("held", "patterns"),
    [
        ("attn_kv_b", {"attn_kv_b": (32_768, 512)}),
        ("attn_k_b", {"attn_k_b": (128, 512, 128), "attn_v_b": (128, 128, 512)}),
        ("attn_norm", {"attn_k_b": (128, 512, 128), "attn_v_b": (128, 128, 512)}),
    ],
)
def test_latent_attention_whole_and_split(held: str, patterns: dict[str, tuple[int, ...]]) -> None:
    model = archcount.load("deepseek-v3")
    entry = Entry("F16", (1,), (0, 2))
    found = named(model, "deepseek2", {f"blk.{layer}.{held}.weight": entry for layer in (0, 3)})
    met = {name.split(".")[2]: size for name, size in found.items() if name.endswith(("k_b.weight", "v_b.weight"))}
    assert met == patterns


@pytest.mark.parametrize(
    ("name", "architecture", "patterns"),
    [
        ("mixtral-8x7b", "llama", {"blk.{0-31}.ffn_gate_exps.weight": (8, 14_336, 4_096)}),
        ("qwen3-30b-a3b", "qwen3moe", {"blk.{0-47}.ffn_down_exps.weight": (128, 2_048, 768)}),
        ("gpt2", "gpt2", {"blk.{0-11}.attn_qkv.weight": (2_304, 768), "position_embd.weight": (1_024, 768)}),
        ("deepseek-v3", "deepseek2", {"blk.{3-60}.exp_probs_b.bias": (256,)}),
        ("gpt-oss-20b", "gpt-oss", {"blk.{0,2,4,6,8,10,12,14,16,18,20,22}.ffn_up_exps.bias": (32, 2_880)}),
        ("gpt-oss-20b", "gpt-oss", {"blk.{0,2,4,6,8,10,12,14,16,18,20,22}.attn_sinks.weight": (64,)}),
        (
            "llama-4-scout",
            "llama4",
            {"blk.{3,7,11,15,19,23,27,31,35,39,43,47}.ffn_down_exps.weight": (16, 5_120, 8_192)},
        ),
        ("roberta-base", "bert", {"position_embd.weight": (512, 768)}),
        (
            "t5-small",
            "t5",
            {"enc.blk.{1-5}.attn_q.weight": (512, 512), "dec.blk.{1-5}.cross_attn_k.weight": (512, 512)},
        ),
        ("bloom-560m", "bloom", {"token_embd_norm.weight": (1_024,), "blk.{0-23}.ffn_norm.bias": (1_024,)}),
        ("mamba-2.8b", "mamba", {"blk.{0-63}.ssm_a": (5_120, 16), "blk.{0-63}.ssm_d": (5_120,)}),
    ],
)
def test_names_and_shapes_as_llama_cpp_has_them(
    name: str, architecture: str, patterns: dict[str, tuple[int, ...]]
) -> None:
    found = named(archcount.load(name), architecture, {})
    assert {pattern: found.get(pattern) for pattern in patterns} == patterns


def test_one_architecture_leaves_the_names_of_the_next_alone() -> None:
    before = gguf_names("llama", 2)("model.layers.0.residual_layernorm.weight")
    gguf_names("arctic", 2)
    assert gguf_names("llama", 2)("model.layers.0.residual_layernorm.weight") == before


def test_a_tensor_that_the_package_has_no_name_for_cannot_be_judged(tmp_path: Path) -> None:
    write(tmp_path / "model.gguf", "gpt2", shapes())
    told = r"has no name for model\.layers\.\{0-1\}\.self_attn\.q_proj\.weight in a file of architecture 'gpt2'"
    with pytest.raises(archcount.ArchcountError, match=told):
        archcount.verify({**tiny.CONFIG, "model_type": "qwen3"}, tmp_path / "model.gguf")

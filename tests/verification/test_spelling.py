"""Names under another spelling than the rule's are matched, and said."""

from __future__ import annotations

from pathlib import Path

import archcount
from archcount import Verification
from archcount.verification.findings import Kind

from . import tiny
from .files import Tensor, write_headers

META = {
    "model.embed_tokens": "tok_embeddings",
    "lm_head": "output",
    "model.": "",
    "self_attn.q_proj": "attention.wq",
    "self_attn.k_proj": "attention.wk",
    "self_attn.v_proj": "attention.wv",
    "self_attn.o_proj": "attention.wo",
    "mlp.gate_proj": "feed_forward.w1",
    "mlp.up_proj": "feed_forward.w3",
    "mlp.down_proj": "feed_forward.w2",
    "input_layernorm": "attention_norm",
    "post_attention_layernorm": "ffn_norm",
}
BERT: dict[str, object] = {
    "model_type": "bert",
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "vocab_size": 30,
    "max_position_embeddings": 10,
}


def check(folder: Path, tensors: list[Tensor], config: dict[str, object]) -> Verification:
    write_headers(folder / "model.safetensors", tensors)
    return archcount.verify(config, folder)


def spelled(answer: Verification) -> list[tuple[str, int]]:
    return [(finding.subject, finding.count) for finding in answer.findings if finding.kind is Kind.OTHER_SPELLING]


def renamed(written: dict[str, str]) -> list[Tensor]:
    tensors = list(tiny.tensors())
    for ours, met in written.items():
        tensors = [(name.replace(ours, met), dtype, shape) for name, dtype, shape in tensors]
    return tensors


def predicted(config: dict[str, object]) -> list[Tensor]:
    return [
        (one.name, "F32", [int(size) for size in one.shape])
        for one in archcount.load(config).tensors()
        if one.storage.is_in_file
    ]


def test_meta_s_own_names_under_a_hugging_face_config(tmp_path: Path) -> None:
    answer = check(tmp_path, renamed(META), tiny.CONFIG)
    assert answer.verdict is archcount.Verdict.MATCH_WITH_NOTES
    assert answer.parameters == 1_512
    assert sum(count for _, count in spelled(answer)) == 21
    assert ("Meta's own names", 20) in spelled(answer)


def test_the_body_alone_without_its_prefix(tmp_path: Path) -> None:
    tensors = [(name.removeprefix("model."), dtype, shape) for name, dtype, shape in tiny.tensors(head=False)]
    answer = check(tmp_path, tensors, tiny.TIED)
    assert spelled(answer) == [("without 'model' before it", 20)]
    assert answer.parameters == answer.declared == 1_256


def test_a_wrapper_s_prefix(tmp_path: Path) -> None:
    tensors = [(f"_orig_mod.{name}", dtype, shape) for name, dtype, shape in tiny.tensors()]
    assert spelled(check(tmp_path, tensors, tiny.CONFIG)) == [("with '_orig_mod.' before it", 21)]


def test_a_prefix_where_the_body_alone_is_declared(tmp_path: Path) -> None:
    config = {**tiny.CONFIG, "architectures": ["LlamaModel"]}
    answer = check(tmp_path, list(tiny.tensors(head=False)), config)
    assert spelled(answer) == [("with 'model.' before it", 20)]
    assert answer.verdict is archcount.Verdict.MATCH_WITH_NOTES


def test_tensorflow_s_names_of_a_norm(tmp_path: Path) -> None:
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    tensors = predicted({**BERT, "architectures": ["BertForPreTraining"]})
    for ours, met in old.items():
        tensors = [(name.replace(ours, met), dtype, shape) for name, dtype, shape in tensors]
    answer = check(tmp_path, tensors, {**BERT, "architectures": ["BertForPreTraining"]})
    assert answer.verdict is archcount.Verdict.MATCH_WITH_NOTES
    assert spelled(answer) == [("gamma for weight", 4), ("beta for bias", 4)]


def test_a_spelling_is_tried_on_what_is_not_predicted_alone(tmp_path: Path) -> None:
    config = dict(archcount.load("gemma-3-4b").raw)
    names = [(name, dtype, shape) for name, dtype, shape in predicted(config)]
    assert check(tmp_path, names, {**config, "torch_dtype": "float32"}).findings == ()


def test_a_newer_prefix_of_a_multimodal_model(tmp_path: Path) -> None:
    config = {**archcount.load("gemma-3-4b").raw, "torch_dtype": "float32"}
    newer = {"language_model.model.": "model.language_model.", "multi_modal_projector.": "model.multi_modal_projector."}
    tensors = predicted(config)
    for ours, met in newer.items():
        tensors = [
            (name.replace(ours, met, 1) if name.startswith(ours) else name, dtype, shape)
            for name, dtype, shape in tensors
        ]
    answer = check(tmp_path, tensors, config)
    assert answer.verdict is archcount.Verdict.MATCH_WITH_NOTES
    assert sorted(subject for subject, _ in spelled(answer)) == [
        "'model.language_model' for 'language_model.model'",
        "'model.multi_modal_projector' for 'multi_modal_projector'",
    ]


def test_two_names_for_one_tensor_are_not_both_taken(tmp_path: Path) -> None:
    tensors = [tensor for tensor in tiny.tensors() if tensor[0] != "model.norm.weight"]
    tensors += [("norm.weight", "BF16", [8]), ("module.model.norm.weight", "BF16", [8])]
    answer = check(tmp_path, tensors, tiny.CONFIG)
    assert [finding.subject for finding in answer.findings if finding.kind is Kind.UNEXPECTED] == [
        "module.model.norm.weight"
    ]


def test_a_language_model_saved_as_part_of_one_that_sees(tmp_path: Path) -> None:
    answer = check(tmp_path, renamed({"model.": "model.language_model."}), tiny.CONFIG)
    assert spelled(answer) == [("'model.language_model' for 'model'", 20)]
    assert [finding.kind for finding in answer.findings] == [Kind.OTHER_SPELLING]


def test_parts_in_the_middle_of_a_name_that_the_release_calls_otherwise(tmp_path: Path) -> None:
    """Hy4's released header has `model.layers.0.hc_attn_layer.hc_pre.hc_fn`; vLLM loads `mlp.gate_proj`."""
    sizes = {
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "vocab_size": 96,
        "n_routed_experts": 4,
        "torch_dtype": "float32",
    }
    config: dict[str, object] = {"model_type": "hy_v4", "mlp_layer_types": ["dense", "sparse"], **sizes}
    released = {
        "hc_pre.hc_attn_layer.": "hc_attn_layer.hc_pre.",
        "hc_pre.hc_mlp_layer.": "hc_mlp_layer.hc_pre.",
        "model.hc_pre.hc_head.": "model.hc_head.",
        "mlp.linear_gate.": "mlp.gate_proj.",
        "shared_experts.linear_gate.": "shared_experts.gate_proj.",
    }
    tensors = predicted(config)
    for ours, met in released.items():
        tensors = [(name.replace(ours, met), dtype, shape) for name, dtype, shape in tensors]
    assert {"model.layers.0.hc_attn_layer.hc_pre.hc_fn", "model.layers.0.mlp.gate_proj.weight"} <= {
        name for name, _, _ in tensors
    }
    answer = check(tmp_path, tensors, config)
    assert answer.verdict is archcount.Verdict.MATCH_WITH_NOTES
    assert sorted(spelled(answer)) == [
        ("hc_attn_layer.hc_pre for hc_pre.hc_attn_layer", 6),
        ("hc_mlp_layer.hc_pre for hc_pre.hc_mlp_layer", 6),
        ("mlp.gate_proj for mlp.linear_gate", 1),
        ("model.hc_head for model.hc_pre.hc_head", 3),
        ("shared_experts.gate_proj for shared_experts.linear_gate", 1),
    ]

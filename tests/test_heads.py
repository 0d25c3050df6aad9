"""The class named in `architectures` decides what stands on top of a decoder."""

import json
from pathlib import Path

import pytest

import archcount
from archcount.class_names import stem
from archcount.errors import ConfigValueError
from archcount.tree import Role, Storage

DECODER = 6_738_415_616 - 32_000 * 4096  # Llama 7B without its head


def top(model_type: str, name: str | None, **keys: object) -> dict[str, tuple[int, ...]]:
    """What stands outside the layers, the table and the last norm, with its shape."""
    classes = {} if name is None else {"architectures": [name]}
    model = archcount.load({"model_type": model_type, **classes, **keys})
    inside = ("layers.", "embed_tokens.", "norm.", "h.", "wte.", "ln_f.")
    return {
        tensor.name: tuple(tensor.shape)
        for tensor in model.tensors()
        if not tensor.name.removeprefix("model.").removeprefix("transformer.").startswith(inside)
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, {"lm_head.weight": (32000, 4096)}),
        ("LlamaForCausalLM", {"lm_head.weight": (32000, 4096)}),
        ("LlamaForSequenceClassification", {"score.weight": (2, 4096)}),
        ("LlamaForTokenClassification", {"score.weight": (2, 4096), "score.bias": (2,)}),
        ("LlamaForQuestionAnswering", {"qa_outputs.weight": (2, 4096), "qa_outputs.bias": (2,)}),
        ("LlamaModel", {}),
    ],
)
def test_a_class_has_the_head_it_is_named_for(name: str | None, expected: dict[str, tuple[int, ...]]) -> None:
    assert top("llama", name) == expected


@pytest.mark.parametrize(
    ("model_type", "name"),
    [
        ("gpt2", "GPT2ForTokenClassification"),
        ("gpt_bigcode", "GPTBigCodeForTokenClassification"),
        ("gpt_neo", "GPTNeoForTokenClassification"),
        ("gpt_neox", "GPTNeoXForTokenClassification"),
    ],
)
def test_the_gpts_call_what_labels_tokens_a_classifier(model_type: str, name: str) -> None:
    names = {tensor.name for tensor in archcount.load({"model_type": model_type, "architectures": [name]}).tensors()}
    assert {"classifier.weight", "classifier.bias"} < names
    assert "score.weight" not in names


def test_a_score_has_a_row_for_each_label() -> None:
    labels = {"id2label": {"0": "no", "1": "yes", "2": "perhaps"}}
    assert top("llama", "LlamaForSequenceClassification", **labels) == {"score.weight": (3, 4096)}
    assert top("llama", "LlamaForSequenceClassification", num_labels=5) == {"score.weight": (5, 4096)}


@pytest.mark.parametrize(("version", "rows"), [(None, 3), ("4.57.1", 3), ("5.24.0", 7)])
def test_of_two_numbers_of_labels_the_writer_s_version_chooses(version: str | None, rows: int) -> None:
    labels = {"id2label": {"0": "no", "1": "yes", "2": "perhaps"}, "num_labels": 7, "transformers_version": version}
    assert top("llama", "LlamaForSequenceClassification", **labels) == {"score.weight": (rows, 4096)}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("LlamaForCausalLM", DECODER + 32_000 * 4096),
        ("LlamaForSequenceClassification", DECODER + 2 * 4096),
        ("LlamaModel", DECODER),
    ],
)
def test_the_head_is_counted_with_the_rest(name: str, parameters: int) -> None:
    assert archcount.load({"model_type": "llama", "architectures": [name]}).totals.parameters == parameters


@pytest.mark.parametrize(
    ("model_type", "name", "first"),
    [
        ("llama", "LlamaForCausalLM", "model.embed_tokens.weight"),
        ("llama", "LlamaModel", "embed_tokens.weight"),
        ("llama", "LlamaForQuestionAnswering", "transformer.embed_tokens.weight"),
        ("nemotron", "NemotronForQuestionAnswering", "transformer.embed_tokens.weight"),
        ("mistral", "MistralForQuestionAnswering", "model.embed_tokens.weight"),
        ("gpt2", "GPT2LMHeadModel", "transformer.wte.weight"),
        ("gpt2", "GPT2Model", "wte.weight"),
        ("gptj", "GPTJForSequenceClassification", "transformer.wte.weight"),
    ],
)
def test_the_decoder_stands_under_the_name_its_class_gives_it(model_type: str, name: str, first: str) -> None:
    assert next(archcount.load({"model_type": model_type, "architectures": [name]}).tensors()).name == first


def test_a_tied_head_is_a_head_that_is_not_stored() -> None:
    head = list(archcount.load("llama-3.2-1b").tensors())[-1]
    assert (head.name, head.storage, head.tensor.same_as, head.role) == (
        "lm_head.weight",
        Storage.TIED,
        "model.embed_tokens.weight",
        Role.HEAD,
    )


def test_a_tied_head_may_have_a_bias_of_its_own() -> None:
    tensors = archcount.load({"model_type": "gptj", "tie_word_embeddings": True}).tensors()
    found = {tensor.name: tensor.storage for tensor in tensors if tensor.name.startswith("lm_head")}
    assert found == {"lm_head.weight": Storage.TIED, "lm_head.bias": Storage.OWN}


def test_a_class_that_puts_something_unknown_on_top_is_refused() -> None:
    with pytest.raises(
        ConfigValueError, match=r"^config: architectures is 'LlamaForMaskedLM': its head is not known; "
    ):
        archcount.load({"model_type": "llama", "architectures": ["LlamaForMaskedLM"]})


RECORDED = sorted((Path(__file__).parent / "architectures" / "recorded").glob("*/*.jsonl"))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_family_takes_a_class_it_does_not_know_for_the_whole_model(path: Path) -> None:
    config = json.loads(path.read_text(encoding="utf-8").partition("\n")[0])["config"]
    unknown = f"{stem(config['architectures'][0])}ForSomethingElse"
    with pytest.raises(ConfigValueError, match=unknown):
        archcount.load({**config, "architectures": [unknown]})


@pytest.mark.parametrize(
    ("model_type", "name", "parameters"),
    [
        ("blt", "BltModel", 4_632_861_440),
        ("fuyu", "FuyuModel", 8_334_496_768),
        ("qwen3_5", "Qwen3_5Model", 8_390_335_216),
        ("qwen3_5_moe", "Qwen3_5MoeModel", 34_605_702_000),
        ("gemma4", "Gemma4Model", 5_077_177_856 + 30),  # transformers keeps the scalar of each layer as a buffer
    ],
)
def test_a_bare_model_of_several_parts_has_no_head(model_type: str, name: str, parameters: int) -> None:
    bare = archcount.load({"model_type": model_type, "architectures": [name]})
    assert bare.totals.parameters == parameters
    assert not any(tensor.name.startswith(("lm_head.", "language_model.lm_head.")) for tensor in bare.tensors())


@pytest.mark.parametrize(
    ("model_type", "name"),
    [("qwen3_5", "Qwen3_5ForCausalLM"), ("qwen3_5_moe", "Qwen3_5MoeForCausalLM"), ("gemma4", "Gemma4ForCausalLM")],
)
def test_a_causal_class_loads_the_language_model_alone(model_type: str, name: str) -> None:
    alone = archcount.load({"model_type": model_type, "architectures": [name]})
    text = archcount.load({"model_type": f"{model_type}_text"})
    assert [tensor.name for tensor in alone.tensors()] == [tensor.name for tensor in text.tensors()]
    assert alone.totals.parameters == text.totals.parameters

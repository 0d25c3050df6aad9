"""model_type, the class in `architectures` and `auto_map`: which of them decides what is counted."""

import pytest

import archcount
from archcount.class_names import class_name, class_names, plain, stem
from archcount.errors import ConfigValueError, UnknownArchitectureError
from archcount.tree import Role


def named(*classes: str, **keys: object) -> archcount.Model:
    return archcount.load({**keys, "architectures": list(classes)})


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("InternLM2ForCausalLM", "InternLM2"),
        ("GPT2LMHeadModel", "GPT2"),
        ("ReformerModelWithLMHead", "Reformer"),
        ("Qwen2ForProcessRewardModel", "Qwen2"),
        ("GPTNeoXRewardModel", "GPTNeoX"),
        ("LlamaModel", "Llama"),
        ("MiniCPMV", "MiniCPMV"),
    ],
)
def test_the_stem_of_a_class(name: str, expected: str) -> None:
    assert stem(name) == expected


def test_a_class_and_its_model_type_share_their_letters() -> None:
    assert plain("Qwen2_5_VL") == plain("qwen2_5_vl") == "qwen25vl"
    assert plain("MixFormerSequential") == plain("mixformer-sequential")


def test_a_bare_model_means_the_class_that_auto_map_loads() -> None:
    auto_map = {"AutoModel": "THUDM/chatglm3-6b--modeling_chatglm.ChatGLMForConditionalGeneration"}
    assert class_name(["ChatGLMModel"], auto_map) == "ChatGLMForConditionalGeneration"
    assert class_name(["ChatGLMModel"], {}) == "ChatGLMModel"
    assert class_name(["ChatGLMForSequenceClassification"], auto_map) == "ChatGLMForSequenceClassification"


def test_classes_are_read_from_architectures_then_from_auto_map() -> None:
    raw = {
        "architectures": ["A"],
        "auto_map": {"AutoConfig": "c.Config", "AutoModel": ["x", None], "AutoModelForCausalLM": "o/r--m.BForCausalLM"},
    }
    assert list(class_names(raw)) == ["A", "BForCausalLM"]
    assert list(class_names({"architectures": None, "auto_map": "m.B"})) == []


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "llama", "architectures": ["LlamaForCausalLM"]},
        {"model_type": "qwen2", "architectures": ["Qwen2ForRewardModel"]},
        {"model_type": "gpt-sw3", "architectures": ["GPT2LMHeadModel"]},
        {"model_type": "kimi_k2", "architectures": ["DeepseekV3ForCausalLM"]},
        {"model_type": "exaone", "architectures": ["LlamaForCausalLM"]},  # as transformers 5 writes EXAONE 3
        {"model_type": "exaone", "architectures": ["ExaoneForCausalLM"]},
        {"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"]},
        {"model_type": "mistral", "architectures": ["AutoModelForCausalLM"]},
        {"model_type": "llama"},
    ],
    ids=str,
)
def test_a_class_of_model_type_s_own_family_leaves_no_note(config: dict[str, object]) -> None:
    model = archcount.load(config)
    assert (model.model_type, model.note) == (config["model_type"], "")


def test_a_class_of_another_family_decides_the_tensors() -> None:
    # A published InternLM2 under the older model_type: its index names 227 tensors and 15,475,417,088 bytes.
    keys = {"hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32}
    more = {"num_key_value_heads": 8, "vocab_size": 92544, "bias": False}
    model = named("InternLM2ForCausalLM", model_type="internlm", **keys, **more)
    assert model.model_type == "internlm2"
    assert model.note == "counted by internlm2's rule, after its class InternLM2ForCausalLM: its model_type is internlm"
    assert model.totals.parameters == 15_475_417_088 // 2
    assert sum(1 for _ in model.tensors()) == 227
    assert "model.layers.0.attention.wqkv.weight" in {tensor.name for tensor in model.tensors()}


def test_a_class_decides_the_head_of_a_language_model_alone() -> None:
    """What is on top is said beside the language model's config, not in it."""
    text = {"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1,
            "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100}  # fmt: skip

    def head(name: str, **keys: object) -> dict[str, tuple[int, ...]]:
        model = named(name, model_type="llava", text_config=text, **keys)
        return {each.name: each.shape for each in model.tensors() if each.role is Role.HEAD}

    assert head("LlamaForCausalLM") == {"lm_head.weight": (100, 64)}
    assert head("LlamaModel") == {}
    assert head("LlamaForSequenceClassification", num_labels=5) == {"score.weight": (5, 64)}


def test_keys_left_out_have_the_defaults_of_model_type_s_class() -> None:
    # LlamaConfig knows no groups unless told: Mistral's default of 8 would be 5,933,109,248.
    assert named("MistralForCausalLM", model_type="llama").totals.parameters == 6_738_415_616
    assert named("MixtralForCausalLM", model_type="mistral").totals.parameters == 46_702_792_704


def test_spellings_of_model_type_s_class_are_read() -> None:
    converted = named("LlamaForCausalLM", model_type="qwen", n_layer=3)  # Qwen's first configs spell it so
    names = {tensor.name for tensor in converted.tensors()}
    assert "model.layers.2.self_attn.q_proj.weight" in names
    assert "model.layers.3.self_attn.q_proj.weight" not in names


@pytest.mark.parametrize("model_type", [None, "", "of_our_own"])
def test_a_missing_or_unknown_model_type_is_resolved_by_the_class(model_type: str | None) -> None:
    model = named("GPT2LMHeadModel", model_type=model_type, n_embd=1600, n_layer=48, n_head=25)  # CASES: gpt2-xl
    assert (model.model_type, model.totals.parameters) == ("gpt2", 1_557_611_200)
    assert model.note.startswith("counted by gpt2's rule, after its class GPT2LMHeadModel: its ")


def test_then_by_the_class_that_auto_map_names() -> None:
    auto_map = {"AutoConfig": "configuration_ours.OurConfig", "AutoModelForCausalLM": "modeling_ours.LlamaForCausalLM"}
    model = archcount.load({"model_type": "ours", "architectures": ["OurForCausalLM"], "auto_map": auto_map})
    assert model.model_type == "llama"
    assert model.note == "counted by llama's rule, after its class LlamaForCausalLM: its model_type ours is unknown"


def test_neither_known_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownArchitectureError, match=r"no rule for model_type 'llamas': nearest: llama, .*--as TYPE"):
        named("FrobnicateForCausalLM", model_type="llamas")
    with pytest.raises(ConfigValueError, match="model_type is missing: add it to the config, or name one with --as"):
        archcount.load({"hidden_size": 64})
    with pytest.raises(ConfigValueError, match="model_type is 7: should be a string"):
        named("LlamaForCausalLM", model_type=7)


def test_a_repository_s_own_class_under_a_known_type_is_noted() -> None:
    auto_map = {"AutoModelForMaskedLM": "jinaai/jina-bert-implementation--modeling_bert.JinaBertForMaskedLM"}
    model = named("JinaBertForMaskedLM", model_type="bert", auto_map=auto_map)
    assert model.note == (
        "counted by bert's rule: its class JinaBertForMaskedLM is the repository's own, and may differ"
    )
    assert named("SomethingForCausalLM", model_type="llama").note == ""  # without auto_map, model_type's class loads


def test_as_type_decides_alone_and_says_so() -> None:
    keys = {"model_type": "ours", "architectures": ["InternLM2ForCausalLM"]}
    model = archcount.load(keys, as_type="llama")
    assert (model.model_type, model.totals.parameters) == ("llama", 6_738_415_616)
    assert model.note == "counted by llama's rule, as asked: its model_type is ours"
    assert archcount.load({"model_type": "llama"}, as_type="llama").note == ""
    with pytest.raises(UnknownArchitectureError, match="no rule for model_type 'lama': nearest: llama"):
        archcount.load(keys, as_type="lama")


def test_settings_are_checked_against_the_family_that_counts() -> None:
    model = archcount.load({"architectures": ["GPT2LMHeadModel"]}, {"n_layer": 2})
    assert model.totals.parameters == 124_439_808 - 10 * 7_087_872

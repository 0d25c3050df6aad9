"""Bad input ends in one clear line on stderr and exit code 2, with nothing on stdout: never a traceback."""

import json
from pathlib import Path

import pytest

from archcount.cli import main

LLAMA = {"model_type": "llama"}


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    first, _, rest = captured.err.partition("\n")
    assert rest == ""
    return first.removeprefix("archcount: ")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


TOO_DEEP = "nested deeper than 100 levels, so not a config"


def _nested(levels: int) -> str:
    return f'{{"model_type": "llama", "x": {"[" * levels}{"]" * levels}}}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON at line 1, column 1: Expecting value"),
        ('{"model_type": "llama",\n  "hidden_size": }', "not JSON at line 2, column 18: Expecting value"),
        ("[1]", "a JSON list, where an object is needed ({…})"),
        ('"llama"', "a JSON string, where an object is needed ({…})"),
        ("null", "a JSON null, where an object is needed ({…})"),
        ("{}", "model_type is missing: add it to the config, or name one with --as (llama, qwen3 …)"),
        ('{"model_type": ""}', "model_type is missing: add it to the config, or name one with --as (llama, qwen3 …)"),
        ('{"model_type": 3}', "model_type is 3: should be a string"),
        (_nested(100_000), TOO_DEEP),
        (_nested(100), TOO_DEEP),
        (f'{{"model_type": "llama", "hidden_size": 1{"0" * 5000}}}', "a number has more digits than any size could"),
    ],
    ids=[
        "empty", "half", "list", "string", "null", "no type", "empty type", "number", "deep",
        "deep enough", "5001 digits",
    ],
)  # fmt: skip
def test_what_is_no_config(folder: Path, capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    (folder / "c.json").write_text(text)
    assert _refused(capsys, "c.json") == f"c.json: {message}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "is 0: should be greater than or equal to 1"),
        ("-1", "is -1: should be greater than or equal to 1"),
        (
            "1" + "0" * 400,
            "is 100000000000000000000000000000… (int, 401 characters): should be less than or equal to 1099511627776",
        ),
        ("4096.5", "is 4096.5: should be a whole number"),
        ("1e400", "is inf: should be a whole number"),
        ("NaN", "is nan: should be a whole number"),
        ("Infinity", "is inf: should be a whole number"),
        ('{"__float__": "Infinity"}', "is inf: should be a whole number"),
        ('"4096"', "is '4096': should be a whole number"),
        ("true", "is True: should be a whole number"),
        ("[4096]", "is [4096]: should be a whole number"),
    ],
)  # fmt: skip
def test_sizes_no_model_can_have(folder: Path, capsys: pytest.CaptureFixture[str], value: str, message: str) -> None:
    (folder / "c.json").write_text(f'{{"model_type": "llama", "hidden_size": {value}}}')
    assert _refused(capsys, "c.json") == f"c.json: hidden_size {message}"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**LLAMA, "num_attention_heads": 33}, "hidden_size (4096) does not divide by num_attention_heads (33)"),
        (
            {**LLAMA, "num_key_value_heads": 7},
            "num_attention_heads (32) does not divide by num_key_value_heads (7)",
        ),
        (
            {**LLAMA, "num_hidden_layers": 10**9},
            "num_hidden_layers is 1000000000: should be less than or equal to 1048576",
        ),
        ({**LLAMA, "architectures": "LlamaForCausalLM"}, "architectures is 'LlamaForCausalLM': should be a valid list"),
        ({**LLAMA, "quantization_config": 3}, "quantization_config is 3: should be a valid dictionary"),
        (
            {"model_type": "qwen3", "layer_types": ["full_attention"]},
            "layer_types has 1 entries: should have one for each of 32 layers",
        ),
        ({"model_type": "gemma3", "text_config": {"hidden_size": -3}},
         "text_config.hidden_size is -3: should be greater than or equal to 1"),
        (
            {"dim": 4096, "n_layers": 32, "n_heads": 32, "multiple_of": 256, "vocab_size": -1},
            "vocab_size is -1: the tokenizer knows it, params.json does not: give it with --set vocab_size=32000",
        ),
    ],
    ids=lambda value: next(reversed(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_sizes_that_cannot_go_together(
    folder: Path, capsys: pytest.CaptureFixture[str], config: dict[str, object], message: str
) -> None:
    (folder / "c.json").write_text(json.dumps(config))
    assert _refused(capsys, "c.json").startswith(f"c.json: {message}")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"model_type": "glm4_moe", "hidden_size": 1},
            "num_attention_heads × (hidden_size ÷ num_attention_heads) makes a tensor of size 0: should be at least 1",
        ),
        (
            {"model_type": "gemma3", "vision_config": {"patch_size": 1000}},
            "vision_config.image_size ÷ vision_config.patch_size × "
            "(vision_config.image_size ÷ vision_config.patch_size) makes a tensor of size 0: should be at least 1",
        ),
        (
            {"model_type": "dots3_note_text", "swa_head_dim": 7},
            "swa_head_dim - swa_qk_nope_head_dim makes a tensor of size -185: should be at least 1",
        ),
        ({"model_type": "xlstm", "qk_dim_factor": float("nan")}, "qk_dim_factor is nan: should be a finite number"),
        ({"model_type": "xlstm", "qk_dim_factor": -1}, "qk_dim_factor is -1: should be greater than 0"),
        ({"model_type": "xlstm", "qk_dim_factor": "8"}, "qk_dim_factor is '8': should be a valid number"),
        ({"model_type": "openelm", "qkv_multipliers": [0.5, -1]}, "qkv_multipliers[1] is -1: should be greater than 0"),
        ({"model_type": "lfm2", "block_ffn_dim_multiplier": 0}, "block_ffn_dim_multiplier is 0: should be greater "),
        ({"model_type": "deberta", "max_relative_positions": True}, "max_relative_positions is True: should be a "),
        ({"model_type": "aria", "projector_patch_to_query_dict": {}},
         "projector_patch_to_query_dict is {}: Dictionary should have at least 1 item"),
        ({"model_type": "janus", "vq_config": {"channel_multiplier": []}}, "vq_config.channel_multiplier is []: "),
        ({"model_type": "minicpmv", "version": "new"}, "version is 'new': should be one of 2.0, "),
        ({"model_type": "minicpmv", "version": 10**400}, "version is 100000000000000000000000000000… (int, 401 "),
        ({"model_type": "gemma3", "text_config": {"model_type": 10**400}}, "text_config.model_type is 1000000000000"),
        ({"model_type": ["llama"] * 100}, "model_type is ['llama', 'llama', 'llama', 'l… (list, 900 characters): "),
    ],
    ids=lambda value: next(reversed(value)) if isinstance(value, dict) else "",
)  # fmt: skip
def test_sizes_that_make_no_tensor(
    folder: Path, capsys: pytest.CaptureFixture[str], config: dict[str, object], message: str
) -> None:
    (folder / "c.json").write_text(json.dumps(config))
    assert _refused(capsys, "c.json").startswith(f"c.json: {message}")


def test_an_empty_list_of_experts_is_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.json").write_text('{"model_type": "skywork", "num_experts": []}')
    assert main(["c.json"]) == 0
    assert "experts" not in capsys.readouterr().out.partition("not read")[0]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "gpt2", "hidden_size": 0}, "hidden_size is 0: should be"),
        ({"model_type": "llama", "torch_dtype": 3}, "torch_dtype is 3: should be"),
        (
            {"model_type": "dots3_note", "text_config": {"num_local_experts": "8"}},
            "text_config.num_local_experts is '8': should be",
        ),
        ({"model_type": "gpt2", "n_embd": 0, "hidden_size": 8}, "n_embd is 0: should be"),
        (
            {"model_type": "openelm", "num_query_heads": [4, 0, "x"], "model_dim": 0},
            "model_dim is 0: should be greater than or equal to 1 (and 2 more)",
        ),
    ],
)
def test_a_fault_bears_the_key_that_the_config_has(
    folder: Path, capsys: pytest.CaptureFixture[str], config: dict[str, object], message: str
) -> None:
    (folder / "c.json").write_text(json.dumps(config))
    assert _refused(capsys, "c.json").startswith(f"c.json: {message}")


def test_an_unknown_model_type_names_the_nearest_and_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "c.json").write_text('{"model_type": "lama"}')
    message = _refused(capsys, "c.json")
    assert message.startswith("no rule for model_type 'lama': nearest: llama, ")
    assert "--as TYPE" in message


def test_bytes_that_are_no_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.safetensors").write_bytes(bytes(range(256)))
    assert _refused(capsys, "model.safetensors") == (
        "model.safetensors: not text (byte 128): give the model's config.json"
    )
    (folder / "c.json").write_bytes('{"model_type": "llama"}'.encode("utf-16"))
    assert _refused(capsys, "c.json") == "c.json: text as UTF-16: save it as UTF-8"


def test_an_adapter_is_no_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tuned").mkdir()
    adapter = {"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.1-8B", "r": 16}
    (folder / "tuned" / "adapter_config.json").write_text(json.dumps(adapter))
    for source in ("tuned", "tuned/adapter_config.json"):
        assert _refused(capsys, source) == (
            f"{source}: is the config of an adapter, not of a model: count its base, meta-llama/Llama-3.1-8B, "
            "and see what it holds itself with archcount weights"
        )


def test_paths_that_hold_no_config(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty").mkdir()
    assert _refused(capsys, "empty") == "empty: the folder holds neither config.json nor params.json"
    assert _refused(capsys, "nosuch.json") == "nosuch.json: no such file"
    assert _refused(capsys, "no/such/folder") == "no/such/folder: no such file"


@pytest.mark.parametrize("name", ["", " ", "a" * 5000, "a/" * 3000, "x\0y", "ꙮ"])
def test_names_that_nothing_bears(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert len(_refused(capsys, name)) < 250


def test_a_mistyped_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert _refused(capsys, "llama-3.1-8") == (
        "'llama-3.1-8' is no known model, file or repository id (org/name); "
        "nearest: llama-3.1-8b, llama-3-8b, llama-3.1-70b"
    )


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("x", "--set 'x': write key=value, as in --set num_hidden_layers=16"),
        ("=3", "--set '=3': write key=value, as in --set num_hidden_layers=16"),
        ("n_heads=12", "--set n_heads: no such key is read for this model; nearest: n_head, n_embd"),
        ("n_layer=abc", "gpt2: n_layer is 'abc': should be a whole number"),
        ("n_layer.x=3", "--set n_layer.x: n_layer is not an object in this config"),
        ("n_head=7", "gpt2: n_embd (768) does not divide by n_head (7)"),
    ],
)
def test_settings_that_cannot_be(capsys: pytest.CaptureFixture[str], setting: str, message: str) -> None:
    assert _refused(capsys, "gpt2", "--set", setting) == message


def test_a_revision_needs_a_repository(capsys: pytest.CaptureFixture[str]) -> None:
    assert _refused(capsys, "palm-8b", "--revision", "main") == (
        "--revision: palm-8b is written from its paper, and has no repository"
    )


@pytest.mark.parametrize("value", ["Infinity", "NaN", '{"__float__": "-Infinity"}'])
def test_what_writers_of_json_emit_is_taken(folder: Path, capsys: pytest.CaptureFixture[str], value: str) -> None:
    (folder / "c.json").write_text(f'{{"model_type": "llama", "time_step_limit": [0.0, {value}]}}')
    assert main(["c.json"]) == 0
    assert "6,738,415,616" in capsys.readouterr().out


def test_a_byte_order_mark_is_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "c.json").write_bytes(b"\xef\xbb\xbf" + b'{"model_type": "llama"}')
    assert main(["c.json"]) == 0
    assert "6,738,415,616" in capsys.readouterr().out

"""`archcount memory`: what is printed, what is asked for, what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from archcount.cli import main

Run = Callable[..., str]


def test_weights_and_cache_of_llama(run: Run) -> None:
    assert run("memory", "llama-3.1-8b", "--context", "8192", "--batch", "4").splitlines() == [
        "llama-3.1-8b: llama, LlamaForCausalLM, 8,192 tokens × 4",
        "",
        "part     layers           bytes  size",
        "─────────────────────────────────────────────────────",
        "weights          16,060,522,496  14.96 GiB = 16.06 GB",
        "  as the files store them",
        "  main           16,060,522,496  14.96 GiB = 16.06 GB",
        "    8,030,261,248 elements",
        "cache             4,294,967,296  4.00 GiB = 4.29 GB",
        "  KV         32   4,294,967,296  4.00 GiB = 4.29 GB",
        "    32 layers × 2,048 × 8,192 tokens × 4 × 16 bits",
        "─────────────────────────────────────────────────────",
        "total            20,355,489,792  18.96 GiB = 20.36 GB",
        "",
        "cache: at bfloat16; a token adds 131,072 bytes while every window is open",
        "a runtime's own buffers, activations and fragmentation come on top",
    ]


def test_a_sequence_longer_than_the_config_s_is_said_to_be_that(run: Run) -> None:
    words = "longer than the config's longest sequence, 1,024 tokens"
    assert words in run("memory", "gpt2", "--dtype", "fp32", "--context", "1025")
    assert words not in run("memory", "gpt2", "--dtype", "fp32", "--context", "1024")


def test_the_formula_of_each_kind(run: Run) -> None:
    printed = " ".join(run("memory", "mistral-7b", "--context", "32768", "--explain").split())
    assert "KV, for a token and layer: 2 × num_key_value_heads × (hidden_size ÷ num_attention_heads)" in printed
    assert "= 2 × 8 × (4,096 ÷ 32) = 2,048 elements" in printed
    assert "sliding KV: at most sliding_window = 4,096 rows are kept" in printed


def test_both_policies(run: Run) -> None:
    printed = " ".join(run("memory", "gemma-3-12b", "--context", "131072").split())
    assert (
        "unified, every layer at full length: 51,539,607,552 bytes (48.00 GiB = 51.54 GB), 5.8 times as many" in printed
    )
    found = json.loads(run("memory", "gemma-3-12b", "--context", "131072", "--policy", "unified", "--json"))
    assert found["cache_bytes"] == found["unified_cache_bytes"] == 51_539_607_552


def test_without_a_context_it_is_the_longest_the_config_names(run: Run) -> None:
    assert json.loads(run("memory", "llama-3.1-8b", "--json"))["context"] == 131_072


def test_from_4k_to_1m(run: Run) -> None:
    found = json.loads(run("memory", "llama-3.1-8b", "--contexts", "--json"))["contexts"]
    assert [each["context"] for each in found] == [1024 * 2**power for power in range(2, 11)]
    assert found[-1]["minimum_bytes"] == 1_048_576 * 131_072


def test_will_it_fit(run: Run) -> None:
    found = json.loads(run("memory", "llama-3.1-70b", "--context", "8192", "--device", "2xh200", "--json"))["device"]
    assert (found["name"], found["count"], found["fits"]) == ("h200", 2, True)
    printed = run("memory", "llama-3.1-70b", "--context", "8192", "--device", "h200")
    assert "fits NVIDIA H200 SXM?          no  143,791,767,552 of 141,000,000,000 bytes" in printed
    assert "decoding" not in printed


def test_upper_bounds_are_said_to_be_that(run: Run) -> None:
    printed = run("memory", "llama-3.1-8b", "--context", "8192", "--device", "h100")
    assert "tokens a second in all, an upper bound" in printed
    assert "seconds, a lower bound" in printed


def test_to_train_it(run: Run) -> None:
    page = run("memory", "llama-3.1-8b", "--context", "8192", "--training", "--with", "zero=3", "--with", "data=64")
    assert "optimizer       1,003,782,656  957.28 MiB = 1.00 GB" in page
    assert "devices: 64 = tensor 1 × pipeline 1 × data 64; experts over 1; ZeRO stage 3" in page
    assert "an estimate, by Korthikanti et al. 2022" in " ".join(page.split())
    found = json.loads(run("memory", "llama-3.1-8b", "--context", "8192", "--training", "--json"))
    assert found["weights_bytes"] + found["gradients_bytes"] + found["master_bytes"] == 8 * 8_030_261_248


def test_what_if(run: Run) -> None:
    found = json.loads(run("memory", "llama-3.1-8b", "--context", "1", "--set", "num_key_value_heads=32", "--json"))
    assert found["cache_bytes"] == 4 * 131_072


def test_a_model_that_keeps_nothing(run: Run) -> None:
    assert "no layer keeps anything of a sequence" in run("memory", "vit-22b", "--context", "256", "--dtype", "bf16")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gpt2"], "the config names no data type for transformer.wte.weight: give --dtype"),
        (
            ["gpt-oss-20b"],
            "the config names no data type for model.embed_tokens.weight: give --dtype, or --set dtype=… to keep what "
            "is quantized as stored",
        ),
        (["gemma-3-12b"], "the config names no longest sequence: give --context TOKENS"),
        (["llama-3.1-8b", "--device", "h900"], "--device 'h900': not in the table"),
        (["gpt2", "--training"], "the config names no data type: give --dtype"),
    ],
)
def test_what_is_refused(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["memory", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1
    assert message in captured.err


IMAGES = ("--context", "8192", "--image", "1024x768", "--images", "4")


def test_images_and_what_of_them_is_assumed(run: Run) -> None:
    printed = run("memory", "gemma-3-4b", *IMAGES).splitlines()
    assert printed[0] == "gemma-3-4b: gemma3, Gemma3ForConditionalGeneration, 9,232 tokens × 1"
    assert printed[20:24] == [
        "images: 4 of 1,024 × 768 pixels, 256 tokens and 4 marks each from 64 × 64",
        "  patches; 1,040 of the 9,232 tokens are theirs",
        "assumed: do_pan_and_scan false, as Gemma3Processor has it; the model's",
        "  preprocessor_config.json decides, give it with --processor",
    ]


def test_images_as_json(run: Run) -> None:
    found = json.loads(run("memory", "gemma-3-4b", *IMAGES, "--json"))
    assert found["images"] == {
        "height": 768,
        "width": 1024,
        "count": 4,
        "tokens": 1040,
        "tokens_each": 256,
        "marks_each": 4,
        "patches_each": 4096,
        "source_each": 0,
        "views": [{"count": 1, "rows": 64, "columns": 64, "extra": 0}],
        "processor": "Gemma3Processor",
        "assumed": {"do_pan_and_scan": False},
    }
    assert json.loads(run("memory", "llama-3.1-8b", "--json"))["images"] is None


def test_images_take_of_the_longest_sequence(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["memory", "gemma-3-4b", "--set", "text_config.max_position_embeddings=1040", "--image", "1024x768"]
    assert json.loads(run(*asked, "--json", "--images", "3"))["context"] == 1040
    assert main([*asked, "--images", "4"]) == 2
    assert "images of 1,040 tokens leave nothing of 1,040: give fewer" in capsys.readouterr().err


def test_a_processor_s_file_and_a_setting_over_it(run: Run, tmp_path: Path) -> None:
    config, processor = tmp_path / "config.json", tmp_path / "preprocessor_config.json"
    config.write_text('{"model_type": "qwen2_5_vl", "dtype": "bfloat16"}')
    processor.write_text(
        '{"min_pixels": 3136, "max_pixels": 12845056, "image_processor_type": "Qwen2VLImageProcessor"}'
    )
    asked = ("memory", str(config), "--context", "64", "--image", "1920x1080", "--json", "--processor")
    found = json.loads(run(*asked, str(processor)))["images"]
    assert (found["tokens"], found["assumed"]) == (2691, {})
    assert json.loads(run(*asked, str(processor), "--processor", "max_pixels=1003520"))["images"]["tokens"] == 1222


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--image", "1024"], "--image '1024': should be WIDTHxHEIGHT in pixels, as in 1024x768"),
        (["--images", "2"], "give --image WIDTHxHEIGHT too"),
        (["--image", "0x5"], "an image of 0 × 5: sides should be whole numbers, 1 or more"),
        (["--image", "5x5", "--processor", "most=3"], "no such setting here; there are: do_pan_and_scan"),
        (["--image", "5x5", "--processor", "none.json"], "none.json: "),
    ],
)
def test_images_that_cannot_be(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "gemma-3-4b", *options]) == 2
    assert message in capsys.readouterr().err

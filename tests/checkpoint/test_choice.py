"""Of a folder's files the set that a loader would take, and a reason for each of the others."""

from __future__ import annotations

import pytest

from archcount.checkpoint.choice import Choice, choose, passed_over, settle
from archcount.checkpoint.faults import AmbiguousWeightsError, NoWeightsError
from archcount.checkpoint.index import Index
from archcount.checkpoint.result import Kind

SHARDS = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
INDEX = "model.safetensors.index.json"
OUTPUTS = ("output-00001-of-00002.safetensors", "output-00002-of-00002.safetensors")  # exllamav2's


@pytest.mark.parametrize(
    ("files", "choice"),
    [
        ([INDEX, *SHARDS, "model.safetensors"], Choice(Kind.SHARDED, index=INDEX)),
        (
            ["model.safetensors", *SHARDS, "adapter_model.safetensors"],
            Choice(Kind.SINGLE, files=("model.safetensors",)),
        ),
        ([*SHARDS, "model.fp16.safetensors"], Choice(Kind.UNINDEXED, files=SHARDS)),
        ([SHARDS[1]], Choice(Kind.UNINDEXED, files=(SHARDS[1],), missing=(SHARDS[0],))),
        (
            ["adapter_model.safetensors", "adapter_config.json"],
            Choice(Kind.ADAPTER, files=("adapter_model.safetensors",)),
        ),
        (["model.safetensors", "consolidated.safetensors"], Choice(Kind.SINGLE, files=("model.safetensors",))),
        (["consolidated.safetensors", "params.json"], Choice(Kind.CONSOLIDATED, files=("consolidated.safetensors",))),
        (
            ["consolidated.safetensors.index.json", "consolidated-00001-of-00002.safetensors"],
            Choice(Kind.CONSOLIDATED, index="consolidated.safetensors.index.json"),
        ),
        (
            ["consolidated.00.safetensors", "consolidated.01.safetensors"],
            Choice(Kind.CONSOLIDATED, files=("consolidated.00.safetensors", "consolidated.01.safetensors")),
        ),
        (
            ["diffusion_pytorch_model.safetensors", "diffusion_pytorch_model.fp16.safetensors"],
            Choice(Kind.SINGLE, files=("diffusion_pytorch_model.safetensors",)),
        ),
        (["weights.safetensors", "optimizer.safetensors"], Choice(Kind.SINGLE, files=("weights.safetensors",))),
        (
            ["pytorch_model.bin.index.json", "pytorch_model-00001-of-00001.bin"],
            Choice(Kind.NAMES_ONLY, index="pytorch_model.bin.index.json"),
        ),
        (["output.safetensors"], Choice(Kind.SINGLE, files=("output.safetensors",))),
        ([OUTPUTS[0]], Choice(Kind.UNINDEXED, files=(OUTPUTS[0],), missing=(OUTPUTS[1],))),
        (["model-Q4_K_M.gguf"], Choice(Kind.GGUF, files=("model-Q4_K_M.gguf",))),
        (["mmproj-F16.gguf", "model-Q4_K_M.gguf"], Choice(Kind.GGUF, files=("model-Q4_K_M.gguf",))),
        (["mmproj-F16.gguf"], Choice(Kind.GGUF, files=("mmproj-F16.gguf",))),
        (
            ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"],
            Choice(Kind.GGUF, files=("m-00001-of-00002.gguf", "m-00002-of-00002.gguf")),
        ),
    ],
)
def test_the_set_a_loader_would_take(files: list[str], choice: Choice) -> None:
    assert choose(files, "folder") == choice


@pytest.mark.parametrize(
    ("files", "mend"),
    [
        ([], "holds no weights"),
        (["pytorch_model.bin"], "a pickle is never opened"),
        (
            ["model.onnx", "onnx/model.onnx"],
            "holds model.onnx but no safetensors: another framework's file, which is not read",
        ),
        (["pytorch_model.bin", "flax_model.msgpack"], "holds pytorch_model.bin but"),
        (["original/consolidated.00.pth"], "a pickle is never opened"),
        (["model.fp16.safetensors"], "name a file, such as model.fp16.safetensors"),
        (["optimizer.safetensors", "config.json"], "name a file, such as optimizer.safetensors"),
        (["unet/model.safetensors"], "name a file, such as unet/model.safetensors"),
    ],
)
def test_nothing_a_loader_would_take(files: list[str], mend: str) -> None:
    with pytest.raises(NoWeightsError, match=f"^folder: .*{mend}"):
        choose(files, "folder")


@pytest.mark.parametrize(
    "files",
    [
        ["a.safetensors", "b.safetensors"],
        ["model-00001-of-00002.safetensors", "model-00001-of-00003.safetensors"],
        ["m-Q4_0.gguf", "m-Q8_0.gguf"],
        ["a-00001-of-00001.safetensors", "b.safetensors"],
    ],
)
def test_two_sets_and_no_rule_between_them(files: list[str]) -> None:
    with pytest.raises(AmbiguousWeightsError, match="name"):
        choose(files, "folder")


def test_what_was_passed_over_is_said_with_the_reason() -> None:
    files = [
        *("model.safetensors", "config.json", "tokenizer.json", "README.md", "model.safetensors.index.fp16.json"),
        *("original/consolidated.00.pth", "consolidated.safetensors", "model.fp16.safetensors", "optimizer.pt"),
        *("training_args.bin", "rng_state_0.pth", "adapter_model.safetensors", "pytorch_model.bin", "tf_model.h5"),
        *("onnx/model.onnx", "m.gguf", "other.safetensors", "checkpoint-100/model.safetensors"),
    ]
    found = {item.file: item.reason for item in passed_over(files, ["model.safetensors"])}
    assert found == {
        "adapter_model.safetensors": "an adapter, not the base weights",
        "checkpoint-100/model.safetensors": "in checkpoint-100/: a loader reads this folder only",
        "consolidated.safetensors": "the same weights in the maker's own layout",
        "m.gguf": "GGUF: name the file to read it",
        "model.fp16.safetensors": "a variant, taken only when asked for",
        "model.safetensors.index.fp16.json": "a variant, taken only when asked for",
        "onnx/model.onnx": "in onnx/: a loader reads this folder only",
        "optimizer.pt": "training state",
        "original/consolidated.00.pth": "in original/: the maker's own layout of the weights",
        "other.safetensors": "not part of the chosen set",
        "pytorch_model.bin": "a pickle, never opened",
        "rng_state_0.pth": "training state",
        "tf_model.h5": "another framework's file",
        "training_args.bin": "training state",
    }


@pytest.mark.parametrize(
    ("files", "choice"),
    [
        (["output.safetensors"], Choice(Kind.SINGLE, files=("output.safetensors",))),
        (OUTPUTS, Choice(Kind.UNINDEXED, files=OUTPUTS)),
        (OUTPUTS[:1], Choice(Kind.UNINDEXED, files=OUTPUTS[:1], missing=OUTPUTS[1:])),
        (["model.safetensors", *OUTPUTS], Choice(Kind.SINGLE, files=("model.safetensors",))),
        ([SHARDS[0], *OUTPUTS], Choice(Kind.SHARDED, INDEX, SHARDS[:1], SHARDS[1:])),
        (["other.safetensors"], Choice(Kind.SHARDED, INDEX, (), SHARDS)),
        (["sub/output.safetensors"], Choice(Kind.SHARDED, INDEX, (), SHARDS)),
    ],
)
def test_an_index_of_files_that_are_not_there_gives_way_to_exllamav2_s_set(files: list[str], choice: Choice) -> None:
    index = Index(INDEX, dict(zip("ab", SHARDS, strict=True)), {}, SHARDS)
    assert settle(choose([INDEX, *files], "folder"), index, files) == choice

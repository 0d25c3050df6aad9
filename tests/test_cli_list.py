"""`archcount list` and `archcount architectures`: what is known."""

import json
from collections.abc import Callable

Run = Callable[..., str]


def test_the_known_models_with_their_published_figures(run: Run) -> None:
    lines = run("list").splitlines()
    assert lines[:3] == [
        "name                          parameters          active  repository",
        "────────────────────────────────────────────────────────────────────────────────",
        "gpt2                         124,439,808                  openai-community/gpt2",
    ]
    assert "palm-540b                        540.35B                  written from its paper" in lines


def test_the_catalogue_as_an_object(run: Run) -> None:
    models = {model["name"]: model for model in json.loads(run("list", "--json"))["models"]}
    assert models["llama-3.1-8b"]["parameters"] == 8_030_261_248
    assert "meta-llama/Llama-3.1-8B-Instruct" in models["llama-3.1-8b"]["also"]


def test_the_model_types_with_their_files(run: Run) -> None:
    found = {each["model_type"]: each for each in json.loads(run("architectures", "--json"))["architectures"]}
    gpt2 = {"file": "gpt2", "attention": "MHA", "mixer": "", "MLP": "GELU MLP", "experts": ""}
    assert found["gpt-sw3"] == {"model_type": "gpt-sw3", **gpt2}
    deepseek = {"file": "deepseek_v3", "attention": "MLA", "mixer": "", "MLP": "SwiGLU", "experts": "SwiGLU"}
    assert found["deepseek_v3"] == {"model_type": "deepseek_v3", **deepseek}
    assert found["mamba2"]["mixer"] == "Mamba-2"

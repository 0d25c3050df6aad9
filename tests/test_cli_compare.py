"""`archcount compare`: three generations side by side, from the marks of their trees."""

import json
from collections.abc import Callable

Run = Callable[..., str]

THREE_GENERATIONS = """\
                 gpt2               llama-3.1-8b          qwen3-8b
────────────────────────────────────────────────────────────────────────────
model_type       gpt2               llama                 qwen3
layers           12                 32                    36
width            768                4,096                 4,096
vocabulary       50,257             128,256               151,936
norm             LayerNorm          RMSNorm               RMSNorm
norm placement   pre-norm           pre-norm              pre-norm
MLP              GELU MLP           SwiGLU                SwiGLU
MLP width        3,072 (4 × width)  14,336 (3.5 × width)  12,288 (3 × width)
biases           yes                none                  none
attention        MHA 12             GQA 32/8              GQA 32/8
head width       64                 128                   128
QK-norm          none               none                  RMSNorm
positions        learned            RoPE 500,000          RoPE 1,000,000
window           none               none                  none
state space      none               none                  none
experts          none               none                  none
embeddings       tied               untied                untied
parameters       124,439,808        8,030,261,248         8,190,735,360
active           124,439,808        8,030,261,248         8,190,735,360
cache per token  18,432             65,536                73,728

cache per token: elements in all layers, while every window is open
"""


def test_three_generations_side_by_side(run: Run) -> None:
    assert run("compare", "gpt2", "llama-3.1-8b", "qwen3-8b") == THREE_GENERATIONS


def _choices(run: Run, model: str) -> dict[str, object]:
    (choices,) = json.loads(run("compare", model, "--json"))["models"]
    found: dict[str, object] = choices
    return found


def test_a_sparse_model_with_latent_attention(run: Run) -> None:
    choices = _choices(run, "deepseek-v3")
    assert choices["attention"] == "MLA 128"
    assert choices["head_width"] == "192, value 128"
    assert choices["MLP_width"] == "18,432 (2.57 × width); 2,048 (0.286 × width)"
    assert choices["experts"] == "256, top 8, and shared"
    assert choices["active"] == 37_552_297_472
    assert choices["cache_per_token"] == 35_136  # 61 latent rows of 512 + 64
    assert choices["layers"] == 61


def test_local_and_global_layers(run: Run) -> None:
    choices = _choices(run, "gemma-3-4b")
    assert choices["window"] == "1,024 in 29 of 34"
    assert choices["norm_placement"] == "pre- and post-norm"
    assert choices["QK-norm"] == "RMSNorm"


def test_an_encoder_and_a_decoder(run: Run) -> None:
    choices = _choices(run, "t5-small")
    assert choices["layers"] == "6 + 6"
    assert choices["embeddings"] == "tied"


def test_biases_that_only_some_matrices_have_are_named(run: Run) -> None:
    assert _choices(run, "qwen2.5-7b")["biases"] == "q_proj; k_proj; v_proj"


def test_parallel_layers(run: Run) -> None:
    assert _choices(run, "gpt-j-6b")["norm_placement"] == "parallel"


def test_eyes_are_compared_where_a_model_has_them(run: Run) -> None:
    seeing = _choices(run, "gemma-3-4b")
    assert seeing["vocabulary"] == 262_208  # not the tower's places
    assert {key: seeing[key] for key in ("vision_layers", "vision_width", "patch", "vision_attention")} == {
        "vision_layers": 27,
        "vision_width": 1152,
        "patch": "14 × 14",
        "vision_attention": "MHA 16",
    }
    assert (seeing["vision_MLP"], seeing["vision_positions"]) == ("GELU MLP", "learned")
    assert (seeing["vision_parameters"], seeing["projector"], seeing["image_tokens"]) == (416_866_032, 2_950_272, 260)
    assert "vision_layers" not in _choices(run, "llama-3.1-8b")


def test_a_model_without_eyes_beside_one_that_has_them(run: Run) -> None:
    printed = run("compare", "gemma-3-4b", "gpt2").splitlines()
    (patch,) = [line.split() for line in printed if line.startswith("patch")]
    assert patch == ["patch", "14", "×", "14", "none"]
    assert printed[-2].startswith("image tokens: of 1,024 × 768 pixels")

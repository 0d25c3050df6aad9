"""`archcount flops`: parts, sums, and the gap to 6N."""

import json
from collections.abc import Callable

Run = Callable[..., str]


def test_gpt2_part_by_part(run: Run) -> None:
    lines = run("flops", "gpt2").splitlines()
    assert lines[:10] == [
        "gpt2: gpt2, GPT2LMHeadModel, 1,024 tokens",
        "",
        "part               FLOPs a token",
        "────────────────────────────────",
        "attention weights     56,623,104",
        "  2 × 28,311,552 elements multiplied",
        "MLP weights          113,246,208",
        "  2 × 56,623,104 elements multiplied",
        "head weights          77,194,752",
        "  2 × 38,597,376 elements multiplied",
    ]
    assert "decoding; it sees the whole context, no causal halving" in " ".join("\n".join(lines).split())
    assert lines[-2:] == [
        "two FLOPs a weight: it multiplies and adds; a lookup is none, a head tied to its",
        "  table multiplies all the same",
    ]


def test_the_gap_to_6n(run: Run) -> None:
    found = json.loads(run("flops", "gpt2", "--json"))
    assert found["six_n"] == 6 * 124_439_808
    assert found["gap"] == {
        "tables that are looked up": -236_302_848,
        "gains, biases and the like": -728_064,
        "weights tied to a table": 231_584_256,
    }
    assert found["training_per_token"] == 854_438_400


def test_recomputation_and_a_source(run: Run) -> None:
    assert "4 × forward: each layer again" in run("flops", "llama-3.1-8b", "--recompute", "full")
    assert json.loads(run("flops", "t5-base", "--context", "8", "--source", "512", "--json"))["source"] == 512


def test_what_is_left_out_is_said(run: Run) -> None:
    printed = " ".join(run("flops", "gemma-3-4b", "--context", "1024").split())
    assert "left out: vision: attention among patches; projector: multi_modal_projector" in printed


def test_the_latent_form_is_named(run: Run) -> None:
    assert "MLA: keys and values as rebuilt from the latent row" in run("flops", "deepseek-v3", "--context", "4096")


def test_active_by_its_three_conventions(run: Run) -> None:
    printed = run("flops", "qwen3-30b-a3b", "--context", "4096")
    assert "all                      3,353,032,704  less the experts not chosen" in printed
    assert "without input embedding  3,041,867,776  less tables only looked up" in printed
    assert "without both embeddings  2,730,702,848  less every table and the head" in printed


def test_what_an_image_costs_once(run: Run) -> None:
    asked = ("flops", "gemma-3-4b", "--context", "8192", "--image", "1024x768", "--images", "4")
    printed = " ".join(run(*asked).split())
    assert "an image, the tower 3,373,038,305,280" in printed
    assert "images 21,847,609,442,304" in printed
    assert "left out:" not in printed
    found = json.loads(run(*asked, "--json"))
    assert found["each_image"] == {
        "tower": 3373038305280,
        "attention": 2087354105856,
        "projector": 1509949440,
        "left_out": [],
    }

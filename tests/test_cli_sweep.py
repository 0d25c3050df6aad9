"""`archcount sweep`: a line for each combination."""

import json
from collections.abc import Callable

Run = Callable[..., str]
HEADS = ("sweep", "llama-3.1-8b", "--context", "8192", "--set", "num_key_value_heads=1,8,32")


def test_a_table(run: Run) -> None:
    assert run(*HEADS).splitlines() == [
        "llama-3.1-8b: llama, LlamaForCausalLM, 8,192 tokens",
        "",
        "num_key_value_heads     parameters   cache, bytes   FLOPs a token",
        "─────────────────────────────────────────────────────────────────",
        "1                    7,795,380,224    134,217,728  18,834,522,112",
        "8                    8,030,261,248  1,073,741,824  19,304,284,160",
        "32                   8,835,567,616  4,294,967,296  20,914,896,896",
        "",
        "cache and states of one sequence; FLOPs of its last token, forward",
    ]


def test_as_csv(run: Run) -> None:
    assert run(*HEADS, "--format", "csv").splitlines()[:2] == [
        "num_key_value_heads,parameters,cache_bytes,forward_per_token",
        "1,7795380224,134217728,18834522112",
    ]


def test_as_an_object(run: Run) -> None:
    points = json.loads(run(*HEADS, "--json"))["points"]
    assert points[1]["values"] == {"num_key_value_heads": 8}
    assert points[2]["cache_bytes"] == 4 * points[1]["cache_bytes"]


def test_active_where_experts_are_chosen(run: Run) -> None:
    printed = run("sweep", "qwen3-30b-a3b", "--context", "8192", "--set", "num_experts_per_tok=4,8")
    assert "8                    30,532,122,624  3,353,032,704" in printed

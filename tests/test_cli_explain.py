"""`archcount explain`: every figure of a count can be read off, down to the config's own keys."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., str]

LLAMA = """\
llama-3.1-8b: llama, LlamaForCausalLM

part                             parameters  of a layer
───────────────────────────────────────────────────────
embedding                       525,336,576
  vocab_size × hidden_size
  128,256 × 4,096
one of layers 0–31 pre-norm
  attention GQA 32/8
    q_proj                       16,777,216        7.7%
      num_attention_heads × (hidden_size ÷ num_attention_heads) × hidden_size
      32 × (4,096 ÷ 32) × 4,096
    k_proj                        4,194,304        1.9%
      num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size
      8 × (4,096 ÷ 32) × 4,096
    v_proj                        4,194,304        1.9%
      num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size
      8 × (4,096 ÷ 32) × 4,096
    o_proj                       16,777,216        7.7%
      hidden_size × (num_attention_heads × (hidden_size ÷ num_attention_heads))
      4,096 × (32 × (4,096 ÷ 32))
  sum of attention               41,943,040       19.2%
    16,777,216 + 4,194,304 + 4,194,304 + 16,777,216
  MLP SwiGLU
    gate_proj                    58,720,256       26.9%
      intermediate_size × hidden_size
      14,336 × 4,096
    up_proj                      58,720,256       26.9%
      intermediate_size × hidden_size
      14,336 × 4,096
    down_proj                    58,720,256       26.9%
      hidden_size × intermediate_size
      4,096 × 14,336
  sum of MLP                    176,160,768       80.8%
    58,720,256 + 58,720,256 + 58,720,256
  norms RMSNorm
    input_layernorm                   4,096       <0.1%
      hidden_size
      4,096
    post_attention_layernorm          4,096       <0.1%
      hidden_size
      4,096
  sum of norms                        8,192       <0.1%
    4,096 + 4,096
sum of one of layers 0–31       218,112,000        100%
  41,943,040 + 176,160,768 + 8,192
layers 0–31                   6,979,584,000
  32 × 218,112,000
final norm RMSNorm                    4,096
  hidden_size
  4,096
head                            525,336,576
  vocab_size × hidden_size
  128,256 × 4,096
───────────────────────────────────────────────────────
total                         8,030,261,248
  525,336,576 + 6,979,584,000 + 4,096 + 525,336,576

defaulted
rope_parameters  null
head_dim         null

not read
attention_dropout  0.0
bos_token_id       128000
eos_token_id       128001
initializer_range  0.02
pretraining_tp     1
rms_norm_eps       1e-05
use_cache          true
"""

ROUTER = """\
deepseek-v3: deepseek_v3, DeepseekV3ForCausalLM

tensor                                                     each   ×   parameters
────────────────────────────────────────────────────────────────────────────────
model.layers.{3-60}.mlp.gate.weight                   1,835,008  58  106,430,464
  n_routed_experts × hidden_size
  256 × 7,168
model.layers.{3-60}.mlp.gate.e_score_correction_bias        256  58       14,848
  n_routed_experts
  256
model.layers.61.mlp.gate.weight                       1,835,008   1    1,835,008
  n_routed_experts × hidden_size
  256 × 7,168
model.layers.61.mlp.gate.e_score_correction_bias            256   1          256
  n_routed_experts
  256
────────────────────────────────────────────────────────────────────────────────
total                                                                108,280,576
"""


def _squeezed(page: str) -> list[str]:
    return [" ".join(line.split()) for line in page.splitlines()]


def test_every_line_of_the_arithmetic(run: Run) -> None:
    assert run("explain", "llama-3.1-8b") == LLAMA


@pytest.mark.parametrize(
    "figure",
    [
        "  sum of attention               41,943,040       19.2%",
        "  sum of MLP                    176,160,768       80.8%",
        "  sum of norms                        8,192       <0.1%",
        "sum of one of layers 0–31       218,112,000        100%",
        "embedding                       525,336,576",
        "total                         8,030,261,248",
    ],
)
def test_the_figures_of_a_count_by_hand(run: Run, figure: str) -> None:
    """Llama 3.1 8B: attention and MLP of a block with their shares, the block, a table of embeddings, the model."""
    assert f"\n{figure}\n" in run("explain", "llama-3.1-8b")


def test_attention_is_a_third_of_a_block_of_gpt2(run: Run) -> None:
    assert "sum of attention 2,362,368 33.3%" in _squeezed(run("explain", "gpt2"))


def test_a_pattern_chooses_tensors(run: Run) -> None:
    assert run("explain", "deepseek-v3", "mlp.gate.") == ROUTER


def test_experts_are_multiplied_out(run: Run) -> None:
    lines = _squeezed(run("explain", "deepseek-v3"))
    at = lines.index("experts.{0-255}.gate_proj 3,758,096,384 32.7%")
    assert lines[at + 1 : at + 3] == [
        "moe_intermediate_size × hidden_size",
        "2,048 × 7,168 = 14,680,064, 256 times",
    ]


def test_sections_are_summed_apart(run: Run) -> None:
    lines = _squeezed(run("explain", "gemma-3-4b"))
    assert "sum of vision 416,866,032" in lines
    assert "3,880,263,168 + 416,866,032 + 2,950,272" in lines


def test_multi_token_prediction_is_not_in_the_total(run: Run) -> None:
    lines = _squeezed(run("explain", "deepseek-v3"))
    assert "sum of mtp, not in the total 11,610,068,224" in lines
    assert "total 671,026,419,200" in lines


def test_every_formula_in_the_document_gives_its_number(run: Run) -> None:
    document = json.loads(run("explain", "deepseek-v3", "--json"))

    def matrices(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [leaf for part in parts for leaf in (matrices(part["parts"]) if "parts" in part else [part])]

    for section in document["sections"]:
        for matrix in matrices(section["parts"]):
            numbers = matrix["arithmetic"].replace(",", "").replace("×", "*").replace("÷", "//")
            assert eval(numbers) == matrix["each"]

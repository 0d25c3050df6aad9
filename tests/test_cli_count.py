"""`archcount MODEL`: the breakdown, literally, as it stands in 80 columns."""

from collections.abc import Callable
from pathlib import Path

import pytest

from archcount.cli import main

Run = Callable[..., str]

LLAMA = """\
llama-3.1-8b: llama, LlamaForCausalLM

part                                 each   ×     parameters  share
───────────────────────────────────────────────────────────────────
embedding                     525,336,576   1    525,336,576   6.5%
  vocab_size × hidden_size
layers 0–31 pre-norm          218,112,000  32  6,979,584,000  86.9%
  attention GQA 32/8           41,943,040  32  1,342,177,280  16.7%
    q_proj                     16,777,216  32    536,870,912   6.7%
      num_attention_heads × (hidden_size ÷ num_attention_heads) × hidden_size
    k_proj                      4,194,304  32    134,217,728   1.7%
      num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size
    v_proj                      4,194,304  32    134,217,728   1.7%
      num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size
    o_proj                     16,777,216  32    536,870,912   6.7%
      hidden_size × (num_attention_heads × (hidden_size ÷ num_attention_heads))
  MLP SwiGLU                  176,160,768  32  5,637,144,576  70.2%
    gate_proj                  58,720,256  32  1,879,048,192  23.4%
      intermediate_size × hidden_size
    up_proj                    58,720,256  32  1,879,048,192  23.4%
      intermediate_size × hidden_size
    down_proj                  58,720,256  32  1,879,048,192  23.4%
      hidden_size × intermediate_size
  norms RMSNorm                     8,192  32        262,144  <0.1%
    input_layernorm                 4,096  32        131,072  <0.1%
      hidden_size
    post_attention_layernorm        4,096  32        131,072  <0.1%
      hidden_size
final norm RMSNorm                  4,096   1          4,096  <0.1%
  hidden_size
head                          525,336,576   1    525,336,576   6.5%
  vocab_size × hidden_size
───────────────────────────────────────────────────────────────────
total                                          8,030,261,248   100%

parameters                8,030,261,248  every learned number, once
without input embedding   7,504,924,672  less the tables that are only looked up
stored                    8,030,261,248  elements in the files
bytes                    16,060,522,496  at the config's bfloat16

defaulted: rope_parameters = null, head_dim = null
not read: attention_dropout, bos_token_id, eos_token_id, initializer_range,
  pretraining_tp, rms_norm_eps, use_cache
"""

GPT2 = """\
gpt2: gpt2, GPT2LMHeadModel

part                               each   ×   parameters  share
───────────────────────────────────────────────────────────────
embedding                    38,597,376   1   38,597,376  31.0%
  vocab_size × n_embd
embedding learned positions     786,432   1      786,432   0.6%
  n_positions × n_embd
h 0–11 pre-norm               7,087,872  12   85,054,464  68.3%
  attention MHA 12            2,362,368  12   28,348,416  22.8%
    c_attn                    1,771,776  12   21,261,312  17.1%
      n_embd × (3 × (n_head × (n_embd ÷ n_head))) + 3 × (n_head × (n_embd ÷
      n_head))
    c_proj                      590,592  12    7,087,104   5.7%
      n_head × (n_embd ÷ n_head) × n_embd + n_embd
  GELU MLP                    4,722,432  12   56,669,184  45.5%
    c_fc                      2,362,368  12   28,348,416  22.8%
      n_embd × 4 × n_embd + 4 × n_embd
    c_proj                    2,360,064  12   28,320,768  22.8%
      4 × n_embd × n_embd + n_embd
  norms LayerNorm                 3,072  12       36,864  <0.1%
    ln_1                          1,536  12       18,432  <0.1%
      n_embd + n_embd
    ln_2                          1,536  12       18,432  <0.1%
      n_embd + n_embd
final norm LayerNorm              1,536   1        1,536  <0.1%
  n_embd + n_embd
head                                  0   1            0     0%
  tied to transformer.wte.weight
───────────────────────────────────────────────────────────────
total                                        124,439,808   100%

parameters               124,439,808  every learned number, once
without input embedding  123,653,376  less the tables that are only looked up
stored                   124,439,808  elements in the files

defaulted: n_inner = null, add_cross_attention = false, tie_word_embeddings =
  true
not read: attn_pdrop, bos_token_id, embd_pdrop, eos_token_id, initializer_range,
  layer_norm_epsilon, resid_pdrop, summary_first_dropout,
  summary_proj_to_labels, summary_type, summary_use_proj
"""

DEEPSEEK_SPARSE_LAYERS = """\
layers 3–60 pre-norm              11,507,286,272      58  667,422,603,776  99.5%
  attention MLA 128                  187,105,280      58   10,852,106,240   1.6%
    q_a_proj                          11,010,048      58      638,582,784   0.1%
      q_lora_rank × hidden_size
    q_b_proj                          37,748,736      58    2,189,426,688   0.3%
      num_attention_heads × (qk_nope_head_dim + qk_rope_head_dim) × q_lora_rank
    kv_a_proj_with_mqa                 4,128,768      58      239,468,544  <0.1%
      (kv_lora_rank + qk_rope_head_dim) × hidden_size
    kv_b_proj                         16,777,216      58      973,078,528   0.1%
      num_attention_heads × (qk_nope_head_dim + v_head_dim) × kv_lora_rank
    o_proj                           117,440,512      58    6,811,549,696   1.0%
      hidden_size × num_attention_heads × v_head_dim
  router 256 experts, top 8            1,835,264      58      106,445,312  <0.1%
    gate                               1,835,008      58      106,430,464  <0.1%
      n_routed_experts × hidden_size
    gate.e_score_correction_bias             256      58           14,848  <0.1%
      n_routed_experts
  experts 256 × SwiGLU, top 8     11,274,289,152      58  653,908,770,816  97.4%
    experts.{0-255}.gate_proj         14,680,064  14,848  217,969,590,272  32.5%
      moe_intermediate_size × hidden_size
    experts.{0-255}.up_proj           14,680,064  14,848  217,969,590,272  32.5%
      moe_intermediate_size × hidden_size
    experts.{0-255}.down_proj         14,680,064  14,848  217,969,590,272  32.5%
      hidden_size × moe_intermediate_size
  MLP shared_experts SwiGLU           44,040,192      58    2,554,331,136   0.4%
    gate_proj                         14,680,064      58      851,443,712   0.1%
      n_shared_experts × moe_intermediate_size × hidden_size
    up_proj                           14,680,064      58      851,443,712   0.1%
      n_shared_experts × moe_intermediate_size × hidden_size
    down_proj                         14,680,064      58      851,443,712   0.1%
      hidden_size × n_shared_experts × moe_intermediate_size
  norms RMSNorm                           16,384      58          950,272  <0.1%
    self_attn.q_a_layernorm                1,536      58           89,088  <0.1%
      q_lora_rank
    self_attn.kv_a_layernorm                 512      58           29,696  <0.1%
      kv_lora_rank
    input_layernorm                        7,168      58          415,744  <0.1%
      hidden_size
    post_attention_layernorm               7,168      58          415,744  <0.1%
      hidden_size
"""

DEEPSEEK_BY_LAYER = """\
deepseek-v3: deepseek_v3, DeepseekV3ForCausalLM

part                             each   ×       parameters  share
─────────────────────────────────────────────────────────────────
embedding                 926,679,040   1      926,679,040   0.1%
layers 0–2 pre-norm       583,483,392   3    1,750,450,176   0.3%
layers 3–60 pre-norm   11,507,286,272  58  667,422,603,776  99.5%
final norm RMSNorm              7,168   1            7,168  <0.1%
head                      926,679,040   1      926,679,040   0.1%
─────────────────────────────────────────────────────────────────
total                                      671,026,419,200   100%
mtp, not in the total                       11,610,068,224
  layers 61 pre-norm   11,610,068,224   1   11,610,068,224
"""

DEEPSEEK_TOTALS = """\
parameters                      671,026,419,200  every learned number, once
active                           37,552,297,472  for one token: less the experts
                                                 it is not routed to
active without input embedding   36,625,618,432  less the tables that are only
                                                 looked up
stored                          684,531,386,000  elements in the files
  multi-token prediction         11,610,068,224  a section of its own, beside
                                                 the parameters
  copies                          1,853,358,080  tensors stored a second time
  quantization                       41,540,496  scales and zero points
bytes                           688,574,809,152  at the config's bfloat16, but
                                                 for what is quantized
"""

GEMMA_BY_LAYER = """\
gemma-3-4b: gemma3, Gemma3ForConditionalGeneration

part                                              each   ×     parameters  share
────────────────────────────────────────────────────────────────────────────────
language                                                    3,880,263,168  90.2%
  embedding                                671,252,480   1    671,252,480  15.6%
  layers 0–4,6–10,12–16,18–22,24–28,30–33   94,382,592  29  2,737,095,168  63.7%
    pre- and post-norm
  layers 5,11,17,23,29 pre- and post-norm   94,382,592   5    471,912,960  11.0%
  final norm RMSNorm                             2,560   1          2,560  <0.1%
  head                                               0   1              0     0%
vision                                                        416,866,032   9.7%
  patch embedding                              678,528   1        678,528  <0.1%
  embedding learned positions                4,718,592   1      4,718,592   0.1%
  layers 0–26 pre-norm                      15,239,504  27    411,466,608   9.6%
  final norm LayerNorm                           2,304   1          2,304  <0.1%
projector                                                       2,950,272   0.1%
  multi_modal_projector.                     2,949,120   1      2,949,120   0.1%
    mm_input_projection_weight
  norm RMSNorm                                   1,152   1          1,152  <0.1%
────────────────────────────────────────────────────────────────────────────────
total                                                       4,300,079,472   100%
"""

GPT2_BY_ROLE = """\
role        parameters  share
─────────────────────────────
mlp         56,669,184  45.5%
embedding   39,383,808  31.6%
attention   28,348,416  22.8%
norm            38,400  <0.1%
─────────────────────────────
"""


@pytest.mark.parametrize(("model", "page"), [("llama-3.1-8b", LLAMA), ("gpt2", GPT2)])
def test_the_breakdown_of_a_model(run: Run, model: str, page: str) -> None:
    assert run(model) == page
    assert run("count", model) == page


def test_layers_of_different_kinds_stand_once_each_with_their_indices(run: Run) -> None:
    page = run("deepseek-v3")
    assert DEEPSEEK_SPARSE_LAYERS in page
    assert DEEPSEEK_TOTALS in page
    assert max(map(len, page.splitlines())) == 80
    assert run("deepseek-v3", "--by", "layer").startswith(DEEPSEEK_BY_LAYER)


def test_the_parts_of_a_multimodal_model_stand_apart(run: Run) -> None:
    assert run("gemma-3-4b", "--by", "layer").startswith(GEMMA_BY_LAYER)


def test_by_role_the_largest_comes_first(run: Run) -> None:
    assert GPT2_BY_ROLE in run("gpt2", "--by", "role")


def test_by_tensor_each_pattern_has_its_share(run: Run) -> None:
    lines = run("gpt2", "--by", "tensor").splitlines()
    assert lines[4:6] == [
        "transformer.wte.weight                   38,597,376   1   38,597,376  31.0%",
        "  vocab_size × n_embd",
    ]


def test_what_if_says_the_difference(run: Run) -> None:
    page = run("llama-3.1-8b", "--set", "attention_bias=true", "--set", "mlp_bias=true")
    assert "\n1,376,256 more than without --set (8,030,261,248)\n" in page
    assert "\ntotal                                          8,031,637,504   100%\n" in page
    fewer = run("gemma-3-4b", "--set", "text_config.num_hidden_layers=33")
    assert "\n94,382,592 fewer than without --set (4,300,079,472)\n" in fewer
    assert "\nas many as without --set (124,439,808)\n" in run("gpt2", "--set", "n_head=6")


def test_what_only_setting_lets_be_counted_has_no_difference(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "hidden_size": -1}')
    page = run(str(config), "--set", "hidden_size=4096")
    assert "without --set" not in page
    assert "6,738,415,616" in page


def test_counting_by_another_s_rule_is_said(run: Run) -> None:
    assert "counted by llama's rule, as asked: its model_type is qwen2" in run("qwen2.5-0.5b", "--as", "llama")


def test_an_unread_key_that_looks_like_a_size_is_a_warning(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "expert_hidden_size": 64, "use_cache": true}')
    lines = run(str(config)).splitlines()
    assert lines[-2:] == ["not read: use_cache", "not read, though it looks like a size: expert_hidden_size = 64"]


def test_a_nested_config_that_is_missing_is_said(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "gemma3", "text_config": {}}')
    page = run(str(config))
    assert "assumed: vision_config (missing from the config, so every size in it is the\n  class's own)\n" in page


def test_the_verb_may_be_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--by", "role", "gpt2"]) == 0
    assert "mlp         56,669,184  45.5%" in capsys.readouterr().out

"""`archcount diff A B`, literally, as it stands in 80 columns."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from archcount.cli import main

Run = Callable[..., str]

LLAMA_3_TO_3_1 = """\
llama-3-8b → llama-3.1-8b

key                                            before       after     alone
───────────────────────────────────────────────────────────────────────────
max_position_embeddings                        8192         131072        0
read by no tensor
rope_scaling.rope_type                         ("default")  "llama3"
rope_scaling.factor                            –            8.0
rope_scaling.high_freq_factor                  –            4.0
rope_scaling.low_freq_factor                   –            1.0
rope_scaling.original_max_position_embeddings  –            8192

(…): not given, so the default of its model_type; –: no such key
no tensor changes

total                                   before           after  change
──────────────────────────────────────────────────────────────────────
parameters                       8,030,261,248   8,030,261,248       0
active                           8,030,261,248   8,030,261,248       0
active without input embedding   7,504,924,672   7,504,924,672       0
stored                           8,030,261,248   8,030,261,248       0
bytes                           16,060,522,496  16,060,522,496       0
cache per token                         65,536          65,536       0
FLOPs per token                 15,009,316,864  15,009,316,864       0

cache per token: elements in all layers, while every window is open; FLOPs per
  token: forward, without attention's pairs
"""

LLAMA_8B_TO_70B = """\
llama-3.1-8b → llama-3.1-70b

key                  before  after            alone  why
────────────────────────────────────────────────────────────────────────────
hidden_size          4096    8192   +10,714,615,808  cache per token +65,536
intermediate_size    14336   28672   +5,637,144,576
num_hidden_layers    32      80     +10,469,376,000  cache per token +98,304
num_attention_heads  32      64        -134,217,728  cache per token -32,768

alone: parameters more when llama-3.1-8b takes that key and no other; the other
  +35,836,526,592 they do together

tensor                                               what               change
──────────────────────────────────────────────────────────────────────────────
model.embed_tokens.weight                            reshaped     +525,336,576
  [128256, 4096] → [128256, 8192]
  vocab_size × hidden_size
model.layers.{0-79}.self_attn.q_proj.weight          reshaped   +4,831,838,208
  32 × [4096, 4096] → 80 × [8192, 8192]
  num_attention_heads × (hidden_size ÷ num_attention_heads) × hidden_size; by
  num_hidden_layers
model.layers.{0-79}.self_attn.k_proj.weight          reshaped     +536,870,912
  32 × [1024, 4096] → 80 × [1024, 8192]
  num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size; by
  num_hidden_layers
model.layers.{0-79}.self_attn.v_proj.weight          reshaped     +536,870,912
  32 × [1024, 4096] → 80 × [1024, 8192]
  num_key_value_heads × (hidden_size ÷ num_attention_heads) × hidden_size; by
  num_hidden_layers
model.layers.{0-79}.self_attn.o_proj.weight          reshaped   +4,831,838,208
  32 × [4096, 4096] → 80 × [8192, 8192]
  hidden_size × (num_attention_heads × (hidden_size ÷ num_attention_heads)); by
  num_hidden_layers
model.layers.{0-79}.mlp.gate_proj.weight             reshaped  +16,911,433,728
  32 × [14336, 4096] → 80 × [28672, 8192]
  intermediate_size × hidden_size; by num_hidden_layers
model.layers.{0-79}.mlp.up_proj.weight               reshaped  +16,911,433,728
  32 × [14336, 4096] → 80 × [28672, 8192]
  intermediate_size × hidden_size; by num_hidden_layers
model.layers.{0-79}.mlp.down_proj.weight             reshaped  +16,911,433,728
  32 × [4096, 14336] → 80 × [8192, 28672]
  hidden_size × intermediate_size; by num_hidden_layers
model.layers.{0-79}.input_layernorm.weight           reshaped         +524,288
  32 × [4096] → 80 × [8192]
  hidden_size; by num_hidden_layers
model.layers.{0-79}.post_attention_layernorm.weight  reshaped         +524,288
  32 × [4096] → 80 × [8192]
  hidden_size; by num_hidden_layers
model.norm.weight                                    reshaped           +4,096
  [4096] → [8192]
  hidden_size
lm_head.weight                                       reshaped     +525,336,576
  [128256, 4096] → [128256, 8192]
  vocab_size × hidden_size
──────────────────────────────────────────────────────────────────────────────
total                                                          +62,523,445,248

total                                  before            after            change
────────────────────────────────────────────────────────────────────────────────
parameters                      8,030,261,248   70,553,706,496   +62,523,445,248
active                          8,030,261,248   70,553,706,496   +62,523,445,248
active without input            7,504,924,672   69,503,033,344   +61,998,108,672
  embedding
stored                          8,030,261,248   70,553,706,496   +62,523,445,248
bytes                          16,060,522,496  141,107,412,992  +125,046,890,496
cache per token                        65,536          163,840           +98,304
FLOPs per token                15,009,316,864  139,003,428,864  +123,994,112,000

cache per token: elements in all layers, while every window is open; FLOPs per
  token: forward, without attention's pairs
"""

MISTRAL_TO_MIXTRAL = """\
mistral-7b → mixtral-8x7b

key                   before                  after                   alone
───────────────────────────────────────────────────────────────────────────
model_type            "mistral"               "mixtral"
architectures         ["MistralForCausalLM"]  ["MixtralForCausalLM"]
sliding_window        4096                    null
num_local_experts     –                       8
num_experts_per_tok   –                       2
read by no tensor
rope_theta            10000.0                 1000000.0
output_router_logits  –                       false
router_aux_loss_coef  –                       0.02

(…): not given, so the default of its model_type; –: no such key

part            before           after           change  kind
────────────────────────────────────────────────────────────────────────────────
MLP      5,637,144,576               0   -5,637,144,576  SwiGLU → none
router               0       1,048,576       +1,048,576  none → 8 experts, top 2
experts              0  45,097,156,608  +45,097,156,608  none → SwiGLU

tensor                                                  what              change
────────────────────────────────────────────────────────────────────────────────
model.layers.{0-31}.mlp.gate_proj.weight                removed   -1,879,048,192
  32 × [14336, 4096]
  intermediate_size × hidden_size
model.layers.{0-31}.mlp.up_proj.weight                  removed   -1,879,048,192
  32 × [14336, 4096]
  intermediate_size × hidden_size
model.layers.{0-31}.mlp.down_proj.weight                removed   -1,879,048,192
  32 × [4096, 14336]
  hidden_size × intermediate_size
model.layers.{0-31}.block_sparse_moe.gate.weight        added         +1,048,576
  32 × [8, 4096]
  num_local_experts × hidden_size
model.layers.{0-31}.block_sparse_moe.experts.{0-7}.w1.  added    +15,032,385,536
  weight
  256 × [14336, 4096]
  intermediate_size × hidden_size
model.layers.{0-31}.block_sparse_moe.experts.{0-7}.w3.  added    +15,032,385,536
  weight
  256 × [14336, 4096]
  intermediate_size × hidden_size
model.layers.{0-31}.block_sparse_moe.experts.{0-7}.w2.  added    +15,032,385,536
  weight
  256 × [4096, 14336]
  hidden_size × intermediate_size
────────────────────────────────────────────────────────────────────────────────
total                                                            +39,461,060,608

total                                   before           after           change
───────────────────────────────────────────────────────────────────────────────
parameters                       7,241,732,096  46,702,792,704  +39,461,060,608
active                           7,241,732,096  12,879,925,248   +5,638,193,152
active without input embedding   7,110,660,096  12,748,853,248   +5,638,193,152
stored                           7,241,732,096  46,702,792,704  +39,461,060,608
bytes                           14,483,464,192  93,405,585,408  +78,922,121,216
cache per token                         65,536          65,536                0
FLOPs per token                 14,220,787,712  25,497,174,016  +11,276,386,304

cache per token: elements in all layers, while every window is open; FLOPs per
  token: forward, without attention's pairs
"""

GPT2_TO_LLAMA = """\
gpt2 → llama-3.1-8b

key                             before               after                 alone
────────────────────────────────────────────────────────────────────────────────
model_type                      "gpt2"               "llama"
architectures                   ["GPT2LMHeadModel"]  ["LlamaForCausalLM"]
torch_dtype                     –                    "bfloat16"
vocab_size                      50257                128256
n_positions →                   1024                 131072
  max_position_embeddings
n_embd → hidden_size            768                  4096
n_layer → num_hidden_layers     12                   32
n_head → num_attention_heads    12                   32
activation_function             "gelu_new"           –
add_cross_attention             (false)              –
tie_word_embeddings             (true)               false
intermediate_size               –                    14336
num_key_value_heads             –                    8
attention_bias                  –                    false
mlp_bias                        –                    false
hidden_act                      –                    "silu"
read by no tensor
attn_pdrop                      0.1                  –
bos_token_id                    50256                128000
embd_pdrop                      0.1                  –
eos_token_id                    50256                128001
layer_norm_epsilon              1e-05                –
n_ctx                           1024                 –
resid_pdrop                     0.1                  –
summary_first_dropout           0.1                  –
summary_proj_to_labels          true                 –
summary_type                    "cls_index"          –
summary_use_proj                true                 –
rope_theta                      –                    500000.0
attention_dropout               –                    0.0
pretraining_tp                  –                    1
rms_norm_eps                    –                    1e-05
rope_scaling.factor             –                    8.0
rope_scaling.high_freq_factor   –                    4.0
rope_scaling.low_freq_factor    –                    1.0
rope_scaling.original_max_      –                    8192
  position_embeddings
rope_scaling.rope_type          –                    "llama3"

(…): not given, so the default of its model_type; –: no such key

part           before          after          change  kind
──────────────────────────────────────────────────────────────────────────────
embedding  39,383,808    525,336,576    +485,952,768  learned positions → none
attention  28,348,416  1,342,177,280  +1,313,828,864  MHA 12 → GQA 32/8
MLP        56,669,184  5,637,144,576  +5,580,475,392  GELU MLP → SwiGLU
norm           38,400        266,240        +227,840  LayerNorm → RMSNorm
head                0    525,336,576    +525,336,576

total                                before           after           change
────────────────────────────────────────────────────────────────────────────
parameters                      124,439,808   8,030,261,248   +7,905,821,440
active                          124,439,808   8,030,261,248   +7,905,821,440
active without input embedding  123,653,376   7,504,924,672   +7,381,271,296
stored                          124,439,808   8,030,261,248   +7,905,821,440
bytes                                        16,060,522,496
cache per token                      18,432          65,536          +47,104
FLOPs per token                 247,064,064  15,009,316,864  +14,762,252,800

cache per token: elements in all layers, while every window is open; FLOPs per
  token: forward, without attention's pairs
"""


@pytest.mark.parametrize(
    ("before", "after", "printed"),
    [
        ("llama-3-8b", "llama-3.1-8b", LLAMA_3_TO_3_1),
        ("llama-3.1-8b", "llama-3.1-70b", LLAMA_8B_TO_70B),
        ("mistral-7b", "mixtral-8x7b", MISTRAL_TO_MIXTRAL),
        ("gpt2", "llama-3.1-8b", GPT2_TO_LLAMA),
    ],
)
def test_pairs_that_teach(run: Run, before: str, after: str, printed: str) -> None:
    assert run("diff", before, after) == printed
    assert max(map(len, printed.splitlines())) <= 80


def test_no_difference(run: Run) -> None:
    assert run("diff", "gpt2", "gpt2").startswith("gpt2 → gpt2\n\nno difference: the same keys")
    assert json.loads(run("diff", "gpt2", "gpt2", "--json"))["identical"] is True


def test_the_exit_code_says_whether_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "gpt2", "gpt2", "--exit-code"]) == 0
    assert main(["diff", "gpt2", "gpt2-xl", "--exit-code"]) == 1
    assert main(["diff", "gpt2", "gpt2-xl"]) == 0
    assert main(["diff", "gpt2", "gpt3"]) == 2
    assert capsys.readouterr().err == (
        "archcount: 'gpt3' is no known model, file or repository id (org/name); nearest: gpt-j-6b, gpt2\n"
    )


def test_one_part_of_it(run: Run) -> None:
    whole = run("diff", "llama-3.1-8b", "llama-3.1-70b")
    parts = (run("diff", "llama-3.1-8b", "llama-3.1-70b", "--only", only) for only in ("keys", "parts", "totals"))
    title = "llama-3.1-8b → llama-3.1-70b\n"
    assert title + "".join(part.removeprefix(title) for part in parts) == whole


def test_flops_at_a_context(run: Run) -> None:
    found = json.loads(run("diff", "mistral-7b", "mixtral-8x7b", "--context", "8192", "--only", "totals", "--json"))
    assert found["context"] == 8192
    assert found["totals"]["FLOPs_per_token"] == {
        "before": 16_368_271_360, "after": 29_792_141_312, "change": 13_423_869_952,
    }  # fmt: skip
    assert "FLOPs per token: forward, at 8,192 tokens" in " ".join(
        run("diff", "mistral-7b", "mixtral-8x7b", "--context", "8192").split()
    )


def test_a_context_of_no_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "gpt2", "gpt2-xl", "--context", "0"]) == 2
    assert capsys.readouterr() == ("", "archcount: --context 0: should be a whole number, 1 or more\n")

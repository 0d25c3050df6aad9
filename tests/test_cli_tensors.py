"""`archcount tensors`: every tensor, by pattern or one a line."""

import json
from collections.abc import Callable

Run = Callable[..., str]

GPT2 = """\
gpt2: gpt2, GPT2LMHeadModel

tensor                                   shape         ×    elements
────────────────────────────────────────────────────────────────────
transformer.wte.weight                   50257 × 768   1  38,597,376
transformer.wpe.weight                   1024 × 768    1     786,432
transformer.h.{0-11}.ln_1.weight         768          12       9,216
transformer.h.{0-11}.ln_1.bias           768          12       9,216
transformer.h.{0-11}.attn.c_attn.weight  768 × 2304   12  21,233,664
transformer.h.{0-11}.attn.c_attn.bias    2304         12      27,648
transformer.h.{0-11}.attn.c_proj.weight  768 × 768    12   7,077,888
transformer.h.{0-11}.attn.c_proj.bias    768          12       9,216
transformer.h.{0-11}.ln_2.weight         768          12       9,216
transformer.h.{0-11}.ln_2.bias           768          12       9,216
transformer.h.{0-11}.mlp.c_fc.weight     768 × 3072   12  28,311,552
transformer.h.{0-11}.mlp.c_fc.bias       3072         12      36,864
transformer.h.{0-11}.mlp.c_proj.weight   3072 × 768   12  28,311,552
transformer.h.{0-11}.mlp.c_proj.bias     768          12       9,216
transformer.ln_f.weight                  768           1         768
transformer.ln_f.bias                    768           1         768
lm_head.weight                           50257 × 768   1  38,597,376
  tied to transformer.wte.weight
"""

LAYER = """\
llama-3.1-8b: llama, LlamaForCausalLM

tensor                                          shape           elements
────────────────────────────────────────────────────────────────────────
model.layers.5.self_attn.q_proj.weight          4096 × 4096   16,777,216
model.layers.5.self_attn.k_proj.weight          1024 × 4096    4,194,304
model.layers.5.self_attn.v_proj.weight          1024 × 4096    4,194,304
model.layers.5.self_attn.o_proj.weight          4096 × 4096   16,777,216
model.layers.5.mlp.gate_proj.weight             14336 × 4096  58,720,256
model.layers.5.mlp.up_proj.weight               14336 × 4096  58,720,256
model.layers.5.mlp.down_proj.weight             4096 × 14336  58,720,256
model.layers.5.input_layernorm.weight           4096               4,096
model.layers.5.post_attention_layernorm.weight  4096               4,096
"""


def test_a_line_for_each_pattern(run: Run) -> None:
    assert run("tensors", "gpt2") == GPT2


def test_a_line_for_each_tensor_in_file_order(run: Run) -> None:
    assert run("tensors", "llama-3.1-8b", "*layers.5.*", "--each") == LAYER


def test_a_pattern_takes_some_places_of_a_row(run: Run) -> None:
    page = run("tensors", "deepseek-v3", "layers.60.mlp.experts.7.up")
    assert "model.layers.60.mlp.experts.7.up_proj.weight  2048 × 7168  1  14,680,064" in page


def test_names_come_one_by_one_as_the_file_has_them(run: Run) -> None:
    document = json.loads(run("tensors", "deepseek-v3", "--each", "--json"))
    names = [tensor["name"] for tensor in document["tensors"]]
    assert len(names) == len(set(names)) == 46_183
    assert names[:2] == ["model.embed_tokens.weight", "model.layers.0.self_attn.q_a_proj.weight"]


def test_the_document_of_a_pattern(run: Run) -> None:
    document = json.loads(run("tensors", "gpt2", "lm_head", "--json"))
    assert document["tensors"] == [
        {
            "pattern": "lm_head.weight",
            "times": 1,
            "shape": [50257, 768],
            "formula": "vocab_size × n_embd",
            "elements": 38_597_376,
            "storage": "tied",
            "same_as": "transformer.wte.weight",
            "dtype": None,
            "role": "head",
            "section": "main",
        }
    ]

"""Nyströmformer's attention is whole only where there are as many landmarks as tokens; totals are transformers'."""

import pytest

import archcount

TWO: dict[str, object] = {"model_type": "nystromformer", "num_hidden_layers": 2}


def test_as_many_landmarks_as_tokens_is_attention_among_all() -> None:
    flops = archcount.load(TWO).flops(context=64)
    assert flops.left_out == ()
    assert flops.prefill_unmasked == 4_874_502_144  # torch's flop_counter, 64 tokens


def test_fewer_landmarks_are_what_flops_leave_out() -> None:
    flops = archcount.load({**TWO, "segment_means_seq_len": 512}).flops(context=64)
    assert flops.left_out == ("Nyström attention: what it does among tokens",)
    assert flops.prefill_unmasked == 4_874_502_144 - 2 * 64 * 64 * 4 * 768  # less the pairs of both layers


def test_the_landmarks_change_no_tensor() -> None:
    one, other = archcount.load(TWO), archcount.load({**TWO, "segment_means_seq_len": 512})
    assert {tensor.name: tensor.shape for tensor in one.tensors()} == {
        tensor.name: tensor.shape for tensor in other.tensors()
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NystromformerForQuestionAnswering", {"qa_outputs.weight": (2, 768), "qa_outputs.bias": (2,)}),
        (
            "NystromformerForMultipleChoice",
            {
                "pre_classifier.weight": (768, 768),
                "pre_classifier.bias": (768,),
                "classifier.weight": (1, 768),
                "classifier.bias": (1,),
            },
        ),
    ],
)
def test_heads_whatever_the_number_of_labels(name: str, expected: dict[str, tuple[int, ...]]) -> None:
    tensors = archcount.load({**TWO, "num_labels": 5, "architectures": [name]}).tensors()
    assert {each.name: each.shape for each in tensors if not each.name.startswith("nystromformer.")} == expected

"""Switch Transformers by what transformers 5.24 builds of google/switch-base-8."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError

BASE_8: dict[str, object] = {
    "model_type": "switch_transformers",
    "d_ff": 3072,
    "num_sparse_encoder_layers": 6,
    "num_sparse_decoder_layers": 6,
}


@pytest.mark.parametrize(
    ("class_name", "parameters", "tensors"),
    [
        ("SwitchTransformersForConditionalGeneration", 619_339_008, 440),
        ("SwitchTransformersModel", 619_339_008, 439),
        ("SwitchTransformersEncoderModel", 307_846_272, 190),
    ],
)
def test_each_class(class_name: str, parameters: int, tensors: int) -> None:
    model = archcount.load({**BASE_8, "architectures": [class_name]})
    assert (model.totals.parameters, len(list(model.tensors()))) == (parameters, tensors)


def test_a_token_visits_one_expert_of_eight() -> None:
    assert archcount.load(BASE_8).totals.active == 619_339_008 - 12 * 7 * 2 * 768 * 3072


@pytest.mark.parametrize(
    ("layers", "sparse", "where"), [(12, 3, [1, 5, 9]), (7, 3, [1, 3, 5]), (4, 0, [1]), (1, 0, [0]), (3, 5, [])]
)
def test_which_layers_have_experts(layers: int, sparse: int, where: list[int]) -> None:
    """Nought asks for none and the class makes one all the same."""
    model = archcount.load({**BASE_8, "num_layers": layers, "num_sparse_encoder_layers": sparse})
    name = "encoder.block.{}.layer.1.mlp.router.classifier.weight"
    names = {tensor.name for tensor in model.tensors()}
    assert [layer for layer in range(layers) if name.format(layer) in names] == where


def test_another_class_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no switch_transformers class of that name is known"):
        archcount.load({**BASE_8, "architectures": ["SwitchTransformersForTokenClassification"]})

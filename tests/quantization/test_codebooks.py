"""VPTQ's outliers, and sizes of its entry that are none."""

from __future__ import annotations

import pytest

from archcount import ArchcountError

from .test_stored import LLAMA, model, stored

VPTQ: dict[str, object] = {
    "vector_lens": [8, 8],
    "num_centroids": [4096, 4096],
    "num_res_centroids": [-1, -1],
    "group_num": 1,
    "group_size": 248,
    "outlier_size": 8,
}


@pytest.mark.parametrize(("indices", "dtype"), [({}, "I16"), ({"indices_as_float": True}, "F16")])
def test_vptq_s_outliers(indices: dict[str, object], dtype: str) -> None:
    entry = {"model.layers.0.self_attn.q_proj": {**VPTQ, **indices}}
    found = stored(model(LLAMA, quant_method="vptq", config_for_layers=entry))
    assert found["model.layers.0.self_attn.q_proj.outlier_indices"] == ((1, 32, 8), dtype)


@pytest.mark.parametrize(
    "wrong", [{"outlier_size": None}, {"outlier_size": -1}, {"num_centroids": "4096"}, {"group_num": 1.5}]
)
def test_a_size_of_vptq_s_that_is_none(wrong: dict[str, object]) -> None:
    entry = {"model.layers.0.self_attn.q_proj": {**VPTQ, **wrong}}
    with pytest.raises(ArchcountError, match="should be a whole number, not below 0"):
        _ = model(LLAMA, quant_method="vptq", config_for_layers=entry).stored

"""Towers that timm builds are counted where their tensors are known, and refused by name where they are not."""

from __future__ import annotations

import math
from typing import Any

import pytest

import archcount
from archcount.errors import ConfigError, ConfigValueError
from archcount.tree import Storage

PE_LARGE = {"embed_dim": 1024, "depth": 23, "img_size": [448, 448], "init_values": 0.1, "global_pool": ""}


def perception(architecture: str = "vit_pe_core_large_patch14_336", **changed: object) -> dict[str, Any]:
    tower = {"model_type": "timm_wrapper", "architecture": architecture, "model_args": PE_LARGE | changed}
    return {"model_type": "perception_lm", "vision_config": tower}


def seeing(config: dict[str, Any]) -> int:
    vision = (tensor for tensor in archcount.load(config).tensors() if tensor.section == "vision")
    return sum(math.prod(tensor.shape) for tensor in vision if tensor.storage is Storage.OWN)


def test_the_perception_encoder_ends_in_a_norm_unless_it_is_waived() -> None:
    waived = seeing(perception(use_post_transformer_norm=False))
    assert waived == 291_415_040
    assert seeing(perception()) - waived == 2 * 1024


@pytest.mark.parametrize(
    ("config", "named"),
    [
        (perception("vit_pe_lang_large_patch14_448"), "vit_pe_lang_large_patch14_448"),
        (perception(num_heads=8), "num_heads"),
        (perception(global_pool="map"), "global_pool"),
    ],
)
def test_what_timm_would_make_otherwise_is_refused_by_name(config: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigValueError, match=named):
        archcount.load(config)


def test_perception_lm_names_no_tower_by_default() -> None:
    with pytest.raises(ConfigError, match="vision_config"):
        archcount.load({"model_type": "perception_lm"})


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"architecture": "resnet50"}, "resnet50"),
        ({"model_args": {}}, "inference_mode"),
        ({"model_args": {"inference_mode": True, "in_chans": 1}}, "in_chans"),
    ],
)
def test_another_fastvit_is_refused_by_name(changed: dict[str, object], named: str) -> None:
    tower = {"architecture": "fastvit_mci3", "hidden_size": 3072, "model_args": {"inference_mode": True}} | changed
    with pytest.raises(ConfigValueError, match=named):
        archcount.load({"model_type": "fast_vlm", "vision_config": tower})


def test_fast_vlm_sees_with_mci3_by_default() -> None:
    assert seeing({"model_type": "fast_vlm"}) == 122_714_208  # as timm 1.0.31 builds it, its branches merged

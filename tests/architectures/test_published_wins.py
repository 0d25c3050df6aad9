"""Where transformers and published files part, the files decide: literal figures for the types no record can hold."""

from __future__ import annotations

import archcount


def test_longcat_flash_stores_nothing_for_experts_that_compute_nothing() -> None:
    """The report (arXiv 2509.01322): 560B parameters, 18.6B to 31.3B active, 27B on average."""
    totals = archcount.load({"model_type": "longcat_flash"}).totals
    assert totals.parameters == 560_664_980_480
    assert totals.active == 27_954_818_048


def test_longcat_flash_router_scores_the_zero_experts_too() -> None:
    model = archcount.load({"model_type": "longcat_flash"})
    shapes = {row.pattern: row.tensor.shape for row in model.rows}
    assert shapes["model.layers.{0-27}.mlp.router.classifier.weight"] == (768, 6144)
    assert shapes["model.layers.{0-27}.mlp.experts.{0-511}.up_proj.weight"] == (2048, 6144)


def test_inkling_head_is_stored_with_its_padding_rows() -> None:
    """The file's head has vocab_size rows, of which unpadded_vocab_size mean a token."""
    model = archcount.load({"model_type": "inkling2_loop_text"})
    shapes = {row.pattern: row.tensor.shape for row in model.rows}
    assert shapes["model.llm.unembed.weight"] == (201_024, 2_304)
    assert model.totals.by_role["head"] == 201_024 * 2_304


def test_inkling_with_eyes_is_its_language_model_and_its_tower() -> None:
    """The tower: 23 layers of 1024 and a table of 32 × 32 positions; its two matrices lead up to 4608."""
    whole, text = archcount.load({"model_type": "inkling2"}), archcount.load({"model_type": "inkling2_text"})
    sections = whole.totals.by_section
    assert sections == {"main": text.totals.parameters, "vision": 292_041_728, "projector": 35_651_584}
    shapes = {tensor.name: tensor.shape for tensor in whole.tensors()}
    assert shapes["model.visual.backbone.embeddings.position_embedding"] == (1024, 1024)
    assert shapes["model.visual.proj_out.weight"] == (4608, 4096)

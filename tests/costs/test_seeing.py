"""What an image costs before the language model reads it, and what of that is not marked."""

from collections.abc import Mapping

import archcount
from archcount.costs.seeing import Seeing, seeing


def seen(config: Mapping[str, object] | str, height: int, width: int) -> Seeing:
    """The costs of one image."""
    model = archcount.load(config)
    return seeing(model.rows, model.parts, model.images(height, width).each)


def test_gemma_3_s_tower_attention_and_projector() -> None:
    patches, width, inner, layers, tokens = 4096, 1152, 4304, 27, 256
    found = seen("gemma-3-4b", 768, 1024)
    assert found.tower == 2 * patches * (3 * 14 * 14 * width + layers * (4 * width * width + 2 * width * inner))
    assert found.attention == layers * 4 * width * patches * patches
    assert found.projector == 2 * tokens * width * 2560
    assert found.left_out == ()


def test_layers_with_a_window_see_their_square_alone() -> None:
    rows, columns, width = 54, 74, 3584
    whole, squares = (rows * columns) ** 2, (6 * 64 + 36) * (9 * 64 + 4)
    assert seen({"model_type": "qwen2_5_vl"}, 768, 1024).attention == 4 * width * (4 * whole + 28 * squares)


def test_a_pooling_head_is_left_out_and_said_to_be() -> None:
    found = seen({"model_type": "deepseek_vl"}, 384, 384)
    assert found.left_out == ("vision: attention of a pooling head", "vision: 4 matrices")


def test_a_tower_without_marks_is_left_out_whole() -> None:
    found = seen({"model_type": "got_ocr2"}, 100, 100)
    assert (found.total, len(found.left_out)) == (0, 3)


def test_queries_of_a_q_former_are_left_out() -> None:
    found = seen({"model_type": "blip-2"}, 100, 100)
    assert found.projector == 0
    assert "projector: 17 matrices" in found.left_out


def test_what_is_only_stored_costs_nothing() -> None:
    published = {"model_type": "paddleocr_vl", "transformers_version": "4.55.0"}
    assert seen(published, 768, 1024) == seen({"model_type": "paddleocr_vl"}, 768, 1024)

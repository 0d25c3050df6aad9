"""The images of a prompt, through a model."""

import pytest

import archcount
from archcount.errors import UnknownCostError, UsageError

GEMMA = archcount.load("gemma-3-4b")
QWEN = archcount.load({"model_type": "qwen2_5_vl"})


def test_tokens_and_marks_of_all_images() -> None:
    images = GEMMA.images(768, 1024, 4)
    assert (images.each.tokens, images.each.marks, images.each.patches, images.tokens) == (256, 4, 4096, 1040)


def test_settings_that_nobody_gave_are_assumed() -> None:
    images = QWEN.images(768, 1024)
    assert images.tokens == 999
    assert (images.processor, images.assumed) == (
        "Qwen2VLImageProcessor",
        {"min_pixels": 3136, "max_pixels": 1003520},
    )


def test_a_published_file_s_bounds() -> None:
    images = QWEN.images(1080, 1920, processor={"max_pixels": 12845056})
    assert (images.tokens, images.assumed) == (2691, {"min_pixels": 3136})


def test_a_setting_that_decides_nothing_is_not_assumed() -> None:
    llava = archcount.load({"model_type": "llava"})
    assert (llava.images(100, 100).tokens, llava.images(100, 100).assumed) == (576, {})


def test_mllama_attends_to_all_its_tiles_from_one_token() -> None:
    images = archcount.load({"model_type": "mllama", "vision_config": {"image_size": 560}}).images(100, 100, 2)
    assert (images.tokens, images.each.source, images.source) == (2, 4 * 1601, 8 * 1601)


def test_internvl_s_own_files_say_how_many_tiles() -> None:
    tiled = {"model_type": "internvl_chat", "vision_config": {"image_size": 448}, "dynamic_image_size": True}
    asked = {**tiled, "use_thumbnail": True, "max_dynamic_patch": 12}
    assert archcount.load(asked).images(768, 1024).tokens == 13 * 256 + 2
    assert archcount.load({**asked, "dynamic_image_size": False}).images(768, 1024).tokens == 258


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"model_type": "gpt2"}, "holds nothing to see with"),
        ({"model_type": "gemma3", "architectures": ["Gemma3ForCausalLM"]}, "holds nothing to see with"),
        ({"model_type": "florence2"}, "how its processor cuts an image is not known"),
        ({"model_type": "llava", "vision_config": {"model_type": "siglip2_vision_model"}}, "siglip2_vision_model"),
    ],
)
def test_what_is_not_known_is_refused(config: dict[str, object], reason: str) -> None:
    with pytest.raises(UnknownCostError, match=reason):
        archcount.load(config).images(100, 100)


def test_crops_are_not_guessed() -> None:
    with pytest.raises(UnknownCostError, match="do_pan_and_scan"):
        GEMMA.images(100, 100, processor={"do_pan_and_scan": True})


@pytest.mark.parametrize("count", [0, -1, True, 2**21])
def test_a_count_is_a_count(count: int) -> None:
    with pytest.raises(UsageError, match="should be a whole number, 1 or more"):
        GEMMA.images(100, 100, count)

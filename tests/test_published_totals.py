"""Every known config counts to the figures published for its model."""

import pytest

import archcount
from archcount.sources.catalog import Known, known_models

# Elements a repository's file holds that no key of its config foretells.
MASK = 1_024 * 1_024  # a causal mask in each layer of the GPT-2 files
IN_THE_FILE_ALONE = {
    "gpt2": 12 * MASK,
    "gpt2-medium": 24 * MASK,
    "gpt2-large": 36 * MASK,
    "gpt2-xl": 48 * MASK,
    "qwen3-0.6b": 151_936 * 1_024,  # the head, tied and written out all the same
    "qwen3-1.7b": 151_936 * 2_048,
    "qwen3-next-80b-a3b": 1_650_471_424,  # a prediction layer that its config does not declare
    "falcon-7b": 65_024 * 4_544,  # the tied head
    "falcon-40b": 65_024 * 8_192,
    "bert-base": 768 * 768 + 768 + 2 * 768 + 2,  # a pooler and next-sentence prediction, which its class has not
    "bert-large": 1_024 * 1_024 + 1_024 + 2 * 1_024 + 2,
    "all-minilm-l6-v2": 512,  # position ids
}


def _published(figure: str) -> pytest.MarkDecorator:
    models = [known for known in known_models() if getattr(known, figure) is not None]
    return pytest.mark.parametrize("known", models, ids=lambda known: known.name)


@_published("parameters")
def test_the_parameters_are_those_published(known: Known) -> None:
    assert archcount.load(known.name).totals.parameters == known.parameters


@_published("active")
def test_the_active_parameters_are_those_published(known: Known) -> None:
    assert archcount.load(known.name).totals.active == known.active


@_published("stored")
def test_the_files_hold_what_is_published(known: Known) -> None:
    stored = archcount.load(known.name).totals.stored
    assert stored is not None
    assert stored + IN_THE_FILE_ALONE.get(known.name, 0) == known.stored


@pytest.mark.parametrize("name", ["deepseek-v2-lite", "gpt-oss-20b", "gpt-oss-120b"])
def test_the_active_figure_of_a_report_may_leave_the_input_embedding_out(name: str) -> None:
    published = {"deepseek-v2-lite": 2_451_435_008, "gpt-oss-20b": 3_608_307_264, "gpt-oss-120b": 5_132_849_472}
    assert archcount.load(name).totals.active_without_input_embedding == published[name]


@pytest.mark.parametrize(
    ("name", "published"), [("palm-8b", "8.63B"), ("palm-62b", "62.50B"), ("palm-540b", "540.35B")]
)
def test_the_figure_of_palm_is_its_matrices(name: str, published: str) -> None:
    assert f"{_matrices(archcount.load(name)) / 1e9:.2f}B" == published


def test_palm_540b_holds_its_matrices_and_a_gain_for_each_norm() -> None:
    model = archcount.load("palm-540b")
    assert _matrices(model) == 540_354_281_472
    assert model.totals.parameters == 540_354_281_472 + 119 * 18_432  # one norm a parallel layer, and the last


def _matrices(model: archcount.Model) -> int:
    return sum(row.elements for row in model.rows if row.tensor.storage.is_parameter and len(row.tensor.shape) == 2)


def test_the_figure_of_vit_22b_is_the_matrices_of_its_encoder_blocks() -> None:
    rows = archcount.load("vit-22b").rows
    matrices = sum(row.elements for row in rows if row.times == 48 and len(row.tensor.shape) == 2)
    assert matrices == 21_743_271_936
    assert f"{matrices / 1e6:.0f}M" == "21743M"

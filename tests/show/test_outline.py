"""A model as a reader takes it in: its parts sum up to it, whatever the family."""

from itertools import islice

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.registry import model_types
from archcount.show.outline import Entry, outline
from archcount.sources.catalog import names


def _leaves(entry: Entry) -> list[Entry]:
    return [leaf for inner in entry.within for leaf in _leaves(inner)] if entry.within else [entry]


def _sums(entry: Entry) -> bool:
    parts = sum(inner.parameters for inner in entry.within)
    return all(map(_sums, entry.within)) and (not entry.within or parts == entry.parameters)


def _check(model: archcount.Model) -> None:
    sections = outline(model)
    assert sum(section.parameters for section in sections if section.is_counted) == model.totals.parameters
    entries = [entry for section in sections for entry in section.entries]
    assert all(map(_sums, entries))
    rows = [row for entry in entries for leaf in _leaves(entry) for row in leaf.rows]
    assert sorted(row.pattern for row in rows) == sorted(row.pattern for row in model.rows)
    assert all(int(leaf.size) == leaf.each for entry in entries for leaf in _leaves(entry))
    for section in sections:
        titles = [(entry.title, entry.name) for entry in section.entries]
        assert len({title for title, _ in titles}) == len(titles), titles


# Their classes' own defaults cannot be built, or leave open a key that the error names in a sentence of its own.
REFUSED_BARE = frozenset(
    {"aya_vision", "dots1", "gemma4_assistant", "moondream1", "orion", "qwen4_exp", "qwen4_exp_text"}
)


@pytest.mark.parametrize("name", names())
def test_the_parts_of_a_known_model_sum_up_to_it(name: str) -> None:
    _check(archcount.load(name))


@pytest.mark.parametrize("model_type", list(model_types()))
def test_the_parts_of_a_default_model_sum_up_to_it(model_type: str) -> None:
    try:
        model = archcount.load({"model_type": model_type})
    except ConfigValueError as error:
        assert "is missing, and its model_type has no default" in str(error) or model_type in REFUSED_BARE
        pytest.skip("has no defaults of its own")
    _check(model)


@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "qwen3_vl", "glm4v", "kimi_k25", "gemma3", "internvl"])
def test_a_tower_begins_with_its_patch_embedding(model_type: str) -> None:
    (tower,) = (each for each in outline(archcount.load({"model_type": model_type})) if each.name == "vision")
    assert "patch embedding" in [entry.title for entry in tower.entries]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ({"model_type": "gemma3"}, ["language", "vision", "projector"]),
        ({"model_type": "qwen2_5_omni_thinker"}, ["language", "audio", "projector", "vision"]),
        ("deepseek-v3", ["main", "mtp"]),
        ("t5-small", ["main", "encoder", "decoder"]),
    ],
)
def test_what_stands_beside_a_tower_is_the_language_model(model: str | dict[str, object], expected: list[str]) -> None:
    assert [section.title for section in outline(archcount.load(model))] == expected


def test_a_lone_matrix_stands_for_its_part() -> None:
    (section,) = outline(archcount.load("gpt2"))
    assert [(entry.title, entry.name) for entry in section.entries] == [
        ("embedding", "transformer.wte.weight"),
        ("embedding learned positions", "transformer.wpe.weight"),
        ("h 0–11 pre-norm", "transformer.h.{0-11}"),
        ("final norm LayerNorm", "transformer.ln_f.weight"),
        ("head", "lm_head.weight"),
    ]
    assert [entry.title for entry in section.entries[2].within] == ["attention MHA 12", "GELU MLP", "norms LayerNorm"]


def test_what_would_read_alike_is_told_apart_by_name() -> None:
    decoder = outline(archcount.load("t5-small"))[2]
    assert [entry.title for entry in decoder.entries[1].within] == [
        "attention SelfAttention MHA 8",
        "attention EncDecAttention MHA 8",
        "MLP DenseReluDense ReLU MLP",
        "norms RMSNorm",
    ]


def test_experts_and_shared_experts_are_two_parts() -> None:
    main = outline(archcount.load("deepseek-v3"))[0]
    sparse = next(entry for entry in main.entries if entry.label == "layers 3–60")
    assert [entry.title for entry in islice(sparse.within, 1, 4)] == [
        "router 256 experts, top 8",
        "experts 256 × SwiGLU, top 8",
        "MLP shared_experts SwiGLU",
    ]
    assert [leaf.label for leaf in sparse.within[2].within] == [
        "experts.{0-255}.gate_proj", "experts.{0-255}.up_proj", "experts.{0-255}.down_proj",
    ]  # fmt: skip

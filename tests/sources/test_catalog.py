"""The catalogue answers to names, aliases and repository ids, and says where each figure stands."""

from collections import Counter
from pathlib import Path

import pytest

from archcount.sources import catalog

FOLDER = Path(__file__).parent.parent.parent / "known_configs"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("llama-3.1-8b", "llama-3.1-8b"),
        ("Llama-3.1-8B", "llama-3.1-8b"),
        ("llama_3.1_8b", "llama-3.1-8b"),
        (" Llama 3.1 8B ", "llama-3.1-8b"),
        ("llama3.1-8b", "llama-3.1-8b"),
        ("llama-3.1-8b-instruct", "llama-3.1-8b"),
        ("meta-llama-3.1-8b", "llama-3.1-8b"),
        ("meta-llama/Llama-3.1-8B", "llama-3.1-8b"),
        ("META-LLAMA/meta-llama-3.1-8b-instruct", "llama-3.1-8b"),
        ("meta-llama/Meta-Llama-3-8B", "llama-3-8b"),
        ("llama-7b", "llama-1-7b"),
        ("GPT-2", "gpt2"),
        ("gemma2-2b", "gemma-2-2b"),
        ("gemma-2b", "gemma-2b"),
        ("google/flan-t5-base", "t5-v1.1-base"),
        ("deepseek-r1", "deepseek-v3"),
        ("gpt-j", "gpt-j-6b"),
    ],
)
def test_a_model_is_found_by_each_of_its_names(query: str, name: str) -> None:
    assert catalog.resolve(query) == name
    known = catalog.find(query)
    assert known is not None
    assert known.name == name


@pytest.mark.parametrize(
    "query",
    [
        "",
        "llama",
        "llama-3.1-8",
        "gpt2/",
        "../known_configs/gpt2",
        "known_configs/gpt2",
        "gpt2.json",
        "a/b/c",
        "catalog",
        ".",
    ],
)
def test_nothing_is_found_by_half_a_name_or_a_path(query: str) -> None:
    assert catalog.resolve(query) is None
    assert catalog.find(query) is None


def test_a_known_model_carries_its_published_figures() -> None:
    known = catalog.find("deepseek-v3")
    assert known is not None
    assert known.repository == "deepseek-ai/DeepSeek-V3"
    assert "deepseek-ai/DeepSeek-R1" in known.also
    assert known.parameters == 671_026_419_200
    assert known.active == 37_552_297_472
    assert known.stored == 684_531_386_000
    assert not known.written_from_paper


def test_a_model_without_a_config_says_it_was_written_from_the_paper() -> None:
    written = {known.name for known in catalog.known_models() if known.written_from_paper}
    assert written == {"palm-8b", "palm-62b", "palm-540b", "vit-22b"}


def test_a_config_is_the_one_hugging_face_publishes() -> None:
    config = catalog.config_of("llama-3.1-8b")
    assert config["model_type"] == "llama"
    assert config["intermediate_size"] == 14336
    assert "head_dim" not in config
    assert config["rope_scaling"] == {
        "factor": 8.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    }


def test_a_config_is_given_for_a_known_model_as_for_its_name() -> None:
    known = catalog.find("gpt-2")
    assert known is not None
    assert catalog.config_of(known) == catalog.config_of("gpt2")
    assert catalog.config_of(known)["n_embd"] == 768


def test_the_sparse_text_config_of_gemma_3_stays_sparse() -> None:
    assert catalog.config_of("gemma-3-4b")["text_config"] == {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "model_type": "gemma3_text",
        "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
        "sliding_window": 1024,
    }


@pytest.mark.parametrize(
    ("query", "first"),
    [("lama-3.1-8b", "llama-3.1-8b"), ("gtp2", "gpt2"), ("qwen3-8", "qwen3-8b"), ("mixtral-8x7", "mixtral-8x7b")],
)
def test_a_misspelt_name_has_its_model_nearest(query: str, first: str) -> None:
    assert catalog.nearest(query)[0] == first


def test_the_nearest_are_as_many_as_asked_for_and_all_different() -> None:
    assert len(catalog.nearest("qwen2.5-9b", limit=3)) == 3
    assert len(set(catalog.nearest("qwen2.5-9b", limit=7))) == 7
    assert catalog.nearest("zzzzzzzz") == []


def test_every_entry_has_a_config_and_every_config_an_entry() -> None:
    assert sorted(catalog.names()) == sorted(path.stem for path in FOLDER.glob("*.json"))


def test_no_spelling_means_two_models() -> None:
    meanings = Counter(spelling for known in catalog.known_models() for spelling in known.spellings)
    assert [spelling for spelling, times in meanings.items() if times > 1] == []


@pytest.mark.parametrize("known", catalog.known_models(), ids=lambda known: known.name)
def test_an_entry_is_complete(known: catalog.Known) -> None:
    assert known.source
    assert known.name == catalog.normalise(known.name)
    assert list(known.aliases) == [catalog.normalise(alias) for alias in known.aliases]
    assert all(repository.count("/") == 1 for repository in (known.repository, *known.also) if repository)
    assert (known.repository is None) == known.written_from_paper
    assert (known.parameters is None) == (known.published is not None)
    for figure in (known.parameters, known.active, known.stored):
        assert figure is None or (type(figure) is int and figure > 0)
    assert catalog.config_of(known)["model_type"]

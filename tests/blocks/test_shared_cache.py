"""Layers that read another's keys and values: no cache of their own, and their matrices lie in the file unused."""

import pytest

from archcount import Model, load
from archcount.errors import ConfigValueError

E2B = {"num_hidden_layers": 30, "num_kv_shared_layers": 10, "intermediate_size": 8192}


def caches(model: Model) -> int:
    """How many layers keep something of each token."""
    return sum(part.times for part in model.parts if part.cache and part.cache.per_token)


@pytest.mark.parametrize(
    ("config", "parameters", "owners"),
    [(E2B, 4_435_182_688, 20), ({}, 6_835_235_568, 20)],
    ids=["Gemma 3n E2B", "Gemma 3n E4B"],
)
def test_gemma3n_s_last_layers_own_no_cache(config: dict[str, object], parameters: int, owners: int) -> None:
    model = load({"model_type": "gemma3n_text", **config})
    assert (model.totals.parameters, caches(model)) == (parameters, owners)


def test_unused_keys_and_values_are_stored_and_not_counted() -> None:
    totals = load({"model_type": "gemma3n_text"}).totals
    keys_and_values = 2 * 512 * 2048 + 256  # and the norm of the keys
    assert totals.stored == totals.parameters + 15 * keys_and_values


def test_an_assistant_owns_no_cache_and_stores_no_keys() -> None:
    model = load({"model_type": "gemma4_unified_assistant"})
    assert caches(model) == 0
    assert not [row.pattern for row in model.rows if "k_proj" in row.pattern]


def test_a_kind_with_no_layer_to_borrow_from_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="leaves no full_attention layer to share the keys of"):
        load({"model_type": "gemma3n_text", "num_hidden_layers": 5, "num_kv_shared_layers": 1})
    with pytest.raises(ConfigValueError, match="num_kv_shared_layers is 6: there are 5 layers"):
        load({"model_type": "gemma3n_text", "num_hidden_layers": 5, "num_kv_shared_layers": 6})

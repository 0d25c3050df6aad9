"""What a sequence leaves behind in layers without a key-value cache, and what the layers beside them cache."""

from archcount import Model, load

MEBIBYTE = 2**20


def cache_bytes_per_token(model: Model) -> int:
    return 2 * sum(part.cache.per_token * part.times for part in model.parts if part.cache)


def state_bytes(model: Model) -> dict[str, int]:
    """By label, at the width the state is kept in."""
    found: dict[str, int] = {}
    for part in model.parts:
        if part.cache and part.cache.fixed:
            assert part.cache.dtype == "float32"
            found[part.cache.label] = found.get(part.cache.label, 0) + 4 * part.cache.fixed * part.times
    return found


def test_falcon_h1_attends_and_recurs_in_every_layer() -> None:
    model = load(
        {
            "model_type": "falcon_h1",
            "hidden_size": 2048,
            "num_hidden_layers": 24,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "head_dim": 128,
            "mamba_d_ssm": 3072,
            "mamba_n_heads": 48,
            "mamba_d_head": 64,
            "mamba_d_state": 256,
        }
    )
    assert cache_bytes_per_token(model) == 24_576
    assert state_bytes(model) == {"SSM state": 72 * MEBIBYTE, "conv state": 1_032_192}  # 72.98 MiB


def test_qwen3_5_caches_keys_in_every_fourth_layer() -> None:
    sizes = {"num_hidden_layers": 64, "full_attention_interval": 4, "num_key_value_heads": 4, "head_dim": 256}
    assert cache_bytes_per_token(load({"model_type": "qwen3_5_text", **sizes})) == 65_536
    assert cache_bytes_per_token(load({"model_type": "qwen3_5_moe_text"})) == 20_480


def test_a_list_of_layers_wins_over_an_interval() -> None:
    kinds = ["full_attention", "linear_attention", "full_attention"]
    sizes = {"num_hidden_layers": 3, "layer_types": kinds, "full_attention_interval": 4}
    model = load({"model_type": "qwen3_5_text", **sizes})
    assert cache_bytes_per_token(model) == 2 * 2 * (2 * 4 * 256)
    assert state_bytes(model) == {"recurrent state": 4 * 32 * 128 * 128, "conv state": 4 * 8192 * 3}

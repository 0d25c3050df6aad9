"""Training memory: the bytes a parameter takes, how they are shared out, and the estimate of activations."""

import pytest

import archcount
from archcount.costs.training import Training, recipe
from archcount.errors import UnknownCostError, UsageError

LLAMA = 8_030_261_248


def trained(name: str, *settings: str, context: int = 4096, dtype: str = "bf16") -> Training:
    """On the fullest device."""
    return archcount.load(name).training(context, recipe=recipe(settings, dtype))


def test_sixteen_bytes_a_parameter() -> None:
    """2 + 2 + 12: Rajbhandari et al. 2020, section 3.1."""
    found = trained("llama-3.1-8b")
    assert (found.weights, found.gradients) == (2 * LLAMA, 2 * LLAMA)
    assert (found.master, found.optimizer) == (4 * LLAMA, 8 * LLAMA)
    assert found.states == 16 * LLAMA


@pytest.mark.parametrize(("stage", "each"), [(1, 4 + 12 / 64), (2, 2 + 14 / 64), (3, 16 / 64)])
def test_zero_shares_out(stage: int, each: float) -> None:
    """The same paper's figure 1: 31.4, 16.6 and 1.9 GB of 120 GB over 64 devices, as parts of 16 bytes."""
    assert trained("llama-3.1-8b", f"zero={stage}", "data=64").states == LLAMA * each


def test_weights_in_float32_need_no_master_copy() -> None:
    found = trained("llama-3.1-8b", dtype="fp32")
    assert (found.weights, found.gradients, found.master) == (4 * LLAMA, 4 * LLAMA, 0)
    assert trained("llama-3.1-8b", "master=none").master == 0
    assert trained("llama-3.1-8b", "gradients=fp32").gradients == 4 * LLAMA


def test_tensor_parallel_splits_matrices_and_keeps_norms() -> None:
    norms, matrices = 65 * 4096, LLAMA - 65 * 4096
    assert trained("llama-3.1-8b", "tensor=8").weights == 2 * (norms + matrices // 8)


def test_keys_and_values_are_held_again_where_devices_outnumber_their_heads() -> None:
    norms, key_value = 65 * 4096, 32 * 2 * 1024 * 4096
    rest = LLAMA - norms - key_value
    assert trained("llama-3.1-8b", "tensor=32").weights == 2 * (norms + rest // 32 + key_value // 8)


def test_experts_are_shared_out_among_data_parallel_devices() -> None:
    experts = 48 * 128 * 3 * 2048 * 768
    rest = 30_532_122_624 - experts
    found = trained("qwen3-30b-a3b", "expert=8", "data=64", "zero=1")
    assert found.weights == 2 * (rest + experts // 8)
    assert found.optimizer == 8 * rest // 64 + 8 * experts // 8 // 8


def test_the_last_stage_holds_the_head_and_the_first_the_table() -> None:
    table, layer = 525_336_576, 218_112_000
    found = trained("llama-3.1-8b", "pipeline=4", "recompute=full", context=1)
    assert found.weights == 2 * (table + 8 * layer) + (2 * 4096 if found.stage == 3 else 0)


def test_a_tied_head_is_held_again_on_the_last_stage() -> None:
    whole, table = 1_235_814_400, 128_256 * 2048
    first = trained("llama-3.2-1b", "pipeline=2", context=8192)
    assert first.stage == 0
    assert first.weights == 2 * (table + 8 * (whole - table - 2048) // 16)


@pytest.mark.parametrize(
    ("settings", "a_layer"),
    [
        (["recompute=none"], 8192 * 4096 * (34 + 5 * 32 * 8192 / 4096)),
        (["recompute=selective"], 8192 * 4096 * 34),
        (["recompute=full"], 8192 * 4096 * 2),
        (["recompute=selective", "tensor=8"], 8192 * 4096 * (10 + 24 / 8)),
    ],
)
def test_activations_by_the_paper(settings: list[str], a_layer: float) -> None:
    """Korthikanti et al. 2022, table 2, without sequence parallelism."""
    assert trained("llama-3.1-8b", *settings, context=8192).activations == 32 * a_layer


def test_later_stages_keep_fewer_micro_batches() -> None:
    whole = trained("llama-3.1-8b", "recompute=selective").activations
    split = trained("llama-3.1-8b", "recompute=selective", "pipeline=4", "zero=1", "data=512")
    assert split.activations == whole * (4 - split.stage) // 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["optimizer=lion"], "optimizer=lion: known are adamw, adamw-8bit, muon"),
        (["zero=4"], "zero=4: should be 0, 1, 2 or 3"),
        (["tensor=3"], "tensor=3: does not divide 32 heads of GQA 32/8"),
        (["data=0"], "data=0: should be 1 or more"),
        (["expert=2"], "expert=2: should divide data=1"),
        (["depth=2"], "--with 'depth=2': write key=value with one of optimizer"),
        (["zero"], "--with 'zero': write key=value"),
        (["recompute=some"], "recompute=some: should be none, selective, full"),
    ],
)
def test_what_is_refused(settings: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        trained("llama-3.1-8b", *settings)


def test_stages_are_laid_over_one_stack_of_layers() -> None:
    with pytest.raises(UnknownCostError, match="pipeline: 2 stacks of layers"):
        trained("t5-base", "pipeline=2")


def test_every_stage_holds_a_layer() -> None:
    assert trained("llama-3.1-8b", "pipeline=32").weights > 0
    with pytest.raises(UsageError, match="pipeline=33: more stages than there are layers, 32"):
        trained("llama-3.1-8b", "pipeline=33")


def test_four_key_value_heads_over_sixteen_devices() -> None:
    """A device keeps a whole head: four devices each hold the same one."""
    one, sixteen = trained("qwen3-30b-a3b").weights, trained("qwen3-30b-a3b", "tensor=16").weights
    key_value = 2 * 48 * 2 * 4 * 128 * 2048
    router, norms = 2 * 48 * 128 * 2048, 2 * (48 * (2 * 2048 + 2 * 128) + 2048)
    assert sixteen == (one - key_value - router - norms) // 16 + key_value // 4 + router + norms


def test_attention_whose_cost_nothing_tells_is_refused() -> None:
    model = archcount.load({"model_type": "reformer"})
    with pytest.raises(UnknownCostError, match="is not marked, so nothing is counted"):
        model.training(128, recipe=recipe({}, "bfloat16"))

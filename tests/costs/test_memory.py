"""Weights, caches and states in bytes: figures of published models, and of reports that had them wrong (B0nn)."""

import pytest

import archcount
from archcount.costs.memory import Memory
from archcount.errors import UnknownCostError, UsageError

MISTRAL_SMALL = {
    "model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32, "head_dim": 128, "num_key_value_heads": 8,
    "num_hidden_layers": 40, "intermediate_size": 32768, "vocab_size": 131072, "sliding_window": None,
}  # fmt: skip
STARCODER = {
    "model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_layer": 40, "n_inner": 24576, "vocab_size": 49152,
    "multi_query": True, "n_positions": 8192,
}  # fmt: skip
FALCON_H1 = {
    "model_type": "falcon_h1", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 8,
    "num_key_value_heads": 2, "head_dim": 128, "mamba_d_ssm": 3072, "mamba_n_heads": 48, "mamba_d_head": 64,
    "mamba_d_state": 256, "mamba_n_groups": 1, "mamba_d_conv": 4, "intermediate_size": 4096, "vocab_size": 65537,
}  # fmt: skip
GEMMA_3_270M = {
    "model_type": "gemma3_text", "hidden_size": 640, "num_hidden_layers": 18, "num_attention_heads": 4,
    "num_key_value_heads": 1, "head_dim": 256, "sliding_window": 512, "intermediate_size": 2048, "vocab_size": 262144,
}  # fmt: skip
WHISPER_LARGE_V3 = {
    "model_type": "whisper", "d_model": 1280, "encoder_layers": 32, "decoder_layers": 32, "encoder_attention_heads": 20,
    "decoder_attention_heads": 20, "encoder_ffn_dim": 5120, "decoder_ffn_dim": 5120, "num_mel_bins": 128,
    "vocab_size": 51866,
}  # fmt: skip
QWEN_HYBRID = {"head_dim": 256, "full_attention_interval": 4}
QWEN_27B = {**QWEN_HYBRID, "model_type": "qwen3_5_text", "num_hidden_layers": 64, "num_key_value_heads": 4,
            "num_attention_heads": 24, "hidden_size": 5120}  # fmt: skip
QWEN_35B = {**QWEN_HYBRID, "model_type": "qwen3_5_moe_text", "num_hidden_layers": 40, "num_key_value_heads": 2,
            "num_attention_heads": 16, "hidden_size": 2048}  # fmt: skip
KIMI_K3 = {
    "model_type": "kimi_linear", "num_hidden_layers": 93, "hidden_size": 7168, "kv_lora_rank": 512,
    "qk_rope_head_dim": 64, "linear_attn_config": {
        "full_attn_layers": [*range(4, 93, 4), 93], "kda_layers": [i for i in range(1, 93) if i % 4],
    },
}  # fmt: skip


def two_bytes(config: object, context: int = 1, **more: object) -> Memory:
    """Weights and caches at 16 bits, states at their own width."""
    return archcount.load(config).memory(context, dtype="bf16", cache_dtype="bf16", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("config", "per_token"),
    [
        ("llama-3.1-8b", 131_072),
        ("gpt2", 36_864),  # B033
        (STARCODER, 20_480),  # B033: multi-query
        (MISTRAL_SMALL, 163_840),  # B029: head_dim 128, not 5120 ÷ 32
        ("qwen3-4b", 147_456),  # B029
        ("mixtral-8x22b", 229_376),  # B030: head_dim null
        ("deepseek-v3", 70_272),  # B034: one latent row of 576
        (QWEN_27B, 65_536),  # B035: every fourth layer attends
        (QWEN_35B, 20_480),  # B035
        (FALCON_H1, 24_576),  # B036: every layer both
        ("gpt-oss-120b", 73_728),  # B037: sliding layers too, while under the window
        (KIMI_K3, 27_648),  # B043: 24 of 93 layers attend
        (WHISPER_LARGE_V3, 163_840),  # B040
    ],
)
def test_bytes_that_a_token_adds(config: object, per_token: int) -> None:
    assert two_bytes(config).cache_bytes_per_token == per_token


@pytest.mark.parametrize(
    ("config", "context", "expected"),
    [
        ("gpt2", 8192, 288 * 2**20),  # B033
        (STARCODER, 8192, 160 * 2**20),  # B033
        (FALCON_H1, 32768, 768 * 2**20),  # B036
        (GEMMA_3_270M, 4096, 20_447_232),  # B037: 15 layers of 512 rows, 3 of 4,096
        ("mistral-7b", 32768, 536_870_912),  # a window of 4,096: an eighth
        (WHISPER_LARGE_V3, 448, 448 * 163_840 + 245_760_000),  # B040: 1,500 frames, whatever is decoded
    ],
)
def test_cache_at_a_context(config: object, context: int, expected: int) -> None:
    assert two_bytes(config, context).cache_bytes == expected


def test_grouped_queries_keep_a_quarter() -> None:
    grouped = two_bytes("llama-3.1-8b", 8192).cache_bytes
    multi_head = archcount.load("llama-3.1-8b", set={"num_key_value_heads": 32}).memory(8192).cache_bytes
    assert multi_head == 4 * grouped


def test_elements_for_a_token_and_layer() -> None:
    """32 heads of 128 kept whole, by eight, by one, and as DeepSeek's latent row."""
    kept = {}
    for kv in (32, 8, 1):
        kept[kv] = archcount.load("llama-3.1-8b", set={"num_key_value_heads": kv}).memory(1).lines[0].cache.per_token
    assert kept == {32: 8192, 8: 2048, 1: 256}
    assert two_bytes("deepseek-v3").lines[0].cache.per_token == 576


def test_mistral_s_window_keeps_an_eighth_of_32k() -> None:
    assert (
        two_bytes("mistral-7b", 32768, policy="unified").cache_bytes == 8 * two_bytes("mistral-7b", 32768).cache_bytes
    )


def test_gemma_3_keeps_17_percent_of_128k() -> None:
    least = two_bytes("gemma-3-12b", 131_072).cache_bytes
    most = two_bytes("gemma-3-12b", 131_072, policy="unified").cache_bytes
    assert f"{least / most:.0%} {most / least:.1f}" == "17% 5.8"


def test_a_naive_runtime_keeps_deepseek_s_keys_and_values() -> None:
    assert two_bytes("deepseek-v3", expanded=True).cache_bytes == 4_997_120  # B034


def test_states_do_not_grow() -> None:
    """B036: 72 MiB of SSM state and 0.98 MiB of filters, at their own four bytes."""
    found = two_bytes(FALCON_H1, 32768)
    assert found.state_bytes == two_bytes(FALCON_H1, 1).state_bytes == 76_529_664
    assert {line.cache.label: line.bytes(1, 1) for line in found.states} == {
        "SSM state": 72 * 2**20,
        "conv state": 1_032_192,
    }
    assert two_bytes(FALCON_H1, 1, state_dtype="bf16").state_bytes == 76_529_664 // 2


def test_a_window_that_is_not_in_force() -> None:
    """B038: Qwen2's window holds only where use_sliding_window says so, from max_window_layers on."""
    config = {"model_type": "qwen2", "sliding_window": 4096, "max_window_layers": 28}
    off = two_bytes({**config, "use_sliding_window": False}, 32768)
    on = two_bytes({**config, "use_sliding_window": True}, 32768)
    assert [(line.cache.label, line.layers) for line in off.lines] == [("KV", 32)]
    assert [(line.cache.label, line.layers) for line in on.lines] == [("KV", 28), ("sliding KV", 4)]


@pytest.mark.parametrize(("layers", "shared"), [(30, 10), (35, 15)])
def test_borrowed_caches_are_not_kept_twice(layers: int, shared: int) -> None:
    """B054: Gemma 3n's last layers read an earlier layer's keys and values."""
    config = {"model_type": "gemma3n_text", "num_hidden_layers": layers, "num_kv_shared_layers": shared}
    lines = {line.cache.label: line.layers for line in two_bytes(config).lines}
    assert lines == {"sliding KV": 16, "KV": 4, "borrowed KV": shared}
    assert two_bytes(config).cache_bytes_per_token == 20 * 2 * 2 * 256 * 2


def test_cross_attention_keeps_the_source_whatever_is_decoded() -> None:
    found = two_bytes("t5-base", 10, source=512)
    kept = {line.cache.label: line.bytes(10, 1, 512) for line in found.lines}
    assert kept == {"KV": 12 * 2 * 768 * 10 * 2, "cross KV": 12 * 2 * 768 * 512 * 2}


def test_all_weights_are_in_memory_though_few_are_active() -> None:
    """B041."""
    assert two_bytes("mixtral-8x7b").weights_bytes == 2 * 46_702_792_704
    assert two_bytes("qwen3-30b-a3b").weights_bytes == 2 * 30_532_122_624
    assert archcount.load("qwen3-30b-a3b").memory(1).weights[0].read_bytes == 2 * 3_041_867_776


def test_weights_as_the_files_store_them() -> None:
    assert archcount.load("llama-3.1-8b").memory(1).weights_bytes == 16_060_522_496
    assert archcount.load("qwen3-0.6b").memory(1).weights_bytes == 2 * 596_049_920  # the tied head once
    quantized = archcount.load("deepseek-v3").memory(1)  # a byte for most, and a scale for each 128 × 128 of them
    assert quantized.weights_bytes == 673_150_582_112


def test_layers_that_look_ahead_stand_beside_the_sums() -> None:
    found = two_bytes("deepseek-v3")
    assert [(line.section, line.is_loaded) for line in found.weights] == [("main", True), ("mtp", False)]
    assert found.weights_bytes == 2 * 671_026_419_200


@pytest.mark.parametrize(("dtype", "bits"), [("fp8", 8), ("int8", 8), ("bf16", 16), ("fp32", 32), ("int4", 4)])
def test_the_cache_at_a_data_type(dtype: str, bits: int) -> None:
    assert archcount.load("llama-3.1-8b").memory(1000, 3, cache_dtype=dtype).cache_bytes == 65_536 * 3000 * bits // 8


def test_total_is_the_sum() -> None:
    found = two_bytes(FALCON_H1, 4096, batch=2)
    assert found.total_bytes == found.weights_bytes + found.cache_bytes + found.state_bytes


def test_attention_without_a_mark_is_refused_and_never_priced_as_mha() -> None:
    model = archcount.load({"model_type": "reformer", "is_decoder": True})
    with pytest.raises(UnknownCostError, match="what it keeps of a sequence is not marked"):
        model.memory(1, dtype="bf16", cache_dtype="bf16")
    with pytest.raises(UnknownCostError, match="which tokens a query is compared with is not marked"):
        model.flops(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"context": 0}, "--context 0: should be a whole number, 1 or more"),
        ({"context": 1, "batch": 0}, "--batch 0: should be a whole number, 1 or more"),
        ({"context": 1, "dtype": "bf17"}, "--dtype 'bf17': no such data type"),
        ({"context": 1, "cache_dtype": "wide"}, "--cache-dtype 'wide': no such data type"),
        ({"context": 1, "policy": "paged"}, "--policy 'paged': should be minimum or unified"),
    ],
)
def test_what_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        archcount.load("llama-3.1-8b").memory(**options)  # type: ignore[arg-type]


def test_a_config_without_a_data_type_asks_for_one() -> None:
    with pytest.raises(UsageError, match="give --dtype"):
        archcount.load("gpt2").memory(1)
    with pytest.raises(UsageError, match="give --cache-dtype"):  # nobody computes in four bits
        archcount.load("gpt2").memory(1, dtype="int4")
    assert archcount.load("gpt2").memory(1, dtype="fp32").cache_bytes == 2 * 36_864


def test_a_source_is_asked_for_where_the_config_fixes_none() -> None:
    with pytest.raises(UsageError, match="give --source TOKENS"):
        archcount.load("t5-base").memory(1, dtype="bf16")


def test_the_tokens_of_images_come_to_the_context() -> None:
    model = archcount.load("gemma-3-4b")
    images = model.images(768, 1024, 4)
    seen = model.memory(8192, images=images)
    assert seen.context == 8192 + 4 * 260
    assert seen.cache_bytes == model.memory(9232).cache_bytes


def test_images_are_the_source_of_mllama_s_cross_attention() -> None:
    model = archcount.load({"model_type": "mllama", "dtype": "bfloat16", "vision_config": {"image_size": 560}})
    memory = model.memory(4096, images=model.images(768, 1024, 2))
    (crossing,) = [line for line in memory.caches if line.cache.per_source]
    assert memory.source == 2 * 4 * 1601
    assert crossing.bytes(memory.context, 1, memory.source) == 8 * (2 * 8 * 128) * 12808 * 2

"""FLOPs of published models, by hand from their sizes; torch's own counts are in test_recorded_costs.py."""

import pytest

import archcount
from archcount.costs.flops import Flops
from archcount.errors import UsageError
from archcount.tree import Role

LLAMA_MATRICES = 32 * (41_943_040 + 176_160_768) + 128_256 * 4096


def test_llama_a_token_at_8k() -> None:
    """B053: 2 × matrices, the head among them and the input table not; 2 × 2 × layers × context × heads × width."""
    found = archcount.load("llama-3.1-8b").flops(8192)
    assert found.matmul_per_token == 2 * LLAMA_MATRICES == 15_009_316_864
    assert found.attention_per_token == 2 * 2 * 32 * 8192 * 32 * 128 == 4_294_967_296
    assert found.forward_per_token == 19_304_284_160
    assert found.training_per_token == 3 * 19_304_284_160


def test_the_causal_mask_halves_the_pairs() -> None:
    found = archcount.load("llama-3.1-8b").flops(8192)
    pairs = 8192 * 8193 // 2
    assert found.prefill == 8192 * found.matmul_per_token + 4 * 32 * 32 * 128 * pairs
    assert found.forward_per_token_causal == found.prefill / 8192 == 17_157_062_656
    assert found.prefill_unmasked == 8192 * found.forward_per_token


def test_tying_changes_nothing() -> None:
    """B053: GPT-2's head is its table, and multiplies all the same."""
    tied, untied = (archcount.load("gpt2", set={"tie_word_embeddings": tie}).flops(1024) for tie in (True, False))
    assert tied.forward_per_token == untied.forward_per_token == 284_812_800
    assert tied.parameters == 124_439_808


@pytest.mark.parametrize(
    ("name", "active", "without_input"),
    [
        ("mixtral-8x7b", 12_879_925_248, 12_748_853_248),
        ("qwen3-30b-a3b", 3_353_032_704, 3_041_867_776),
        ("gpt-oss-20b", 4_187_440_704, 3_608_307_264),
        ("deepseek-v3", 37_552_297_472, 36_625_618_432),
    ],
)
def test_active_by_its_conventions(name: str, active: int, without_input: int) -> None:
    """B041, B042."""
    totals = archcount.load(name).totals
    assert (totals.active, totals.active_without_input_embedding) == (active, without_input)


def test_chosen_experts_and_shared_ones() -> None:
    found = archcount.load("deepseek-v3").flops(4096)
    roles = {line.role: line.elements for line in found.matmuls}
    assert roles[Role.EXPERTS] == 58 * 8 * 3 * 7168 * 2048
    assert roles[Role.MLP] == 3 * 3 * 7168 * 18432 + 58 * 3 * 7168 * 2048
    assert roles[Role.ROUTER] == 58 * 7168 * 256
    assert found.attention_per_token == 2 * 61 * 128 * (192 + 128) * 4096


def test_a_window_bounds_the_pairs() -> None:
    assert archcount.load("mistral-7b").flops(32768).attention_per_token == 2 * 2 * 32 * 32 * 128 * 4096
    gemma = archcount.load("gemma-3-12b").flops(131_072)
    assert gemma.attention_per_token == 2 * 2 * 16 * 256 * (40 * 1024 + 8 * 131_072)


@pytest.mark.parametrize(("recompute", "forward", "attention"), [("none", 3, 0), ("selective", 3, 1), ("full", 4, 0)])
def test_recomputation(recompute: str, forward: int, attention: int) -> None:
    found = archcount.load("llama-3.1-8b").flops(8192, recompute=recompute)
    assert found.training_per_token == forward * 19_304_284_160 + attention * 4_294_967_296
    mean = found.forward_per_token_causal
    assert found.training_per_token_causal == forward * mean + attention * (mean - found.matmul_per_token)


def closed(found: Flops) -> bool:
    """Do the causes of the gap add up to it?"""
    return (
        found.six_n + sum(count for _, count in found.gap) + 3 * found.attention_per_token == found.training_per_token
    )


@pytest.mark.parametrize("name", ["gpt2", "llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v3", "t5-base", "gemma-3-4b"])
def test_the_gap_to_6n_is_explained_to_the_last_flop(name: str) -> None:
    assert closed(archcount.load(name).flops(2048, source=512))


def test_a_layer_used_often_costs_often() -> None:
    """ALBERT stores one layer and applies it twelve times (B052)."""
    config = {"model_type": "albert", "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072,
              "embedding_size": 128, "num_hidden_layers": 12}  # fmt: skip
    found = archcount.load(config).flops(128)
    assert dict(found.gap)["weights used more than once"] == 6 * 11 * (4 * 768**2 + 2 * 768 * 3072)
    assert closed(found)


def test_encoder_and_decoder_are_told_apart() -> None:
    """Keys and values of cross-attention are made once for a source token, and read by every token."""
    found = archcount.load("t5-base").flops(100, source=512)
    assert found.per_source_token == 2 * 12 * (4 * 768**2 + 2 * 768 * 3072 + 2 * 768**2)
    assert found.matmul_per_token == 2 * (12 * (6 * 768**2 + 2 * 768 * 3072) + 32128 * 768)
    assert found.attention_per_token == 4 * 12 * 12 * 64 * (100 + 512)
    assert found.encoder == 512 * found.per_source_token + 4 * 12 * 12 * 64 * 512 * 512


def test_vision_is_counted_by_the_patch_and_the_rest_named() -> None:
    found = archcount.load("gemma-3-4b").flops(1024)
    layers, patch = 27 * (4 * 1152**2 + 2 * 1152 * 4304), 1152 * 3 * 14 * 14
    assert found.per_patch == 2 * (layers + patch)
    assert found.left_out == (
        "vision: attention among patches",
        "projector: multi_modal_projector.mm_input_projection_weight",
    )


def test_a_pooler_runs_once_a_sequence() -> None:
    bert = {"model_type": "bert", "architectures": ["BertForSequenceClassification"]}
    assert archcount.load(bert).flops(128).per_sequence == 2 * 768 * 768


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"context": 0}, "--context 0: should be a whole number"),
        ({"context": 1, "recompute": "some"}, "--recompute 'some': should be none, selective, full"),
        ({"context": 1}, "give --source TOKENS"),
    ],
)
def test_what_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        archcount.load("t5-base").flops(**options)  # type: ignore[arg-type]


def test_images_are_seen_once_and_read_as_tokens() -> None:
    model = archcount.load("gemma-3-4b")
    images, text = model.images(768, 1024, 4), model.flops(9232)
    flops = model.flops(8192, images=images)
    assert flops.each_image is not None
    assert flops.seeing == 4 * flops.each_image.total == 21_847_609_442_304
    assert flops.prefill == text.prefill + flops.seeing
    assert flops.forward_per_token == text.forward_per_token
    assert flops.left_out == ()


def test_what_q_formers_attend_to_is_no_source_of_the_language_model_s() -> None:
    assert archcount.load({"model_type": "blip-2"}).flops(64).source == 0


def test_a_tower_in_stages_has_no_price_a_patch() -> None:
    """Each of FastViT's stages has a quarter of the positions of the one before."""
    answer = archcount.load({"model_type": "fast_vlm"}).flops(context=1_000)
    assert answer.per_patch == 0
    assert "vision: a tower in stages, of which each has fewer positions than the one before" in answer.left_out

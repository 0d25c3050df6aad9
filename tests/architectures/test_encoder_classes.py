"""The classes of encoders beside the one with a language head: what transformers 5.24 builds of each."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError, UnknownCostError
from archcount.tree import Storage

FAMILIES = ("funnel", "luke", "yoso", "mra", "tapas", "modernvbert", "esmc")


@pytest.mark.parametrize(
    ("class_name", "given", "parameters"),
    [
        ("FunnelBaseModel", {}, 115_611_648),
        ("FunnelModel", {}, 130_973_184),
        ("FunnelForPreTraining", {}, 131_564_545),
        ("FunnelForSequenceClassification", {}, 116_203_778),
        ("FunnelForMultipleChoice", {"num_labels": 3}, 116_203_009),
        ("FunnelForQuestionAnswering", {"block_sizes": [2, 3], "num_decoder_layers": 1}, 69_528_578),
        ("LukeModel", {}, 274_500_608),
        ("LukeForEntityClassification", {}, 274_502_146),
        ("LukeForEntityPairClassification", {}, 274_503_680),
        ("LukeForEntitySpanClassification", {}, 274_505_218),
        ("LukeForTokenClassification", {}, 273_911_554),
        ("YosoForMultipleChoice", {"conv_window": 33}, 127_403_665),
        ("YosoForQuestionAnswering", {"num_labels": 5}, 126_809_090),
        ("YosoForTokenClassification", {"num_labels": 5, "conv_window": 33}, 126_816_149),
        ("MraForSequenceClassification", {"num_labels": 3}, 124_647_939),
        ("TapasForQuestionAnswering", {}, 110_673_410),
        ("TapasForQuestionAnswering", {"num_aggregation_labels": 4, "type_vocab_sizes": [3, 4]}, 109_883_910),
        ("TapasModel", {"is_decoder": True, "add_cross_attention": True}, 139_038_720),
        ("ModernVBertModel", {}, 251_335_680),
        ("ModernVBertForTokenClassification", {}, 251_927_810),
        ("EsmcModel", {}, 6_345_280_000),
        ("EsmcForSequenceClassification", {}, 6_351_841_282),
        ("EsmcForTokenClassification", {}, 6_345_285_122),
    ],
)
def test_each_class(class_name: str, given: dict[str, object], parameters: int) -> None:
    family = next(name for name in FAMILIES if class_name.lower().startswith(name))
    model = archcount.load({"model_type": family, "architectures": [class_name], **given})
    assert model.totals.parameters == parameters


@pytest.mark.parametrize("model_type", FAMILIES)
def test_a_class_of_another_name_is_refused(model_type: str) -> None:
    with pytest.raises(ConfigValueError, match="ForSomethingElse"):
        archcount.load({"model_type": model_type, "architectures": ["ForSomethingElse"]})


def test_transformers_4_ties_the_words_of_luke_and_5_the_entities_alone() -> None:
    default = {"model_type": "luke", "transformers_version": "4.6.0"}
    tied = {tensor.name for tensor in archcount.load(default).tensors() if tensor.storage is Storage.TIED}
    words, entities = "lm_head.decoder.weight", "entity_predictions.decoder.weight"
    assert tied == {words, entities, "lm_head.decoder.bias"}
    later = archcount.load({**default, "transformers_version": "5.24.0"})
    assert {tensor.name for tensor in later.tensors() if tensor.storage is Storage.TIED} == tied - {words}


def test_what_luke_computes_for_entities_is_named_as_left_out() -> None:
    words_alone = archcount.load({"model_type": "luke", "use_entity_aware_attention": False}).flops(512)
    with_queries = archcount.load({"model_type": "luke"}).flops(512)
    assert with_queries.forward_per_token == words_alone.forward_per_token
    assert with_queries.left_out == ("entities: 6 matrices",)


def test_the_convolution_of_yoso_runs_over_each_column_of_a_head() -> None:
    plain = archcount.load({"model_type": "yoso"}).flops(512)
    with_kernel = archcount.load({"model_type": "yoso", "conv_window": 33}).flops(512)
    assert with_kernel.forward_per_token - plain.forward_per_token == 2 * 12 * (33 * 768)


@pytest.mark.parametrize(
    "config", [{"model_type": "funnel"}, {"model_type": "mra"}, {"model_type": "yoso", "use_expectation": False}]
)
def test_attention_that_chooses_its_pairs_is_not_priced(config: dict[str, object]) -> None:
    with pytest.raises(UnknownCostError, match="MHA 12: which tokens"):
        archcount.load(config).flops(512)


def test_lists_that_cannot_go_together_are_refused() -> None:
    with pytest.raises(ConfigValueError, match="block_repeats"):
        archcount.load({"model_type": "funnel", "block_repeats": [1, 2]})
    with pytest.raises(ConfigValueError, match="num_key_value_heads is 8: should be num_attention_heads"):
        archcount.load({"model_type": "esmc", "num_key_value_heads": 8})
    with pytest.raises(ConfigValueError, match=r"text_config\.model_type is 'bert': should be modernbert"):
        archcount.load({"model_type": "modernvbert", "text_config": {"model_type": "bert"}})

"""FNet's transform has no weights: it is no attention, and what it costs is said to be left out."""

import pytest

import archcount
from archcount.errors import ConfigValueError

TWO = {"model_type": "fnet", "num_hidden_layers": 2}


def test_the_transform_is_what_flops_leave_out() -> None:
    model = archcount.load(TWO)
    assert [part for part in model.parts if part.attends or part.cache] == []
    flops = model.flops(context=64)
    assert flops.left_out == ("Fourier transform: what it does among tokens",)
    assert flops.prefill_unmasked == 4_505_862_144  # torch's flop_counter, 64 tokens, which counts no transform either


@pytest.mark.parametrize(
    ("name", "has_next_sentence"), [("FNetForMaskedLM", False), ("FNetForPreTraining", True), ("FNetModel", False)]
)
def test_the_pooler_is_stored_whatever_the_class(name: str, has_next_sentence: bool) -> None:
    names = {tensor.name.removeprefix("fnet.") for tensor in archcount.load({**TWO, "architectures": [name]}).tensors()}
    assert "pooler.dense.weight" in names
    assert ("cls.seq_relationship.weight" in names) is has_next_sentence


def test_the_transform_by_matrices_is_refused_where_they_may_be_stored() -> None:
    with pytest.raises(ConfigValueError, match=r"^config: use_tpu_fourier_optimizations is true and max_position_"):
        archcount.load({**TWO, "use_tpu_fourier_optimizations": True})
    longer = {**TWO, "max_position_embeddings": 8192}
    optimized = archcount.load({**longer, "use_tpu_fourier_optimizations": True}).totals
    assert optimized.parameters == archcount.load(longer).totals.parameters

"""FSMT as transformers 5.24 builds it, and as older files store it: the same but for what 5 saves besides."""

from __future__ import annotations

import pytest

import archcount
from archcount.errors import ConfigValueError
from archcount.tree import Storage

BIG: dict[str, object] = {
    "model_type": "fsmt",
    "encoder_layers": 6,
    "decoder_layers": 6,
    "encoder_ffn_dim": 8192,
    "src_vocab_size": 31232,
    "tgt_vocab_size": 31640,
}
TIED: dict[str, object] = {**BIG, "src_vocab_size": 42024, "tgt_vocab_size": 42024, "tie_word_embeddings": True}
POSITIONS, HEAD = 2 * 1026 * 1024, 31640 * 1024


@pytest.mark.parametrize("class_name", ["FSMTForConditionalGeneration", "FSMTModel"])
@pytest.mark.parametrize(
    ("config", "version", "parameters"),
    [
        (BIG, "5.24.0", 325_595_136),
        (TIED, "5.24.0", 271_847_424),
        (BIG, "4.44.0", 325_595_136 - POSITIONS - HEAD),
        (TIED, "4.44.0", 271_847_424 - POSITIONS),
        (TIED, None, 271_847_424 - POSITIONS),
    ],
)
def test_the_bare_model_has_the_head_too(
    config: dict[str, object], version: str | None, parameters: int, class_name: str
) -> None:
    model = archcount.load({**config, "architectures": [class_name], "transformers_version": version})
    assert (model.totals.parameters, len(list(model.tensors()))) == (parameters, 257)


def test_computed_positions_and_the_head_are_in_the_files_of_transformers_5_alone() -> None:
    stored = {}
    for version in ("5.24.0", "4.44.0"):
        tensors = archcount.load({**BIG, "transformers_version": version}).tensors()
        stored[version] = {t.name: t.storage for t in tensors if "positions" in t.name or "output" in t.name}
    names = ("encoder.embed_positions", "decoder.embed_positions", "decoder.output_projection")
    places = [f"model.{name}.weight" for name in names]
    assert stored["5.24.0"] == dict.fromkeys(places, Storage.OWN)
    assert stored["4.44.0"] == dict(zip(places, (Storage.BUFFER, Storage.BUFFER, Storage.TIED), strict=True))


def test_another_class_is_refused() -> None:
    with pytest.raises(ConfigValueError, match="no fsmt class of that name is known"):
        archcount.load({**BIG, "architectures": ["FSMTForSequenceClassification"]})

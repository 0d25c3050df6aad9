"""`archcount MODEL` of a quantized model: what its files store, where the config tells."""

import json
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., str]


def test_a_quantized_format_without_a_layout_leaves_the_parameters_exact(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "quantization_config": {"quant_method": "own"}}')
    page = run(str(config))
    assert "\nparameters               6,738,415,616  " in page
    assert "\nstored is not told: quant_method 'own' has no layout here" in page


def test_a_size_that_the_quantizer_chose_is_not_told(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(
        '{"model_type": "llama", "torch_dtype": "float16", "quantization_config": {"quant_method": "exl2"}}'
    )
    page = run(str(config))
    assert "\nparameters               6,738,415,616  " in page
    assert "\nstored  " not in page
    assert "\nbytes  " not in page
    why = "the packed size of model.layers.{0-31}.self_attn.q_proj.weight is chosen by the quantizer"
    assert f"stored is not told: {why}: not known from the config" in " ".join(page.split())
    told = json.loads(run(str(config), "--json"))
    assert (told["stored"], told["bookkeeping"], told["bytes"]) == (None, None, None)
    assert "elements in the files" not in page


def test_texts_of_a_length_that_their_writer_chose_are_said_to_be_left_out(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text('{"model_type": "llama", "quantization_config": {"load_in_4bit": true}}')
    said = "elements in the files, but for 224 texts whose length is their writer's"
    assert said in " ".join(run(str(config)).replace("\n" + 37 * " ", " ").split())


def test_the_entry_of_a_quantizer_is_read_whatever_its_key(run: Run, tmp_path: Path) -> None:
    config, entry = tmp_path / "config.json", '{"group_size": 64, "bits": 4}'
    config.write_text(f'{{"model_type": "llama", "quantization": {entry}, "quantization_config": {entry}}}')
    page = run(str(config))
    assert "  packing  " in page
    assert "not read" not in page

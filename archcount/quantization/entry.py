"""Where a config says that its files are quantized."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Config = Mapping[str, Any]

NESTED = ("text_config", "llm_config", "language_config")
KEYS = ("quantization_config", "compression_config")  # the second is what llm-compressor wrote at first


def quantization_of(raw: Config) -> Config | None:
    """The quantization entry of a config: at the top, in a nested language config, or MLX's own key.

    MLX writes its `quantization` a second time as `quantization_config`, without a method's name.
    """
    mlx = raw.get("quantization")
    if isinstance(mlx, Mapping) and mlx:
        return {"quant_method": "mlx", **mlx, **_of_writer(raw)}
    for entry in _entries(raw):
        named = {"model_type": raw.get("model_type"), "transformers_version": raw.get("transformers_version"), **entry}
        if entry.get("quant_method") or entry.get("quant_algo") or entry.get("producer"):
            return named
        if entry.get("load_in_8bit") or entry.get("load_in_4bit"):
            return {"quant_method": "bitsandbytes", **named}  # as bitsandbytes configs were before they named it
        return named
    return None


def _of_writer(raw: Config) -> Config:
    """What tells how MLX called things: the type, and whether mlx-lm wrote it, which drops the tower and its config."""
    return {"model_type": raw.get("model_type"), "is_text_alone": "vision_config" not in raw}


def _entries(raw: Config) -> Iterator[Config]:
    nested = (raw.get(key) for key in NESTED)
    for config in (raw, *(inner for inner in nested if isinstance(inner, Mapping))):
        for key in KEYS:
            entry = config.get(key)
            if isinstance(entry, Mapping) and entry:
                yield entry

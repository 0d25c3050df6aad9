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
        return {"quant_method": "mlx", **mlx}
    for entry in _entries(raw):
        if entry.get("quant_method") or entry.get("quant_algo") or entry.get("producer"):
            return entry
        if entry.get("load_in_8bit") or entry.get("load_in_4bit"):
            return {"quant_method": "bitsandbytes", **entry}  # as bitsandbytes configs were before they named it
        return entry
    return None


def _entries(raw: Config) -> Iterator[Config]:
    nested = (raw.get(key) for key in NESTED)
    for config in (raw, *(inner for inner in nested if isinstance(inner, Mapping))):
        for key in KEYS:
            entry = config.get(key)
            if isinstance(entry, Mapping) and entry:
                yield entry

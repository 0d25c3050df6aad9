"""Where a config says that its files are quantized."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Config = Mapping[str, Any]


def quantization_of(raw: Config) -> Config | None:
    """The quantization entry of a config: at the top, in a nested language config, or MLX's own key."""
    nested = (raw.get(key) for key in ("text_config", "llm_config", "language_config"))
    for config in (raw, *(inner for inner in nested if isinstance(inner, Mapping))):
        entry = config.get("quantization_config")
        if isinstance(entry, Mapping) and entry:
            return entry
    entry = raw.get("quantization")
    return {"quant_method": "mlx", **entry} if isinstance(entry, Mapping) and entry else None

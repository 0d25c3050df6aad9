"""Kimi K2: DeepSeek-V3's layers."""

from __future__ import annotations

from ..registry import architecture
from ..tree import Module
from .deepseek_v3 import DeepseekV3Config, deepseek_v3


class KimiK2Config(DeepseekV3Config):
    pass


@architecture("kimi_k2", config=KimiK2Config)
def kimi_k2(config: KimiK2Config) -> Module:
    return deepseek_v3(config)

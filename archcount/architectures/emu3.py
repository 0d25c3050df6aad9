"""Emu3: a Llama that reads and writes images as tokens of its vocabulary; the image tokenizer is a model of its own."""

from __future__ import annotations

from ..config import ModelConfig
from ..errors import ConfigValueError
from ..registry import architecture
from ..tree import Module
from .llama_kin import Emu3TextConfig, granite


class Emu3Config(ModelConfig):
    text_config: Emu3TextConfig = Emu3TextConfig()


@architecture("emu3", config=Emu3Config)
def emu3(config: Emu3Config) -> Module:
    if config.class_name not in ("", "Emu3ForCausalLM"):
        mend = "give [] to count the language model alone"
        raise ConfigValueError(f"architectures is {config.class_name!r}: its image tokenizer is not known; {mend}")
    return granite(config.text_config)

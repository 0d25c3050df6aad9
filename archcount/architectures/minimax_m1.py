"""MiniMax-M1 and MiniMax-Text-01 as first published: MiniMax's layers, with the kind of each as 0 (lightning) or 1."""

from __future__ import annotations

from ..config import CountOrZero
from ..errors import ConfigValueError
from ..registry import architecture
from ..schedules import FULL, LINEAR
from ..tree import Module
from .minimax import MiniMaxConfig, minimax


class MiniMaxM1Config(MiniMaxConfig):
    attn_type_list: list[CountOrZero] | None = None
    shared_intermediate_size: CountOrZero = 0

    @property
    def stored_block(self) -> int | None:
        """None: these files hold no decay tables."""
        return None

    def with_layer_types(self) -> MiniMaxConfig:
        """The config as MiniMax's later class spells it; a config without a list attends fully everywhere."""
        kinds = {0: LINEAR, 1: FULL}
        listed = [1] * self.num_hidden_layers if self.attn_type_list is None else self.attn_type_list
        if unknown := [kind for kind in listed if kind not in kinds]:
            raise ConfigValueError(f"attn_type_list holds {int(unknown[0])}: should be 0 (lightning) or 1 (full)")
        return self.model_copy(update={"layer_types": [kinds[kind] for kind in listed]})


@architecture("minimax_m1", "minimax_text_01", config=MiniMaxM1Config)
def minimax_m1(config: MiniMaxM1Config) -> Module:
    if config.shared_intermediate_size:
        raise ConfigValueError("shared_intermediate_size: no published MiniMax has a shared expert")
    return minimax(config.with_layer_types())

"""The thinkers of Qwen2.5-Omni and Qwen3-Omni: Qwen2, or Qwen3's experts, with eyes and ears beside them."""

from __future__ import annotations

from ..blocks import layer_norm
from ..config import Count, ModelConfig, Size
from ..multimodal import with_language_on_top
from ..nested import CompositeConfig, nested
from ..registry import architecture
from ..tree import Module, repeat
from .qwen2 import Qwen2Config, qwen2
from .qwen3_moe import Qwen3MoeConfig, qwen3_moe
from .towers.pictures import QWEN_IMAGES, QWEN_WINDOWED
from .towers.qwen2_vl import Qwen25VisionConfig, qwen2_5_vision, square_merger
from .towers.qwen3_vl import DeepstackVisionConfig, qwen3_vision
from .towers.qwen_audio import Qwen3AudioConfig, Qwen25AudioConfig, qwen2_5_audio, qwen3_audio

THINKER = {f"thinker.{part}.": f"{part}." for part in ("model", "lm_head", "visual", "audio_tower")}
"""How the thinker is named within the whole, which speaks as well."""


class Qwen25OmniTextConfig(Qwen2Config):
    vocab_size: Size = 152064
    hidden_size: Size = 3584
    intermediate_size: Size = 18944
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 28
    num_key_value_heads: Count | None = 4
    sliding_window: Size | None = 32768
    tie_word_embeddings: bool = True


class Qwen3OmniTextConfig(Qwen3MoeConfig):
    vocab_size: Size = 3584
    intermediate_size: Size = 18944
    num_hidden_layers: Count = 28
    num_attention_heads: Count = 28
    sliding_window: Size | None = None


class Qwen25OmniConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen2_5_omni_text")
    vision_config: Qwen25VisionConfig = Qwen25VisionConfig()
    audio_config: Qwen25AudioConfig = Qwen25AudioConfig()
    tie_word_embeddings: bool = False


class Qwen3OmniConfig(CompositeConfig):
    text_config: ModelConfig = nested("qwen3_omni_moe_text")
    vision_config: DeepstackVisionConfig = DeepstackVisionConfig()
    audio_config: Qwen3AudioConfig = Qwen3AudioConfig()
    tie_word_embeddings: bool = False


@architecture("qwen2_5_omni_text", config=Qwen25OmniTextConfig)
def qwen2_5_omni_text(config: Qwen25OmniTextConfig) -> Module:
    return qwen2(config)


@architecture("qwen3_omni_moe_text", config=Qwen3OmniTextConfig)
def qwen3_omni_moe_text(config: Qwen3OmniTextConfig) -> Module:
    """A head's width, where it is not given, is rounded down, as the class's default of 2048 and 28 needs."""
    head_dim = config.head_dim or config.hidden_size // config.num_attention_heads
    return qwen3_moe(config.model_copy(update={"head_dim": head_dim}))


@architecture("qwen2_5_omni_thinker", config=Qwen25OmniConfig, spellings=THINKER, images=QWEN_WINDOWED)
def qwen2_5_omni_thinker(config: Qwen25OmniConfig) -> Module:
    parts = {
        "audio_tower": qwen2_5_audio(config.audio_config),
        "visual": qwen2_5_vision(config.vision_config, fused=False),
    }
    return with_language_on_top(config, config.text_config, parts, tie=config.tie_word_embeddings)


@architecture("qwen3_omni_moe_thinker", config=Qwen3OmniConfig, spellings=THINKER, images=QWEN_IMAGES)
def qwen3_omni_moe_thinker(config: Qwen3OmniConfig) -> Module:
    parts = {"audio_tower": qwen3_audio(config.audio_config), "visual": _eyes(config.vision_config)}
    return with_language_on_top(config, config.text_config, parts, tie=config.tie_word_embeddings)


def _eyes(config: DeepstackVisionConfig) -> Module:
    """Qwen3-VL's tower, with mergers by the names that Qwen2-VL gave them."""
    width, side, out = config.hidden_size, config.spatial_merge_size, config.out_hidden_size
    deep = square_merger(layer_norm(width * (side * side)), width, side, out)
    merger = square_merger(layer_norm(width), width, side, out)
    tower = qwen3_vision(config).replacing(merger=merger, deepstack_merger_list=None)
    return tower.extend(merger_list=repeat(len(config.deepstack_visual_indexes or ()), deep))

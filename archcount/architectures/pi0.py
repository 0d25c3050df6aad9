"""π0: a PaliGemma that sees and reads, and a small Gemma beside it that turns noise into a robot's next actions."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import linear, lm_head
from ..config import ModelConfig, Size
from ..encoder_heads import unknown_class
from ..errors import ConfigValueError
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, Node, module
from .gemma import GemmaConfig
from .paligemma import PaliGemmaConfig

SIGLIP = {
    "model_type": "siglip_vision_model",
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 27,
    "num_attention_heads": 16,
    "patch_size": 14,
    "image_size": 224,
    "vision_use_head": False,
}
GEMMA = {
    "vocab_size": 257152,
    "hidden_size": 2048,
    "intermediate_size": 16384,
    "num_hidden_layers": 18,
    "num_attention_heads": 8,
    "num_key_value_heads": 1,
}
EXPERT = {**GEMMA, "hidden_size": 1024, "intermediate_size": 4096, "head_dim": 256}


class Pi0Config(CompositeConfig):
    vlm_config: ModelConfig = nested("paligemma", text_config={"model_type": "gemma", **GEMMA}, vision_config=SIGLIP)
    dit_config: ModelConfig = nested("gemma", **EXPERT)
    max_state_dim: Size = 32
    max_action_dim: Size = 32
    ignored: ClassVar[frozenset[str]] = frozenset({"chunk_size", "num_inference_steps"})


@architecture("pi0", config=Pi0Config)
def pi0(config: Pi0Config) -> Module:
    """No table of tokens is read by the expert; its file holds one all the same, under the name of a head."""
    seeing, acting = config.vlm_config, config.dit_config
    if not isinstance(seeing, PaliGemmaConfig) or not isinstance(acting, GemmaConfig):
        raise ConfigValueError("vlm_config, dit_config: should be a paligemma and a gemma")
    if config.class_name and not config.class_name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    width, actions = acting.hidden_size, config.max_action_dim
    table = lm_head(width, size_of(seeing.text_config, "vocab_size")).marked(uses=0)
    expert = module(model=_child(built(acting), "model").replacing(embed_tokens=None), lm_head=table)
    parts: dict[str, Node] = {
        "action_in_proj": linear(actions, width, bias=True),
        "action_out_proj": linear(width, actions, bias=True),
        "action_time_mlp_in": linear(2 * width, width, bias=True),
        "action_time_mlp_out": linear(width, width, bias=True),
        "state_proj": linear(config.max_state_dim, width, bias=True),
    }
    language = built(seeing)
    without_head = _child(language, "language_model").replacing(lm_head=None)
    both = module(
        gemma_expert=expert.marked(section="action"),
        paligemma=module(model=language.replacing(language_model=without_head)),
    )
    return module(**_in_section(parts), paligemma_with_expert=both)


def _in_section(parts: dict[str, Node]) -> dict[str, Node]:
    return {name: part.marked(section="action") for name, part in parts.items() if isinstance(part, Module)}


def _child(tree: Module, name: str) -> Module:
    child = dict(tree.children)[name]
    if not isinstance(child, Module):
        raise ConfigValueError(f"vlm_config, dit_config: no {name} in them")
    return child

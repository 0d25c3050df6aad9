"""HyperCLOVA X: Llama with a further norm after attention and after the MLP; with eyes, Qwen2.5-VL's."""

from __future__ import annotations

from ..blocks import attention, gated_mlp, linear, pre_norm_layer, rms_norm
from ..config import ModelConfig
from ..dim import exact_div
from ..heads import decoder_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, built, nested, size_of
from ..registry import architecture
from ..tree import Module, module, relocated, repeat
from .llama import LlamaConfig
from .towers.pictures import QWEN_WINDOWED
from .towers.qwen2_vl import Qwen25VisionConfig, qwen2_5_vision

WHOLE_CLASSES = ("", "HyperCLOVAXVisionV2ForConditionalGeneration", "HCXVisionV2ForCausalLM")
"""Classes that hold language and eyes; the last is how the first files' own code calls them."""


class HyperClovaXConfig(LlamaConfig):
    use_post_norm: bool = True


class HyperClovaXVisionConfig(CompositeConfig):
    text_config: ModelConfig = nested("hyperclovax")
    vision_config: Qwen25VisionConfig = Qwen25VisionConfig()
    tie_word_embeddings: bool = True


@architecture("hyperclovax", config=HyperClovaXConfig)
def hyperclovax(config: HyperClovaXConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    layer = pre_norm_layer(self_attn, mlp, rms_norm(hidden))
    if config.use_post_norm:
        layer = layer.extend(post_norm1=rms_norm(hidden), post_norm2=rms_norm(hidden)).marked(kind="pre- and post-norm")
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), rms_norm(hidden))


@architecture("hyperclovax_vision_v2", config=HyperClovaXVisionConfig, images=QWEN_WINDOWED)
def hyperclovax_vision_v2(config: HyperClovaXVisionConfig) -> Module:
    text, seen, tie = config.text_config, config.vision_config.out_hidden_size, config.tie_word_embeddings
    parts = {
        "vision_model": qwen2_5_vision(config.vision_config),
        "vision_projector": linear(seen, size_of(text, "hidden_size"), bias=True).marked(section="projector"),
    }
    if config.class_name not in WHOLE_CLASSES:
        return with_language_beside(config, text, parts, tie=tie)
    language = _with_head_inside(
        built(text, tie_word_embeddings=tie), is_level_kept=config.is_written_by_transformers_4
    )
    return module(model=module(**parts, language_model=language))


def _with_head_inside(alone: Module, *, is_level_kept: bool) -> Module:
    """The head is the language model's own child; the published files part it from the decoder by a level `model`."""
    if is_level_kept:
        return relocated(alone, "", "model.language_model.")
    (_, decoder), *head = relocated(alone, "model.", "model.language_model.").children
    return module(**(dict(decoder.children) if isinstance(decoder, Module) else {}), **dict(head))

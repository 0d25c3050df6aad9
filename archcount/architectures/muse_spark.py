"""Muse Spark: Muse Glimmer's attention, experts at a width of their own, a gate on each residual; eyes and ears."""

from __future__ import annotations

from ..blocks import gated_mlp, linear, mixture, packed_experts, rms_norm, router
from ..config import Count, ModelConfig, Size
from ..heads import decoder_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested, size_of
from ..registry import architecture
from ..schedules import DENSE, SPARSE, layer_kinds, stack_of
from ..tree import Module, Role, Routed, Tensor, Use, module
from .muse_glimmer import MuseTextConfig, muse_attention
from .towers.muse import MuseVisionConfig, muse_adapter, muse_vision
from .towers.muse_audio import MuseAudioConfig, muse_audio


class MuseSparkTextConfig(MuseTextConfig):
    vocab_size: Size = 202048
    hidden_size: Size = 8192
    intermediate_size: Size = 16384
    num_hidden_layers: Count = 62
    num_attention_heads: Count = 128
    num_key_value_heads: Count = 16
    head_dim: Size = 64
    moe_hidden_size: Size = 4096
    moe_intermediate_size: Size = 4096
    num_local_experts: Count = 256
    num_experts_per_tok: Count = 8
    mlp_layer_types: list[str] | None = None


class MuseSparkVisionConfig(MuseVisionConfig):
    model_type: str = "muse_spark_vision"


class MuseSparkConfig(CompositeConfig):
    text_config: ModelConfig = nested("muse_spark_text")
    vision_config: MuseSparkVisionConfig = MuseSparkVisionConfig()
    audio_config: MuseAudioConfig = MuseAudioConfig()
    out_hidden_size: Size = 6144
    projector_hidden_size: Size = 4096


@architecture("muse_spark_text", config=MuseSparkTextConfig)
def muse_spark_text(config: MuseSparkTextConfig) -> Module:
    hidden, layers = config.hidden_size, config.num_hidden_layers
    gate = module(gate=Tensor((hidden,), Use.SCALE, dtype="float32"))
    mlps = {DENSE: gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act), SPARSE: _experts(config)}

    def layer(kind: tuple[str, bool, str]) -> Module:
        attends, turns, mlp = kind
        return module(
            None,
            "pre- and post-norm",
            self_attn=muse_attention(config, attends, turns),
            mlp=mlps[mlp],
            input_layernorm=rms_norm(hidden),
            post_attention_layernorm=rms_norm(hidden, weight=False),
            pre_feedforward_layernorm=rms_norm(hidden),
            post_feedforward_layernorm=rms_norm(hidden),
            post_attention_residual_gate=gate,
            post_feedforward_residual_gate=gate,
        )

    known, key = (DENSE, SPARSE), "mlp_layer_types"
    kinds = layer_kinds(layers, config.mlp_layer_types, lambda _: SPARSE, known=known, key=key)
    mixed = [(*attends, mlp) for attends, mlp in zip(config.kinds(), kinds, strict=True)]
    return decoder_lm(config, stack_of(mixed, layer), rms_norm(hidden))


@architecture("muse_spark", config=MuseSparkConfig)
def muse_spark(config: MuseSparkConfig) -> Module:
    text, inner = config.text_config, config.projector_hidden_size
    adapter = muse_adapter(config.out_hidden_size, inner, size_of(text, "hidden_size"))
    parts = {
        "vision_tower": muse_vision(config.vision_config),
        **adapter,
        "audio_tower": muse_audio(config.audio_config),
    }
    return with_language_beside(config, text, parts, tie=False)


def _experts(config: MuseSparkTextConfig) -> Module:
    """A token is brought to the experts' width and back; the experts share the norm that stands among them."""
    hidden, width, experts = config.hidden_size, config.moe_hidden_size, config.num_local_experts
    active, inner = config.num_experts_per_tok, config.moe_intermediate_size
    packed = packed_experts(width, inner, experts=experts, active=active, activation=config.hidden_act)
    return mixture(
        experts,
        active,
        gate=router(hidden, experts, correction=True),
        pre_expert_proj=linear(hidden, width, role=Role.MLP),
        pre_expert_norm=rms_norm(width),
        experts=packed.extend(post_expert_norm=rms_norm(width).marked(routed=Routed(1, 1))),
        post_expert_proj=linear(width, hidden, role=Role.MLP),
    )

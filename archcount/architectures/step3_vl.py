"""Step 3: queries made in two steps over one key and value, experts in three tensors, and EVA-CLIP's form for eyes."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, convolution, gated_mlp, linear, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..heads import decoder_lm
from ..multimodal import with_language_on_top
from ..registry import architecture
from ..schedules import SPARSE, stack_of
from ..tree import Module, module
from .step3p5 import Step3p5Config, step_experts
from .towers.step3_vit import Step3VitConfig, step3_vit


class Step3TextConfig(Step3p5Config):
    model_type: str = "step3_text"
    hidden_size: Size = 7168
    intermediate_size: Size = 18432
    moe_intermediate_size: Size = 5120
    share_expert_dim: Size = 5120
    share_q_dim: Size = 2048
    num_hidden_layers: Count = 61
    num_key_value_heads: Count = 1
    head_dim: Size = 256
    n_routed_experts: Count = 48
    num_experts_per_tok: Count = 3
    moe_layers_enum: str | list[CountOrZero] | None = ",".join(map(str, range(4, 60)))
    unbuilt: ClassVar[frozenset[str]] = frozenset({"num_nextn_predict_layers"})  # its names are not known


class Step3VLConfig(ModelConfig):
    text_config: Step3TextConfig = Step3TextConfig()
    vision_config: Step3VitConfig = Step3VitConfig()
    projector_bias: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"hidden_size"})  # the language model's, said again at the top


@architecture("step3_text", config=Step3TextConfig)
def step3_text(config: Step3TextConfig) -> Module:
    hidden = config.hidden_size
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)

    def layer(kind: str) -> Module:
        return module(
            None,
            "pre-norm",
            input_layernorm=rms_norm(hidden),
            self_attn=_attention(config),
            post_attention_layernorm=rms_norm(hidden),
            **(step_experts(config, corrected=False) if kind == SPARSE else {"mlp": mlp}),
        )

    layers = stack_of((mlp_kind for _, mlp_kind in config.kinds()), layer)
    return decoder_lm(config, layers, rms_norm(hidden))


@architecture("step3_vl", config=Step3VLConfig)
def step3_vl(config: Step3VLConfig) -> Module:
    vision, hidden = config.vision_config, config.text_config.hidden_size
    width, out = vision.hidden_size, vision.output_hidden_size
    projector = {
        "vit_downsampler": convolution(width, out, 2, 2),
        "vit_downsampler2": convolution(out, 2 * out, 3, 3),
        "vit_large_projector": linear(2 * out, hidden, bias=config.projector_bias),
    }
    parts = {name: part.marked(section="projector") for name, part in projector.items()}
    return with_language_on_top(config, config.text_config, {"vision_model": step3_vit(vision), **parts}, tie=False)


def _attention(config: Step3TextConfig) -> Module:
    """Multi-matrix factorization (Step-3, 2025): a narrow query, a norm, and the matrix `wq` to all heads."""
    hidden, heads, head_dim = config.hidden_size, config.num_attention_heads, config.head_dim
    full = attention(hidden, heads=heads, kv_heads=config.num_key_value_heads, head_dim=head_dim, positions=config.rope)
    narrow = config.share_q_dim
    return full.replacing(q_proj=linear(hidden, narrow)).extend(
        inter_norm=rms_norm(narrow), wq=linear(narrow, heads * head_dim)
    )

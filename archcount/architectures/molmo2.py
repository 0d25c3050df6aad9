"""Molmo 2: Qwen3's or OLMo 2's decoder by OLMo's own names, and a ViT of which a few layers are pooled by attention."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import fused_attention, fused_gated_mlp, rms_norm
from ..config import Count, ModelConfig, Size, SizeOrZero
from ..dim import ceil_div
from ..heads import causal_lm
from ..multimodal import with_language_beside
from ..nested import CompositeConfig, nested
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Role, Tensor, Use, module, repeat
from .towers.molmo2 import Molmo2AdapterConfig, Molmo2VisionConfig, molmo2_pooling, molmo2_projector, molmo2_vision


class Molmo2TextConfig(ModelConfig, Rotary):
    vocab_size: Size = 151936
    additional_vocab_size: SizeOrZero = 128
    hidden_size: Size = 4096
    intermediate_size: Size = 12288
    num_hidden_layers: Count = 36
    num_attention_heads: Count = 32
    num_key_value_heads: Count = 8
    head_dim: Size = 128
    hidden_act: str = "silu"
    attention_bias: bool = False
    qk_norm_type: Literal["qwen3", "olmo"] = "qwen3"
    norm_after: bool = False
    tie_word_embeddings: bool = False
    also_spelled: ClassVar[dict[str, str]] = {"qkv_bias": "attention_bias"}
    ignored: ClassVar[frozenset[str]] = frozenset({"rope_scaling_layers"})


class Molmo2Config(CompositeConfig):
    text_config: ModelConfig = nested("molmo2_text")
    vision_config: Molmo2VisionConfig = Molmo2VisionConfig()
    vit_config: Molmo2VisionConfig | None = None
    adapter_config: Molmo2AdapterConfig = Molmo2AdapterConfig()
    tie_word_embeddings: bool = False

    @property
    def eyes(self) -> Molmo2VisionConfig:
        """The first files call it `vit_config`, and hold its layers up to the last that is looked at."""
        if self.vit_config is None:
            return self.vision_config
        given = self.vision_config if "vision_config" in self.model_fields_set else self.vit_config
        layers = given.num_hidden_layers
        last = max(layer % layers for layer in self.adapter_config.vision_feature_layer)
        return given.model_copy(update={"num_hidden_layers": last + 1})


@architecture("molmo2_text", config=Molmo2TextConfig)
def molmo2_text(config: Molmo2TextConfig) -> Module:
    """The table has more rows than the head, so they are never tied."""
    hidden, vocab, further = config.hidden_size, config.vocab_size, config.additional_vocab_size
    block = module(
        None,
        "post-norm" if config.norm_after else "pre-norm",
        attn_norm=rms_norm(hidden),
        self_attn=_self_attention(config),
        ff_norm=rms_norm(hidden),
        mlp=fused_gated_mlp(
            hidden, config.intermediate_size, activation=config.hidden_act, names=("ff_proj", "ff_out")
        ),
    )
    # Transformers 5 holds one table, and saves it as two halves.
    halves = ceil_div(vocab + further, 2), (vocab + further) // 2
    first, last = (vocab, further) if config.is_written_by_transformers_4 else halves
    table = module(
        Role.EMBEDDING,
        embedding=Tensor((first, hidden), Use.LOOKUP),
        new_embedding=Tensor((last, hidden), Use.LOOKUP) if last else None,
    )
    model = module(wte=table, blocks=repeat(config.num_hidden_layers, block), ln_f=rms_norm(hidden))
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=False)


@architecture("molmo2", config=Molmo2Config)
def molmo2(config: Molmo2Config) -> Module:
    text = config.text_config.model_copy(update={"transformers_version": config.transformers_version})
    eyes, adapter = config.eyes, config.adapter_config
    backbone = module(
        image_vit=molmo2_vision(eyes),
        image_pooling_2d=molmo2_pooling(adapter),
        image_projector=molmo2_projector(adapter),
    )
    parts = {"vision_backbone": backbone.marked(section="vision")}
    return with_language_beside(config, text, parts, tie=False, name="transformer")


def _self_attention(config: Molmo2TextConfig) -> Module:
    heads, kv_heads, head_dim = config.num_attention_heads, config.num_key_value_heads, config.head_dim
    each = config.qk_norm_type == "qwen3"
    return fused_attention(
        config.hidden_size,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.attention_bias,
        out_bias=False,
        query_norm=rms_norm(head_dim if each else heads * head_dim),
        key_norm=rms_norm(head_dim if each else kv_heads * head_dim),
        positions=config.rope,
        names=("att_proj", "attn_out"),
    )

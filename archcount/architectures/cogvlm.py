"""CogVLM 1 and 2: Llama's layers with a second set of matrices for the tokens of an image, and EVA2-CLIP-E's tower."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import embedding, fused_attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..heads import causal_lm
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Routed, module, repeat
from .towers.eva_clip import EvaVisionConfig, eva_clip

KINDS = ("vision", "language")
ONE_OF_TWO = Routed(1, 2)  # a token passes through the matrices of its own kind


class CogVlmConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_multi_query_heads: Count | None = None
    hidden_act: str = "silu"
    vision_config: EvaVisionConfig


@architecture("cogvlm", config=CogVlmConfig)
def cogvlm(config: CogVlmConfig) -> Module:
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    vision, is_second = config.vision_config, config.num_multi_query_heads is not None  # CogVLM2, CogVLM2-Video
    attend = fused_attention(
        hidden,
        heads=heads,
        kv_heads=config.num_multi_query_heads,
        head_dim=exact_div(hidden, heads),
        positions=config.rope,
        names=("query_key_value", "dense"),
    )
    experts = {
        f"{kind}_expert_{name}": replace(part, routed=ONE_OF_TWO)
        for name, part in attend.children
        for kind in KINDS
        if isinstance(part, Module)
    }
    own = gated_mlp(hidden, inner, activation=config.hidden_act).marked(routed=ONE_OF_TWO)
    both = module(**{f"{kind}_mlp": own for kind in KINDS})
    layer = pre_norm_layer(replace(attend, children=tuple(experts.items())), both, rms_norm(hidden))
    model = module(
        embed_tokens=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, layer),
        norm=rms_norm(hidden),
        vision=eva_clip(vision, hidden, inner, merged=vision.hidden_size if is_second else None),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie)

"""ChatGLM: the first with LayerNorms and a GELU MLP; 2, 3, GLM-4-9B and GLM-4V with RMSNorm, SwiGLU and few keys.

Longer than most: one model_type names two generations that share no layer, and each of them may have eyes.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import (
    embedding,
    fused_attention,
    fused_gated_mlp,
    layer_norm,
    linear,
    lm_head,
    mlp,
    rms_norm,
)  # fmt: skip
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..precision import kept_in
from ..registry import architecture
from ..tree import Module, Role, Storage, Tensor, copied, module, repeat
from .towers.eva_clip import EvaVisionConfig, eva_clip
from .towers.visualglm import MLP_NAMES, SatQFormerConfig, SatVisionConfig, visualglm_eyes

CLASSIFIER = "ForSequenceClassification"
FUSED = ("query_key_value", "dense")


class ChatGlmConfig(ModelConfig):
    """The keys of both generations: a config of the first is known by `inner_hidden_size`."""

    hidden_size: Size = 4096
    num_layers: Count = 28
    num_attention_heads: Count = 32
    pre_seq_len: Size | None = None
    prefix_projection: bool = False
    inner_hidden_size: Size | None = None
    vocab_size: Size = 130528
    tie_word_embeddings: bool | None = None
    padded_vocab_size: Size = 65024
    ffn_hidden_size: Size = 13696
    kv_channels: Size = 128
    multi_query_attention: bool = False
    multi_query_group_num: Count = 1
    rmsnorm: bool = True
    post_layer_norm: bool = True
    add_bias_linear: bool = False
    add_qkv_bias: bool = False
    vision_config: EvaVisionConfig | None = None
    eva_config: SatVisionConfig | None = None
    qformer_config: SatQFormerConfig | None = None
    also_spelled: ClassVar[dict[str, str]] = {"num_hidden_layers": "num_layers"}

    @property
    def key_heads(self) -> int:
        """Heads of keys and values."""
        return (self.multi_query_group_num if self.multi_query_attention else None) or self.num_attention_heads


@architecture("chatglm", config=ChatGlmConfig)
def chatglm(config: ChatGlmConfig) -> Module:
    return first(config, config.inner_hidden_size) if config.inner_hidden_size else later(config)


def first(config: ChatGlmConfig, inner: int) -> Module:
    """ChatGLM-6B; its file stores the tied head all the same. VisualGLM has eyes beside it, and wider norms."""
    hidden, heads, rows = config.hidden_size, config.num_attention_heads, 2 * config.num_layers * config.hidden_size
    norm = kept_in("float32", layer_norm(hidden)) if config.eva_config else layer_norm(hidden)
    layer = module(
        None,
        "post-norm",
        input_layernorm=norm,
        attention=fused_attention(
            hidden, heads=heads, head_dim=exact_div(hidden, heads), bias=True, positions="RoPE 2D", names=FUSED
        ),
        post_attention_layernorm=norm,
        mlp=mlp(hidden, inner, names=MLP_NAMES),
    )
    transformer = module(
        word_embeddings=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_layers, layer),
        final_layernorm=norm,
        prefix_encoder=prefix(config, rows, hidden),
    )
    head = lm_head(hidden, config.vocab_size)
    tie = config.tie_word_embeddings is not False  # null is transformers' own default, true
    return module(
        transformer=transformer,
        lm_head=copied(head, "transformer.word_embeddings") if tie else head,
        image_encoder=_eyes(config) if config.eva_config or config.qformer_config else None,
    )


def _eyes(config: ChatGlmConfig) -> Module:
    if config.eva_config is None or config.qformer_config is None:
        raise ConfigValueError("eva_config and qformer_config: VisualGLM has both, found one of them")
    return visualglm_eyes(config.eva_config, config.qformer_config, config.hidden_size)


def later(config: ChatGlmConfig) -> Module:
    """ChatGLM2, ChatGLM3 and GLM-4-9B; a classifier keeps the language head, which stands inside the model."""
    hidden, vocab, vision = config.hidden_size, config.padded_vocab_size, config.vision_config
    norm = rms_norm(hidden) if config.rmsnorm else layer_norm(hidden)
    layer = module(
        None,
        "pre-norm",
        input_layernorm=norm,
        self_attention=_half_turned(config),
        post_attention_layernorm=norm,
        mlp=fused_gated_mlp(hidden, config.ffn_hidden_size, bias=config.add_bias_linear, names=MLP_NAMES),
    )
    layers, kept = repeat(config.num_layers, layer), 2 * config.num_layers * (config.key_heads * config.kv_channels)
    inverse_frequencies = Tensor((config.kv_channels // 4,), storage=Storage.BUFFER)
    transformer = module(
        embedding=module(word_embeddings=embedding(vocab, hidden)),
        rotary_pos_emb=module(inv_freq=inverse_frequencies),
        encoder=module(layers=layers, final_layernorm=norm if config.post_layer_norm else None),
        output_layer=linear(hidden, vocab, role=Role.HEAD),
        vision=eva_clip(vision, hidden, config.ffn_hidden_size, merged=hidden) if vision else None,
        prefix_encoder=prefix(config, kept, kept),
    )
    classifies = config.class_name.endswith(CLASSIFIER)
    return module(
        transformer=transformer,
        classifier_head=linear(hidden, config.labels, bias=True, role=Role.HEAD) if classifies else None,
    )


def _half_turned(config: ChatGlmConfig) -> Module:
    """Attention whose rotary positions turn half of each head."""
    return fused_attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.multi_query_group_num if config.multi_query_attention else None,
        head_dim=config.kv_channels,
        bias=config.add_bias_linear or config.add_qkv_bias,
        out_bias=config.add_bias_linear,
        positions="RoPE, half of each head",
        names=FUSED,
    )


def prefix(config: ChatGlmConfig, width: int, inner: int) -> Module | None:
    """Learned keys and values before the prompt (P-tuning v2), through two matrices if they are projected."""
    count, hidden = config.pre_seq_len, config.hidden_size
    if count is None:
        return None
    if not config.prefix_projection:
        return module(embedding=embedding(count, width))
    first_matrix, second = linear(inner, hidden, bias=True), linear(hidden, width, bias=True)
    return module(embedding=embedding(count, inner), trans=Module((("0", first_matrix), ("2", second))))

"""Molmo: OLMo's or Qwen2's decoder by OLMo's own names, and a CLIP tower whose sizes stand in the class alone.

Longer than most: decoder and tower are both named as in no other family, and the tower's sizes stand here alone.
"""

from __future__ import annotations

from ..blocks import attention, fused_attention, fused_gated_mlp, gated_mlp, layer_norm, linear, mlp, rms_norm
from ..config import Count, CountOrZero, ModelConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..registry import architecture
from ..renaming import without_a_name
from ..tree import Module, Role, Tensor, Use, module, repeat

TOWER_WIDTH, TOWER_LAYERS, TOWER_HEADS, TOWER_INNER = 1024, 23, 16, 4096  # CLIP ViT-L/14 at 336 pixels
PATCHES, PATCH_VALUES = 24 * 24, 14 * 14 * 3
SEEN_LAYERS = 2  # of the tower's layers, this many reach the projector
PROJECTIONS = "wq", "wk", "wv", "wo"


class MolmoConfig(ModelConfig):
    vocab_size: Size = 50304
    embedding_size: Size | None = 50304
    additional_vocab_size: Size = 128
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = None
    attention_layer_norm: bool = False
    qkv_bias: bool = False
    norm_after: bool = False
    weight_tying: bool = False
    moe_num_experts: CountOrZero = 0


@architecture("molmo", config=MolmoConfig)
def molmo(config: MolmoConfig) -> Module:
    if config.moe_num_experts or config.weight_tying:
        raise ConfigValueError("moe_num_experts, weight_tying: neither is known here for Molmo")
    inner = exact_div(config.intermediate_size, 2)  # the config counts the gate and the up-projection together
    projector = gated_mlp(TOWER_WIDTH, inner, names=("w1", "w3", "w2"))
    backbone = module(
        pad_embed=Tensor((2, SEEN_LAYERS * TOWER_WIDTH)),
        image_vit=tower(),
        image_pooling_2d=pooling(),
        image_projector=projector.replacing(w2=linear(inner, config.hidden_size)).marked(section="projector"),
    )
    return module(model=module(transformer=decoder(config, inner), vision_backbone=backbone.marked(section="vision")))


def decoder(config: MolmoConfig, inner: int) -> Module:
    """The language model; `new_embedding` holds the tokens added for images."""
    hidden, rows = config.hidden_size, config.embedding_size or config.vocab_size
    block = module(
        None,
        "post-norm" if config.norm_after else "pre-norm",
        **without_a_name(self_attention(config)),
        **without_a_name(fused_gated_mlp(hidden, inner, names=("ff_proj", "ff_out"))),
        attn_norm=rms_norm(hidden),
        ff_norm=rms_norm(hidden),
    )
    table = module(
        Role.EMBEDDING,
        embedding=Tensor((rows, hidden), Use.LOOKUP),
        new_embedding=Tensor((config.additional_vocab_size, hidden), Use.LOOKUP),
    )
    return module(
        wte=table,
        blocks=repeat(config.num_hidden_layers, block),
        ln_f=rms_norm(hidden),
        ff_out=linear(hidden, rows, role=Role.HEAD),
    )


def self_attention(config: MolmoConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    kv_heads, head_dim = config.num_key_value_heads or heads, exact_div(hidden, heads)
    return fused_attention(
        hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        bias=config.qkv_bias,
        out_bias=False,
        query_norm=rms_norm(hidden) if config.attention_layer_norm else None,
        key_norm=rms_norm(kv_heads * head_dim) if config.attention_layer_norm else None,
        positions="RoPE",
        names=("att_proj", "attn_out"),
    )


def tower() -> Module:
    """CLIP's tower under OLMo's names, without its last layer."""
    width = TOWER_WIDTH
    layer = module(
        None,
        "pre-norm",
        attention=attention(
            width,
            heads=TOWER_HEADS,
            head_dim=width // TOWER_HEADS,
            bias=True,
            causal=False,
            positions="learned",
            names=PROJECTIONS,
        ),
        feed_forward=mlp(width, TOWER_INNER, activation="gelu", names=("w1", "w2")),
        attention_norm=layer_norm(width),
        ffn_norm=layer_norm(width),
    )
    return module(
        class_embedding=Tensor((width,)),
        positional_embedding=Tensor((1 + PATCHES, width)),
        patch_embedding=linear(PATCH_VALUES, width),
        pre_ln=layer_norm(width),
        transformer=module(resblocks=repeat(TOWER_LAYERS, layer)),
    )


def pooling() -> Module:
    """Attention from the mean of two by two patches to the four of them."""
    seen = SEEN_LAYERS * TOWER_WIDTH
    pooled = attention(
        seen,
        heads=TOWER_HEADS,
        head_dim=TOWER_WIDTH // TOWER_HEADS,
        bias=True,
        causal=False,
        names=PROJECTIONS,
    )
    out = linear(TOWER_WIDTH, TOWER_WIDTH, bias=True)
    return pooled.replacing(**{PROJECTIONS[-1]: out}).marked(section="projector")

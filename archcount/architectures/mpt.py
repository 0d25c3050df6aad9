"""MPT: norms with a gain only, no biases, ALiBi for positions, and query, key and value in one matrix."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import embedding, fused_attention, layer_norm, mlp
from ..config import Count, ModelConfig, Schema, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import transformer_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class MptAttentionConfig(Schema):
    attn_type: Literal["multihead_attention", "multiquery_attention", "grouped_query_attention"] = "multihead_attention"
    kv_n_heads: Count | None = None
    qk_ln: bool = False
    alibi: bool = True


class MptFfnConfig(Schema):
    """MosaicML's code has more kinds than its published models use."""

    ffn_type: Literal["mptmlp"] = "mptmlp"


class MptConfig(ModelConfig):
    vocab_size: Size = 50368
    d_model: Size = 2048
    n_layers: Count = 24
    n_heads: Count = 16
    expansion_ratio: Size = 4
    attn_config: MptAttentionConfig = MptAttentionConfig()
    ffn_config: MptFfnConfig = MptFfnConfig()
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "n_heads",
        "num_hidden_layers": "n_layers",
    }


@architecture("mpt", config=MptConfig)
def mpt(config: MptConfig) -> Module:
    """Published files and MosaicML's code decide where Hugging Face's class takes every model for MPT-7B's shape."""
    width, vocab, norm = config.d_model, config.vocab_size, layer_norm(config.d_model, bias=False)
    names = ("up_proj", "down_proj")
    layer = module(
        None,
        "pre-norm",
        norm_1=norm,
        attn=_attention(config),
        norm_2=norm,
        ffn=mlp(width, config.expansion_ratio * width, bias=False, names=names),
    )
    model = module(wte=embedding(vocab, width), blocks=repeat(config.n_layers, layer), norm_f=norm)
    return transformer_lm(config, model, hidden=width, vocab=vocab, tie=config.tie_word_embeddings)


def _attention(config: MptConfig) -> Module:
    how, heads = config.attn_config, config.n_heads
    if how.qk_ln:
        raise ConfigValueError("attn_config.qk_ln is true: how the published files name those norms is not known")
    kv_heads = {"multihead_attention": None, "multiquery_attention": 1}.get(how.attn_type, how.kv_n_heads)
    return fused_attention(
        config.d_model,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=exact_div(config.d_model, heads),
        positions="ALiBi" if how.alibi else None,
        names=("Wqkv", "out_proj"),
    )

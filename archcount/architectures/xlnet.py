"""XLNet: Transformer-XL's relative attention, its matrices kept apart by head, with a mask embedding."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import embedding, layer_norm, lm_head
from ..blocks.attention import head_layout
from ..blocks.linear import linear
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..registry import architecture
from ..tree import Attends, Module, Role, Tensor, Use, module, repeat
from .xlm import with_score


class XlnetConfig(ModelConfig):
    vocab_size: Size = 32000
    d_model: Size = 1024
    n_layer: Count = 24
    n_head: Count = 16
    d_inner: Size = 4096
    ff_activation: str = "gelu"
    attn_type: Literal["bi", "uni"] = "bi"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "n_token": "vocab_size",
        "num_attention_heads": "n_head",
        "num_hidden_layers": "n_layer",
    }


@architecture("xlnet", config=XlnetConfig)
def xlnet(config: XlnetConfig) -> Module:
    width, inner, vocab, name = config.d_model, config.d_inner, config.vocab_size, config.class_name
    ff = module(
        Role.MLP,
        activation_name(config.ff_activation, gated=False),
        layer_norm=layer_norm(width),
        layer_1=linear(width, inner, bias=True),
        layer_2=linear(inner, width, bias=True),
    )
    model = module(
        mask_emb=Tensor((1, 1, width)),
        word_embedding=embedding(vocab, width),
        layer=repeat(config.n_layer, module(None, "post-norm", rel_attn=_attention(config), ff=ff)),
    )
    if not name or name.endswith("LMHeadModel"):
        table = "transformer.word_embedding.weight" if config.tie_word_embeddings else None
        return module(transformer=model, lm_loss=lm_head(width, vocab, tied_to=table, bias=True))
    return with_score(config, model, width)


def _attention(config: XlnetConfig) -> Module:
    """Query, key, value, output and relative positions [d_model, heads, head_dim]; three biases a head."""
    width, heads = config.d_model, config.n_head
    head_dim = exact_div(width, heads)
    matrices = dict.fromkeys("qkvor", Tensor((width, heads, head_dim), Use.MATMUL))
    biases = dict.fromkeys(("r_r_bias", "r_s_bias", "r_w_bias"), Tensor((heads, head_dim), Use.BIAS))
    segments = Tensor((2, heads, head_dim))
    return module(
        Role.ATTENTION,
        head_layout(heads, heads),
        **matrices,
        **biases,
        seg_embed=segments,
        layer_norm=layer_norm(width),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=config.attn_type == "uni", positions="relative"))

"""Funnel Transformer: blocks of layers that halve the sequence between them, and a decoder that restores its length."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, layer_norm, linear, lm_head
from ..blocks.attention import head_layout
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..schedules import checked_length
from ..tree import Module, Role, Tensor, Use, module, repeat, stack


class FunnelConfig(ModelConfig):
    vocab_size: Size = 30522
    block_sizes: tuple[Count, ...] = (4, 4, 4)
    block_repeats: tuple[Count, ...] | None = None
    num_decoder_layers: Count = 2
    d_model: Size = 768
    n_head: Count = 12
    d_head: Size = 64
    d_inner: Size = 3072
    hidden_act: str = "gelu_new"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"hidden_size": "d_model", "num_attention_heads": "n_head"}
    ignored: ClassVar[frozenset[str]] = frozenset({"max_position_embeddings", "type_vocab_size"})  # of older files


FIRST_TOKEN = frozenset({"ForSequenceClassification", "ForMultipleChoice"})


@architecture("funnel", config=FunnelConfig)
def funnel(config: FunnelConfig) -> Module:
    """The classes that read the first token alone have no decoder."""
    short, name = _encoder(config), config.class_name
    whole = short.extend(decoder=module(layers=repeat(config.num_decoder_layers, _layer(config))))
    if name.endswith("Model"):
        return short if name.endswith("BaseModel") else whole
    heads = _heads(config)
    last = next((last for last in heads if (name or "ForMaskedLM").endswith(last)), None)
    if last is None:
        raise unknown_class(config)
    return module(funnel=short if last in FIRST_TOKEN else whole, **heads[last])


def _heads(config: FunnelConfig) -> dict[str, dict[str, Module]]:
    """What the classes put on top, by the end of their names."""
    width, vocab, labels = config.d_model, config.vocab_size, config.labels
    table = "funnel.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    judge = _two_matrices(width, 1, ("dense", "dense_prediction"))
    deep, one = (_two_matrices(width, count, ("linear_hidden", "linear_out")) for count in (labels, 1))
    return {
        "ForMaskedLM": {"lm_head": lm_head(width, vocab, tied_to=table, bias=True)},
        "ForPreTraining": {"discriminator_predictions": judge},
        "ForSequenceClassification": {"classifier": deep},
        "ForMultipleChoice": {"classifier": one},
        "ForTokenClassification": {"classifier": score(width, labels)},
        "ForQuestionAnswering": {"qa_outputs": score(width, labels)},
    }


def _encoder(config: FunnelConfig) -> Module:
    """The table and the blocks, a layer of which may run several times.

    Raises ConfigValueError: block_repeats of another length than block_sizes.
    """
    sizes, layer = config.block_sizes, _layer(config)
    repeats = checked_length(config.block_repeats or (1,) * len(sizes), len(sizes), "block_repeats")
    blocks = [
        repeat(size, layer if times == 1 else layer.marked(uses=times))
        for size, times in zip(sizes, repeats, strict=True)
    ]
    words = embedding(config.vocab_size, config.d_model)
    tables = module(Role.EMBEDDING, word_embeddings=words, layer_norm=layer_norm(config.d_model))
    return module(embeddings=tables, encoder=module(blocks=stack(blocks)))


def _layer(config: FunnelConfig) -> Module:
    width, heads, head_dim, inner = config.d_model, config.n_head, config.d_head, config.d_inner
    biases = dict.fromkeys(("r_w_bias", "r_r_bias", "r_s_bias"), Tensor((heads, head_dim), Use.BIAS))
    with_bias = linear(width, heads * head_dim, bias=True)
    # A query meets tokens pooled twice as often with each block: its cost has no mark.
    attention = module(
        Role.ATTENTION,
        head_layout(heads, heads),
        **biases,
        r_kernel=Tensor((width, heads, head_dim), Use.MATMUL),
        seg_embed=Tensor((2, heads, head_dim)),
        q_head=linear(width, heads * head_dim),
        k_head=with_bias,
        v_head=with_bias,
        post_proj=linear(heads * head_dim, width, bias=True),
        layer_norm=layer_norm(width),
    )
    ffn = module(
        Role.MLP,
        activation_name(config.hidden_act, gated=False),
        linear_1=linear(width, inner, bias=True),
        linear_2=linear(inner, width, bias=True),
        layer_norm=layer_norm(width),
    )
    return module(None, "post-norm", attention=attention, ffn=ffn)


def _two_matrices(width: int, labels: int, names: tuple[str, str]) -> Module:
    matrices = linear(width, width, bias=True), linear(width, labels, bias=True)
    return module(Role.HEAD, **dict(zip(names, matrices, strict=True)))

"""ConvBERT: BERT with half its attention heads, the other half convolutions whose kernels the tokens make."""

from __future__ import annotations

from ..blocks import convolution, encoder_embeddings, layer_norm, linear
from ..blocks.attention import attending
from ..blocks.linear import bias_of
from ..blocks.mlp import activation_name
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import encoder, generator_head, score
from ..errors import ConfigValueError
from ..marks import DYNAMIC_CONVOLUTION
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Role, Tensor, Use, module, repeat


class ConvBertConfig(DecoderConfig):
    vocab_size: Size = 30522
    embedding_size: Size = 768
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    head_ratio: Count = 2
    conv_kernel_size: Size = 9
    num_groups: Count = 1
    hidden_act: str = "gelu"
    add_cross_attention: bool = False
    tie_word_embeddings: bool = True
    summary_use_proj: bool = False
    summary_proj_to_labels: bool = False


@architecture("convbert", config=ConvBertConfig)
def convbert(config: ConvBertConfig) -> Module:
    hidden, width, vocab = config.hidden_size, config.embedding_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(width, vocab=vocab, positions=positions, types=types),
        embeddings_project=linear(width, hidden, bias=True) if width != hidden else None,
        encoder=module(layer=repeat(config.num_hidden_layers, _layer(config))),
    )
    if config.class_name.endswith("ForMultipleChoice"):
        return module(convbert=model, sequence_summary=_summary(config), classifier=score(hidden, 1))
    table = "convbert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = generator_head(hidden, vocab, inner=width, table=table)
    return encoder(config, model, base="convbert", hidden=hidden, language_head=head, deep_classifier=True)


def _summary(config: ConvBertConfig) -> Module | None:
    """The projection of the token that stands for the sequence, where the config asks for one."""
    rows = config.labels if config.summary_proj_to_labels else config.hidden_size
    return module(summary=score(config.hidden_size, rows)) if config.summary_use_proj else None


def _layer(config: ConvBertConfig) -> Module:
    """Raises ConfigValueError: cross-attention, which no published ConvBERT has."""
    if config.add_cross_attention:
        raise ConfigValueError("add_cross_attention is true: ConvBERT with cross-attention is not known here")
    hidden, inner, groups = config.hidden_size, config.intermediate_size, config.num_groups
    word = activation_name(config.hidden_act, gated=False)
    return module(
        None,
        "post-norm",
        attention=_attention(config),
        intermediate=module(Role.MLP, word, dense=_matrix(hidden, inner, groups)),
        output=module(Role.MLP, None, dense=_matrix(inner, hidden, groups), LayerNorm=layer_norm(hidden)),
    )


def _attention(config: ConvBertConfig) -> Module:
    """Attention and convolution, each of half the width: what both write stands side by side."""
    hidden, kernel = config.hidden_size, config.conv_kernel_size
    heads = max(config.num_attention_heads // config.head_ratio, 1)
    each = exact_div(hidden, heads) // 2
    half, kept = linear(hidden, heads * each, bias=True), Grouped(heads, heads * each)
    kernels = linear(heads * each, heads * kernel, bias=True)
    inside = module(
        query=half,
        key=half.marked(grouped=kept),
        value=half.marked(grouped=kept),
        key_conv_attn_layer=module(
            depthwise=convolution(hidden, hidden, kernel, groups=hidden, bias=False),
            pointwise=convolution(hidden, heads * each, 1, bias=False),
            bias=Tensor((heads * each, 1), Use.BIAS),
        ),
        conv_kernel_layer=kernels.marked(role=Role.OTHER, kind=DYNAMIC_CONVOLUTION),
        conv_out_layer=half,
    )
    output = module(dense=linear(hidden, hidden, bias=True), LayerNorm=layer_norm(hidden))
    attends = Attends(heads, each, each, causal=False, positions="learned", kv_heads=heads)
    return attending(attends, self=inside, output=output)


def _matrix(inputs: int, outputs: int, groups: int) -> Module:
    """A linear layer, or `weight` [groups, inputs ÷ groups, outputs ÷ groups] and `bias` [outputs]."""
    if groups == 1:
        return linear(inputs, outputs, bias=True)
    shape = (groups, exact_div(inputs, groups), exact_div(outputs, groups))
    return module(weight=Tensor(shape, Use.MATMUL), bias=bias_of(outputs))

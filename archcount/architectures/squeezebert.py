"""SqueezeBERT: BERT whose matrices are convolutions of kernel 1, most of them in groups."""

from __future__ import annotations

from ..blocks import convolution, encoder_embeddings, layer_norm
from ..blocks.attention import attending
from ..blocks.mlp import activation_name
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div, same_size
from ..encoder_heads import bert_head, encoder, pooler
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Role, module, repeat


class SqueezeBertConfig(DecoderConfig):
    vocab_size: Size = 30522
    embedding_size: Size = 768
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    q_groups: Count = 4
    k_groups: Count = 4
    v_groups: Count = 4
    post_attention_groups: Count = 1
    intermediate_groups: Count = 4
    output_groups: Count = 4
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = True


@architecture("squeezebert", config=SqueezeBertConfig)
def squeezebert(config: SqueezeBertConfig) -> Module:
    hidden, vocab = same_size(config.hidden_size, config.embedding_size), config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    model = module(
        embeddings=encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types),
        encoder=module(layers=repeat(config.num_hidden_layers, _layer(config))),
        pooler=pooler(hidden),  # stored whatever the class
    )
    table = "transformer.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="transformer", hidden=hidden, language_head=head)


def _layer(config: SqueezeBertConfig) -> Module:
    hidden, inner = config.hidden_size, config.intermediate_size
    after, down = _grouped(hidden, hidden, config.post_attention_groups), _grouped(inner, hidden, config.output_groups)
    word = activation_name(config.hidden_act, gated=False)
    return module(
        None,
        "post-norm",
        attention=_attention(config),
        post_attention=module(Role.ATTENTION, None, conv1d=after, layernorm=layer_norm(hidden)),
        intermediate=module(Role.MLP, word, conv1d=_grouped(hidden, inner, config.intermediate_groups)),
        output=module(Role.MLP, None, conv1d=down, layernorm=layer_norm(hidden)),
    )


def _attention(config: SqueezeBertConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    each = exact_div(hidden, heads)
    kept = Grouped(heads, hidden)
    return attending(
        Attends(heads, each, each, causal=False, positions="learned", kv_heads=heads),
        query=_grouped(hidden, hidden, config.q_groups),
        key=_grouped(hidden, hidden, config.k_groups).marked(grouped=kept),
        value=_grouped(hidden, hidden, config.v_groups).marked(grouped=kept),
    )


def _grouped(inputs: int, outputs: int, groups: int) -> Module:
    """`weight` [outputs, inputs ÷ groups, 1] and `bias`: each group of outputs reads its own inputs.

    Raises ConfigValueError: inputs or outputs that the groups do not share out evenly.
    """
    exact_div(inputs, groups)
    exact_div(outputs, groups)
    return convolution(inputs, outputs, 1, groups=groups)

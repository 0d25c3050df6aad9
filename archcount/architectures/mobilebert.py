"""MobileBERT: thin layers of several MLPs between bottlenecks, on trigrams of thinner embeddings."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import embedding, layer_norm, linear, position_embedding
from ..blocks.attention import attending
from ..blocks.linear import bias_of
from ..blocks.mlp import activation_name
from ..config import Count, DecoderConfig, Size
from ..encoder_heads import Heads, biased_twice, encoder, pooler
from ..registry import architecture
from ..tree import Attends, Grouped, Module, Role, module, repeat


class MobileBertConfig(DecoderConfig):
    vocab_size: Size = 30522
    embedding_size: Size = 128
    hidden_size: Size = 512
    intra_bottleneck_size: Size = 128
    intermediate_size: Size = 512
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 4
    num_feedforward_networks: Count = 4
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 2
    hidden_act: str = "relu"
    trigram_input: bool = True
    use_bottleneck: bool = True
    use_bottleneck_attention: bool = False
    key_query_shared_bottleneck: bool = True
    normalization_type: Literal["no_norm", "layer_norm"] = "no_norm"
    classifier_activation: bool = True
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"true_hidden_size"})  # `width` as the class saves it

    @property
    def width(self) -> int:
        """What is read and written within a layer."""
        return self.intra_bottleneck_size if self.use_bottleneck else self.hidden_size


@architecture("mobilebert", config=MobileBertConfig)
def mobilebert(config: MobileBertConfig) -> Module:
    hidden = config.hidden_size
    layers = repeat(config.num_hidden_layers, _layer(config))
    model = module(embeddings=_embeddings(config), encoder=module(layer=layers))
    pooled = pooler(hidden) if config.classifier_activation else None
    head = _language_head(config)
    return encoder(config, model, base="mobilebert", hidden=hidden, language_head=head, pooler=pooled)


def _embeddings(config: MobileBertConfig) -> Module:
    hidden, width = config.hidden_size, config.embedding_size
    widened = linear(3 * width if config.trigram_input else width, hidden, bias=True)
    is_used = config.trigram_input or width != hidden
    return module(
        Role.EMBEDDING,
        word_embeddings=embedding(config.vocab_size, width),
        position_embeddings=position_embedding(config.max_position_embeddings, hidden),
        token_type_embeddings=embedding(config.type_vocab_size, hidden),
        embedding_transformation=widened.marked(uses=None if is_used else 0),
        LayerNorm=_norm(config, hidden),
    )


def _layer(config: MobileBertConfig) -> Module:
    """One bottleneck narrows what the layer reads, another widens what it writes; the MLPs stand in a row."""
    width, inner = config.width, config.intermediate_size
    word = activation_name(config.hidden_act, gated=False)
    up, down = module(Role.MLP, word, dense=linear(width, inner, bias=True)), _normed(config, inner, width)
    widened = _normed(config, width, config.hidden_size) if config.use_bottleneck else None
    ffn = module(intermediate=up, output=down.marked(role=Role.MLP))
    return module(
        None,
        "post-norm",
        attention=_attention(config),
        intermediate=up,
        output=down.extend(bottleneck=widened).marked(role=Role.MLP),
        bottleneck=_bottleneck(config) if config.use_bottleneck else None,
        ffn=repeat(config.num_feedforward_networks - 1, ffn) if config.num_feedforward_networks > 1 else None,
    )


def _bottleneck(config: MobileBertConfig) -> Module:
    narrowed = _normed(config, config.hidden_size, config.intra_bottleneck_size)
    of_query = narrowed.marked(uses=0 if config.use_bottleneck_attention else None)
    return module(input=narrowed, attention=of_query if config.key_query_shared_bottleneck else None)


def _attention(config: MobileBertConfig) -> Module:
    """Queries and keys read what the bottleneck narrowed; values read the whole width, unless the config says so."""
    width, heads = config.width, config.num_attention_heads
    each = width // heads  # the class rounds down
    read = width if config.use_bottleneck_attention else config.hidden_size
    kept = Grouped(heads, heads * each)
    inside = module(
        query=linear(width, heads * each, bias=True),
        key=linear(width, heads * each, bias=True).marked(grouped=kept),
        value=linear(read, heads * each, bias=True).marked(grouped=kept),
    )
    attends = Attends(heads, each, each, causal=False, positions="learned", kv_heads=heads)
    return attending(attends, self=inside, output=_normed(config, width, width))


def _normed(config: MobileBertConfig, inputs: int, outputs: int) -> Module:
    return module(dense=linear(inputs, outputs, bias=True), LayerNorm=_norm(config, outputs))


def _norm(config: MobileBertConfig, width: int) -> Module:
    """A layer norm, or what stands in its place: a scale and a bias that normalise nothing."""
    norm = layer_norm(width)
    return norm.marked(kind="NoNorm") if config.normalization_type == "no_norm" else norm


def _language_head(config: MobileBertConfig) -> Heads:
    """BERT's, whose matrix is the table of embeddings and beside it, stored turned, what it lacks in width."""
    hidden, width, vocab = config.hidden_size, config.embedding_size, config.vocab_size
    table = "mobilebert.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    predictions = module(
        bias=bias_of(vocab),
        transform=module(dense=linear(hidden, hidden, bias=True), LayerNorm=layer_norm(hidden)),
        dense=linear(vocab, hidden - width) if hidden != width else None,  # none where it would have no rows
        decoder=biased_twice(width, vocab, table=table, bias="cls.predictions.bias"),
    )
    return {"cls": module(Role.HEAD, predictions=predictions)}

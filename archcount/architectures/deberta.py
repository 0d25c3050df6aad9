"""DeBERTa: BERT whose attention keeps what a token says apart from where it stands.

Longer than most: two generations keep positions apart in ways of their own, and so do their heads.
"""

from __future__ import annotations

from ..blocks import embedding, encoder_embeddings, encoder_layer, layer_norm, linear
from ..blocks.attention import head_layout
from ..blocks.linear import bias_of, convolution
from ..config import Count, CountOrZero, DecoderConfig, Index, Size, SizeOrZero
from ..dim import exact_div
from ..encoder_heads import Heads, bert_head, encoder, pooler, score
from ..registry import architecture
from ..tree import Attends, Module, Role, Stack, module, repeat


class DebertaConfig(DecoderConfig):
    vocab_size: Size = 50265
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    num_attention_heads: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: SizeOrZero = 0
    embedding_size: Size | None = None
    pooler_hidden_size: Size | None = None
    position_biased_input: bool = True
    relative_attention: bool = False
    max_relative_positions: Index = -1
    pos_att_type: str | list[str] | None = None
    hidden_act: str = "gelu"
    legacy: bool = True
    tie_word_embeddings: bool = True

    @property
    def reach(self) -> int:
        """How far apart two tokens may be told to stand."""
        return self.max_position_embeddings if self.max_relative_positions < 1 else self.max_relative_positions

    def looks_from(self, kind: str) -> bool:
        """Whether attention has a part of this kind: `c2p` (what to where) or `p2c` (where to what)."""
        kinds = self.pos_att_type or []
        names = kinds.lower().split("|") if isinstance(kinds, str) else kinds
        return self.relative_attention and kind in (name.strip() for name in names)


class DebertaV2Config(DebertaConfig):
    vocab_size: Size = 128100
    hidden_size: Size = 1536
    intermediate_size: Size = 6144
    num_hidden_layers: Count = 24
    num_attention_heads: Count = 24
    position_buckets: Index = -1
    share_att_key: bool = False
    norm_rel_ebd: str = "none"
    conv_kernel_size: CountOrZero = 0
    conv_groups: Count = 1


@architecture("deberta", config=DebertaConfig)
def deberta(config: DebertaConfig) -> Module:
    """Query, key and value in one matrix, with biases for the first and the last."""
    hidden = config.hidden_size
    inside = module(
        q_bias=bias_of(hidden),
        v_bias=bias_of(hidden),
        in_proj=linear(hidden, 3 * hidden),
        pos_proj=linear(hidden, hidden) if config.looks_from("c2p") else None,
        pos_q_proj=linear(hidden, hidden, bias=True) if config.looks_from("p2c") else None,
    )
    table = embedding(2 * config.reach, hidden) if config.relative_attention else None
    encoder_part = module(layer=_layers(config, inside), rel_embeddings=table)
    return _with_head(config, encoder_part)


@architecture("deberta-v2", config=DebertaV2Config)
def deberta_v2(config: DebertaV2Config) -> Module:
    """Three matrices again, relative positions in buckets, and in the largest a convolution beside the first layer."""
    hidden = config.hidden_size
    matrix = linear(hidden, hidden, bias=True)
    own_positions = not config.share_att_key
    inside = module(
        query_proj=matrix,
        key_proj=matrix,
        value_proj=matrix,
        pos_key_proj=matrix if own_positions and config.looks_from("c2p") else None,
        pos_query_proj=matrix if own_positions and config.looks_from("p2c") else None,
    )
    rows = 2 * (config.position_buckets if config.position_buckets > 0 else config.reach)
    normed = "layer_norm" in (name.strip() for name in config.norm_rel_ebd.lower().split("|"))
    kernel, groups = config.conv_kernel_size, config.conv_groups
    conv = convolution(hidden, hidden, kernel, groups=groups) if kernel else None
    encoder_part = module(
        layer=_layers(config, inside),
        rel_embeddings=embedding(rows, hidden) if config.relative_attention else None,
        LayerNorm=layer_norm(hidden) if normed else None,
        conv=module(conv=conv, LayerNorm=layer_norm(hidden)) if conv else None,
    )
    return _with_head(config, encoder_part)


def _layers(config: DebertaConfig, inside: Module) -> Stack:
    """BERT's layers with `inside` as the attention's `self`."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim, positions = exact_div(hidden, heads), "disentangled" if config.relative_attention else "learned"
    attend = module(
        Role.ATTENTION,
        head_layout(heads, heads),
        self=inside,
        output=module(dense=linear(hidden, hidden, bias=True), LayerNorm=layer_norm(hidden)),
    ).marked(attends=Attends(heads, head_dim, head_dim, causal=False, positions=positions))
    layer = encoder_layer(hidden, config.intermediate_size, attention=attend, activation=config.hidden_act)
    return repeat(config.num_hidden_layers, layer)


def _with_head(config: DebertaConfig, layers: Module) -> Module:
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    width, types = config.embedding_size or hidden, config.type_vocab_size or None
    positions = config.max_position_embeddings if config.position_biased_input else None
    tables = encoder_embeddings(width, vocab=vocab, positions=positions, types=types, norm=False).extend(
        embed_proj=linear(width, hidden) if width != hidden else None,
        LayerNorm=layer_norm(hidden),
    )
    model = module(embeddings=tables, encoder=layers)
    if name.endswith(("ForSequenceClassification", "ForMultipleChoice")):
        pooled, labels = config.pooler_hidden_size or hidden, 1 if name.endswith("Choice") else config.labels
        return module(deberta=model, pooler=pooler(pooled), classifier=score(pooled, labels))
    return encoder(config, model, base="deberta", hidden=hidden, language_head=_language_head(config, width))


def _language_head(config: DebertaConfig, width: int) -> Heads:
    """Hugging Face's `cls`, or without `legacy` the one of Microsoft's files, which uses the table as it is."""
    hidden, vocab = config.hidden_size, config.vocab_size
    if config.legacy:
        table = "deberta.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
        return bert_head(hidden, vocab, table=table, inner=width)
    dense, norm = linear(hidden, hidden, bias=True), layer_norm(hidden)
    return {"lm_predictions": module(Role.HEAD, lm_head=module(dense=dense, LayerNorm=norm, bias=bias_of(vocab)))}

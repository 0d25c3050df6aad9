"""T5, mT5 and UMT5: encoder and decoder on one table of tokens; a bias for each distance in place of positions.

Longer than most: three model_types, and an encoder or a decoder that a class may hold alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ..blocks import attention, embedding, gated_mlp, linear, lm_head, mlp, rms_norm
from ..config import Count, ModelConfig, Size
from ..errors import ConfigValueError
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, Tensor, module, stack, tied

OwnAttention = Callable[[bool], dict[str, Module]]


class T5Config(ModelConfig):
    vocab_size: Size = 32128
    d_model: Size = 512
    d_kv: Size = 64
    d_ff: Size = 2048
    num_layers: Count = 6
    num_decoder_layers: Count | None = None
    num_heads: Count = 8
    relative_attention_num_buckets: Count = 32
    feed_forward_proj: str = "relu"
    is_gated_act: bool | None = None
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "num_heads",
        "num_hidden_layers": "num_layers",
        "head_dim": "d_kv",
    }
    ignored: ClassVar[frozenset[str]] = frozenset({"n_positions"})
    bias_in_every_layer: ClassVar[bool] = False

    def feed_forward(self) -> tuple[bool, str]:
        """Is the MLP gated, and its activation: `gated-gelu` is (True, "gelu").

        Raises ConfigValueError: a `feed_forward_proj` of another form.
        """
        gated, dash, activation = self.feed_forward_proj.rpartition("-")
        if dash and gated != "gated":
            raise ConfigValueError(f"feed_forward_proj is {self.feed_forward_proj!r}: should be relu, gated-gelu …")
        return bool(dash) if self.is_gated_act is None else self.is_gated_act, activation


class Mt5Config(T5Config):
    vocab_size: Size = 250112
    d_ff: Size = 1024
    num_layers: Count = 8
    num_heads: Count = 6
    feed_forward_proj: str = "gated-gelu"


class Umt5Config(Mt5Config):
    bias_in_every_layer: ClassVar[bool] = True


@architecture("t5", config=T5Config)
@architecture("mt5", config=Mt5Config)
@architecture("umt5", config=Umt5Config)
def t5(config: T5Config) -> Module:
    """The class decides what stands: `…EncoderModel` has no decoder, and only `…ForConditionalGeneration` a head."""
    name, width, labels = config.class_name, config.d_model, config.labels
    if name.endswith("EncoderModel"):
        return _sides(config, "encoder")
    if name.endswith("ForTokenClassification"):
        encoder = _sides(config, "encoder", prefix="transformer.")
        return module(transformer=encoder, classifier=linear(width, labels, bias=True))
    both = _sides(config, "encoder", "decoder")
    if name.endswith("ForSequenceClassification"):
        head = module(dense=linear(width, width, bias=True), out_proj=linear(width, labels, bias=True))
        return module(transformer=_sides(config, "encoder", "decoder", prefix="transformer."), classification_head=head)
    if name.endswith("ForQuestionAnswering"):
        return both.extend(qa_outputs=linear(width, labels, bias=True))
    if name.endswith("Model") and not name.endswith("LMHeadModel"):
        return both
    # transformers 5 ties the head whatever the config says; files that say false (v1.1, Flan, mT5) store one.
    tied_to = "shared.weight" if config.tie_word_embeddings else None
    return both.extend(lm_head=lm_head(width, config.vocab_size, tied_to=tied_to))


def _sides(config: T5Config, *sides: str, prefix: str = "") -> Module:
    """`shared` and the sides named, each with the same table under a name of its own."""
    table = t5_table(config)
    again = tied(table, f"{prefix}shared")
    return module(shared=table, **{side: t5_side(config, side).prepend(embed_tokens=again) for side in sides})


def t5_table(config: T5Config) -> Module:
    """The table of tokens that both sides share."""
    return embedding(config.vocab_size, config.d_model)


def t5_side(config: T5Config, side: str, own: OwnAttention | None = None) -> Module:
    """The layers and the norm of the side named `encoder` or `decoder`, without its table.

    `own` makes its self-attention, where it is not T5's, for a layer with a table of distances and for one without.
    """
    layers = config.num_decoder_layers if side == "decoder" else None
    has_bias = [index == 0 or config.bias_in_every_layer for index in range(layers or config.num_layers)]
    make = own or (lambda bias: {"SelfAttention": t5_attention(config, causal=side == "decoder", has_bias=bias)})
    block = stack_of(has_bias, lambda bias: t5_layer(config, side, make(bias), _dense(config)))
    return module(block=block, final_layer_norm=rms_norm(config.d_model)).marked(section=side)


def t5_layer(config: T5Config, side: str, own: dict[str, Module], last: dict[str, Module]) -> Module:
    """A layer of `side`: its own attention, the decoder's attention to the encoder, and `last`, a norm before each."""
    cross = {"EncDecAttention": t5_attention(config, cross=True)} if side == "decoder" else {}
    norm, parts = rms_norm(config.d_model), {**own, **cross, **last}
    steps = [module(None, None, **{name: part}, layer_norm=norm) for name, part in parts.items()]
    return module(None, "pre-norm", layer=stack(steps))


def _dense(config: T5Config) -> dict[str, Module]:
    width, (is_gated, activation) = config.d_model, config.feed_forward()
    if is_gated:
        dense = gated_mlp(width, config.d_ff, activation=activation, names=("wi_0", "wi_1", "wo"))
    else:
        dense = mlp(width, config.d_ff, activation=activation, names=("wi", "wo"), bias=False)
    return {"DenseReluDense": dense}


def t5_attention(
    config: T5Config, *, causal: bool = True, cross: bool = False, has_bias: bool = False, window: int | None = None
) -> Module:
    """Attention without biases, and with `has_bias` the table of distances that all layers of a side read."""
    found = attention(
        config.d_model,
        heads=config.num_heads,
        head_dim=config.d_kv,
        window=window,
        causal=causal,
        source_width=config.d_model if cross else None,
        positions=None if cross else "relative",
        names=("q", "k", "v", "o"),
    )
    return found.extend(relative_attention_bias=distances(config)) if has_bias else found


def distances(config: T5Config) -> Module:
    """A bias of each head for each bucket of distances [buckets, heads]."""
    return module(weight=Tensor((config.relative_attention_num_buckets, config.num_heads)))

"""ModernBERT and its decoder: gated MLPs, norms without a bias, and a window in two layers of three.

Longer than most: an encoder and a decoder share the layers, and each has heads of its own.
"""

from __future__ import annotations

from ..blocks import attention, embedding, fused_attention, fused_gated_mlp, layer_norm, linear, lm_head
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of, windows
from ..tree import Module, Role, module


class ModernBertConfig(DecoderConfig, Rotary):
    vocab_size: Size = 50368
    hidden_size: Size = 768
    intermediate_size: Size = 1152
    num_hidden_layers: Count = 22
    num_attention_heads: Count = 12
    hidden_activation: str = "gelu"
    norm_bias: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    decoder_bias: bool = True
    classifier_bias: bool = False
    local_attention: Size | None = 128
    layer_types: list[str] | None = None
    global_attn_every_n_layers: Count = 3
    tie_word_embeddings: bool = True

    def norm(self) -> Module:
        """The norm of every place."""
        return layer_norm(self.hidden_size, bias=self.norm_bias)


@architecture("modernbert", config=ModernBertConfig)
def modernbert(config: ModernBertConfig) -> Module:
    hidden, name = config.hidden_size, config.class_name
    model = _model(config, is_decoder=False)
    head = _transform(config)
    if name.endswith("Model"):
        return model
    if not name or name.endswith("ForMaskedLM"):
        return module(model=model, head=head, decoder=_decoder(config))
    labels = 1 if name.endswith("ForMultipleChoice") else config.labels
    scores = ("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "ForMultipleChoice")
    if not name.endswith(scores):
        raise unknown_class(config)
    return module(model=model, head=head, classifier=linear(hidden, labels, bias=True, role=Role.HEAD))


@architecture("modernbert-decoder", config=ModernBertConfig)
def modernbert_decoder(config: ModernBertConfig) -> Module:
    hidden, name, bias = config.hidden_size, config.class_name, config.classifier_bias
    model = _model(config, is_decoder=True)
    if name.endswith("Model"):
        return model
    if name.endswith("ForSequenceClassification"):
        score = linear(hidden, config.labels, bias=bias, role=Role.HEAD)
        return module(model=model, head=_transform(config), classifier=score)
    if name and not name.endswith("ForCausalLM"):
        raise unknown_class(config)
    return module(model=model, lm_head=_transform(config), decoder=_decoder(config))


def _model(config: ModernBertConfig, *, is_decoder: bool) -> Module:
    reach, every = config.local_attention, config.global_attn_every_n_layers
    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda index: SLIDING if index % every else FULL)
    window = reach // 2 if reach and is_decoder else reach  # `local_attention` counts both sides of a token

    def layer(window_and_place: tuple[int | None, bool]) -> Module:
        seen, is_first = window_and_place
        norm = None if is_first else config.norm()  # the embeddings' own serves the first layer
        return _layer(config, seen, norm, is_decoder=is_decoder)

    places = [(seen, index == 0) for index, seen in enumerate(windows(kinds, window))]
    return module(
        embeddings=module(tok_embeddings=embedding(config.vocab_size, config.hidden_size), norm=config.norm()),
        layers=stack_of(places, layer),
        final_norm=config.norm(),
    )


def _layer(config: ModernBertConfig, window: int | None, norm: Module | None, *, is_decoder: bool) -> Module:
    hidden, heads, bias = config.hidden_size, config.num_attention_heads, config.attention_bias
    head_dim, positions = exact_div(hidden, heads), config.rope
    if is_decoder:
        names = ("q_proj", "k_proj", "v_proj", "Wo")
        attend = attention(
            hidden, heads=heads, head_dim=head_dim, bias=bias, window=window, positions=positions, names=names
        )
    else:
        attend = fused_attention(
            hidden,
            heads=heads,
            head_dim=head_dim,
            bias=bias,
            window=window,
            positions=positions,
            causal=False,
            names=("Wqkv", "Wo"),
        )
    mlp = fused_gated_mlp(
        hidden,
        config.intermediate_size,
        bias=config.mlp_bias,
        activation=config.hidden_activation,
        names=("Wi", "Wo"),
    )
    return module(None, "pre-norm", attn_norm=norm, attn=attend, mlp_norm=config.norm(), mlp=mlp)


def _transform(config: ModernBertConfig) -> Module:
    hidden = config.hidden_size
    return module(Role.HEAD, dense=linear(hidden, hidden, bias=config.classifier_bias), norm=config.norm())


def _decoder(config: ModernBertConfig) -> Module:
    tied_to = "model.embeddings.tok_embeddings.weight" if config.tie_word_embeddings else None
    return lm_head(config.hidden_size, config.vocab_size, tied_to=tied_to, bias=config.decoder_bias)

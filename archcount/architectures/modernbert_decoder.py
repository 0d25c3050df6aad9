"""ModernBERT as a decoder: gated MLPs, norms without a bias, and a window in two layers of three."""

from __future__ import annotations

from ..blocks import attention, embedding, fused_gated_mlp, layer_norm, linear, lm_head
from ..config import Count, DecoderConfig, Size
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..positions import Rotary
from ..registry import architecture
from ..schedules import FULL, SLIDING, layer_kinds, stack_of, windows
from ..tree import Module, Role, module


class ModernBertDecoderConfig(DecoderConfig, Rotary):
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


@architecture("modernbert-decoder", config=ModernBertDecoderConfig)
def modernbert_decoder(config: ModernBertDecoderConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    norm = layer_norm(hidden, bias=config.norm_bias)
    every = config.global_attn_every_n_layers

    def layer(window_and_place: tuple[int | None, bool]) -> Module:
        window, is_first = window_and_place
        return _layer(config, window, None if is_first else norm)  # the embeddings' norm serves the first

    kinds = layer_kinds(config.num_hidden_layers, config.layer_types, lambda index: SLIDING if index % every else FULL)
    window = config.local_attention // 2 if config.local_attention else None  # to each side, in ModernBERT's words
    places = [(width, index == 0) for index, width in enumerate(windows(kinds, window))]
    tables = module(tok_embeddings=embedding(vocab, hidden), norm=norm)
    model = module(embeddings=tables, layers=stack_of(places, layer), final_norm=norm)
    return _with_head(config, model)


def _with_head(config: ModernBertDecoderConfig, model: Module) -> Module:
    hidden, vocab, name = config.hidden_size, config.vocab_size, config.class_name
    norm = layer_norm(hidden, bias=config.norm_bias)
    transform = module(Role.HEAD, dense=linear(hidden, hidden, bias=config.classifier_bias), norm=norm)
    if name.endswith("Model"):
        return model
    if name.endswith("ForSequenceClassification"):
        score = linear(hidden, config.labels, bias=config.classifier_bias, role=Role.HEAD)
        return module(model=model, head=transform, classifier=score)
    if name and not name.endswith("ForCausalLM"):
        raise unknown_class(config)
    tied_to = "model.embeddings.tok_embeddings.weight" if config.tie_word_embeddings else None
    decoder = lm_head(hidden, vocab, tied_to=tied_to, bias=config.decoder_bias)
    return module(model=model, lm_head=transform, decoder=decoder)


def _layer(config: ModernBertDecoderConfig, window: int | None, attention_norm: Module | None) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    return module(
        None,
        "pre-norm",
        attn_norm=attention_norm,
        attn=attention(
            hidden,
            heads=heads,
            head_dim=exact_div(hidden, heads),
            bias=config.attention_bias,
            window=window,
            positions=config.rope,
            names=("q_proj", "k_proj", "v_proj", "Wo"),
        ),
        mlp_norm=layer_norm(hidden, bias=config.norm_bias),
        mlp=fused_gated_mlp(
            hidden,
            config.intermediate_size,
            bias=config.mlp_bias,
            activation=config.hidden_activation,
            names=("Wi", "Wo"),
        ),
    )

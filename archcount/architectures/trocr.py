"""TrOCR's decoder: BART's, reading what a vision encoder of any width has seen."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from ..blocks import embedding, fairseq_attention, fairseq_layer, layer_norm, lm_head, position_embedding
from ..config import Count, ModelConfig, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..tree import Module, module, repeat


class TrOcrConfig(ModelConfig):
    vocab_size: Size = 50265
    d_model: Size = 1024
    decoder_layers: Count = 12
    decoder_attention_heads: Count = 16
    decoder_ffn_dim: Size = 4096
    max_position_embeddings: Size = 512
    activation_function: str = "gelu"
    cross_attention_hidden_size: Size | None = None
    use_learned_position_embeddings: bool = True
    layernorm_embedding: bool = True
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "decoder_attention_heads",
        "num_hidden_layers": "decoder_layers",
    }


@architecture("trocr", config=TrOcrConfig)
def trocr(config: TrOcrConfig) -> Module:
    if config.class_name and not config.class_name.endswith("ForCausalLM"):
        raise unknown_class(config)
    width, vocab, learned = config.d_model, config.vocab_size, config.use_learned_position_embeddings
    attend = partial(
        fairseq_attention,
        width,
        heads=config.decoder_attention_heads,
        positions="learned" if learned else "sinusoidal",
    )
    layer = fairseq_layer(
        width,
        config.decoder_ffn_dim,
        self_attn=attend(),
        encoder_attn=attend(source_width=config.cross_attention_hidden_size or width),
        activation=config.activation_function,
    )
    decoder = module(
        embed_tokens=embedding(vocab, width),
        embed_positions=position_embedding(config.max_position_embeddings + 2, width) if learned else None,
        layernorm_embedding=layer_norm(width) if config.layernorm_embedding else None,
        layers=repeat(config.decoder_layers, layer),
    )
    tied_to = "model.decoder.embed_tokens.weight" if config.tie_word_embeddings else None
    head = lm_head(width, vocab, tied_to=tied_to)
    return module(model=module(decoder=decoder), output_projection=head)

"""T5Gemma: Gemma 2's layers twice, an encoder that looks both ways and a decoder that attends to it besides."""

from __future__ import annotations

from ..blocks import attention, embedding, lm_head, rms_norm
from ..config import ModelConfig
from ..encoder_heads import score, unknown_class
from ..registry import architecture
from ..tree import Module, Node, Role, module
from .gemma2 import Gemma2Config, gemma_layers
from .t5gemma2 import NORMS


class T5GemmaModuleConfig(Gemma2Config):
    model_type: str = "t5_gemma_module"


class T5GemmaConfig(ModelConfig):
    encoder: T5GemmaModuleConfig = T5GemmaModuleConfig()
    decoder: T5GemmaModuleConfig = T5GemmaModuleConfig()
    is_encoder_decoder: bool = True
    tie_word_embeddings: bool = True


@architecture("t5gemma", config=T5GemmaConfig)
def t5gemma(config: T5GemmaConfig) -> Module:
    """The head is the decoder's table; a score stands on the encoder alone where `is_encoder_decoder` is false."""
    name, last = config.class_name, config.decoder
    encoder = module(encoder=_side(config, "encoder"))
    if name.endswith("EncoderModel"):
        return encoder
    both = encoder.extend(decoder=_side(config, "decoder"))
    if name.endswith("Model"):
        return both
    if name.endswith(("ForSequenceClassification", "ForTokenClassification")):
        model, width = (both, last.hidden_size) if config.is_encoder_decoder else (encoder, config.encoder.hidden_size)
        return module(model=model, score=module(Role.HEAD, out_proj=score(width, config.labels)))
    if name and not name.endswith("ForConditionalGeneration"):
        raise unknown_class(config)
    tied_to = "model.decoder.embed_tokens.weight" if config.tie_word_embeddings else None
    head = lm_head(last.hidden_size, last.vocab_size, tied_to=tied_to)
    return module(model=both, lm_head=module(Role.HEAD, out_proj=head))


def _side(config: T5GemmaConfig, side: str) -> Module:
    """The encoder or the decoder, each with a table of its own."""
    is_decoder = side == "decoder"
    text = config.decoder if is_decoder else config.encoder
    directed = text.model_copy(update={"use_bidirectional_attention": not is_decoder})
    more = _cross_attention(text, config.encoder.hidden_size) if is_decoder else None
    return module(
        embed_tokens=embedding(text.vocab_size, text.hidden_size),
        layers=gemma_layers(directed, full_nth=2, query_key_norm=False, norm_names=NORMS, more=more),
        norm=rms_norm(text.hidden_size),
    ).marked(section=side)


def _cross_attention(config: T5GemmaModuleConfig, source: int) -> dict[str, Node]:
    found = attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
        bias=config.attention_bias,
        source_width=source,
    )
    norm = rms_norm(config.hidden_size)
    return {"cross_attn": found, "pre_cross_attn_layernorm": norm, "post_cross_attn_layernorm": norm}

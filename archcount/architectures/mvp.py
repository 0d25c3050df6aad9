"""MVP: BART with, where asked, prompts that are learned for each layer."""

from __future__ import annotations

from ..blocks import embedding, linear
from ..config import Size
from ..registry import architecture
from ..seq2seq_heads import Vocabulary, seq2seq
from ..tree import Module, module, stack
from .bart import BART, SequenceConfig, decoder_part, encoder_part


class MvpConfig(SequenceConfig):
    vocab_size: Size = 50267
    use_prompt: bool = False
    prompt_length: Size = 100
    prompt_mid_dim: Size = 800


@architecture("mvp", config=MvpConfig)
def mvp(config: MvpConfig) -> Module:
    encoder, decoder = encoder_part(config, BART), decoder_part(config, BART)
    if config.use_prompt and not config.class_name.endswith("ForCausalLM"):
        encoder = encoder.extend(self_attn_prompt=_prompt(config, config.encoder_layers))
        prompt = _prompt(config, config.decoder_layers)
        decoder = decoder.extend(self_attn_prompt=prompt, cross_attn_prompt=prompt)
    words = Vocabulary(config.vocab_size, config.d_model, config.tie_word_embeddings)
    return seq2seq(config, encoder, decoder, words)


def _prompt(config: MvpConfig, layers: int) -> Module:
    """A key and a value for each layer and prompt token, made by two matrices."""
    width, inner = config.d_model, config.prompt_mid_dim
    up, down = linear(width, inner, bias=True), linear(inner, layers * 2 * width, bias=True)
    return module(prompt_embedding=embedding(config.prompt_length, width), prompt_trans=stack([up, None, down]))

"""FNet: BERT with a Fourier transform, which has no weights, in the place of attention."""

from __future__ import annotations

from ..blocks import encoder_embeddings, layer_norm, linear
from ..blocks.mlp import activation_name
from ..config import Count, ModelConfig, Size
from ..encoder_heads import bert_head, encoder, pooler
from ..errors import ConfigValueError
from ..marks import FOURIER
from ..registry import architecture
from ..tree import Module, Role, module, repeat


class FNetConfig(ModelConfig):
    vocab_size: Size = 32000
    hidden_size: Size = 768
    intermediate_size: Size = 3072
    num_hidden_layers: Count = 12
    max_position_embeddings: Size = 512
    type_vocab_size: Size = 4
    hidden_act: str = "gelu_new"
    use_tpu_fourier_optimizations: bool = False
    tie_word_embeddings: bool = True


@architecture("fnet", config=FNetConfig)
def fnet(config: FNetConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    positions, types = config.max_position_embeddings, config.type_vocab_size
    tables = encoder_embeddings(hidden, vocab=vocab, positions=positions, types=types)
    model = module(
        embeddings=tables.extend(projection=linear(hidden, hidden, bias=True)),
        encoder=module(layer=repeat(config.num_hidden_layers, _layer(config))),
        pooler=pooler(hidden),  # stored whatever the class
    )
    table = "fnet.embeddings.word_embeddings.weight" if config.tie_word_embeddings else None
    head = bert_head(hidden, vocab, table=table)
    return encoder(config, model, base="fnet", hidden=hidden, language_head=head)


def _layer(config: FNetConfig) -> Module:
    """Raises ConfigValueError: the transform by matrices, which are stored or not as SciPy was there or not."""
    hidden, inner = config.hidden_size, config.intermediate_size
    if config.use_tpu_fourier_optimizations and config.max_position_embeddings <= 4096:
        found = "use_tpu_fourier_optimizations is true and max_position_embeddings at most 4,096"
        raise ConfigValueError(f"{found}: the matrices of that transform are not known here; set it to false")
    up, down = linear(hidden, inner, bias=True), linear(inner, hidden, bias=True)
    return module(
        None,
        "post-norm",
        fourier=module(None, FOURIER, output=module(LayerNorm=layer_norm(hidden))),
        intermediate=module(Role.MLP, activation_name(config.hidden_act, gated=False), dense=up),
        output=module(Role.MLP, None, dense=down, LayerNorm=layer_norm(hidden)),
    )

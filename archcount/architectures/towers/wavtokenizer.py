"""WavTokenizer's encoder: strided convolutions and an LSTM from sound to the codes that stand for it."""

from __future__ import annotations

from typing import ClassVar

from ...blocks import bias_of, convolution
from ...config import Count, CountOrZero, Schema, Size
from ...dim import same_size
from ...errors import ConfigValueError
from ...tree import Module, Node, Role, Storage, Tensor, Use, module, stack
from .vqgan import group_norm

WEIGHT, GROUP = "weight_norm", "time_group_norm"


class WavTokenizerConfig(Schema):
    model_type: str = "wavtokenizer_encoder"
    audio_channels: Count = 1
    num_filters: Size = 32
    num_residual_layers: CountOrZero = 1
    compress: Count = 2
    use_conv_shortcut: bool = True
    norm_type: str = WEIGHT
    kernel_size: Size = 7
    last_kernel_size: Size = 7
    residual_kernel_size: Size = 3
    upsampling_ratios: tuple[Size, ...] = (6, 5, 5, 4)
    num_lstm_layers: Count = 2
    hidden_size: Size = 512
    codebook_size: Size = 4096
    codebook_dim: Size = 512
    ignored: ClassVar[frozenset[str]] = frozenset(
        {
            "adanorm_num_embeddings",
            "decoder_attention_num_groups",
            "decoder_hidden_size",
            "decoder_intermediate_size",
            "decoder_num_layers",
        }
    )


def wavtokenizer_encoder(config: WavTokenizerConfig) -> Module:
    """`encoder`, and the codebook: it moves with averages of what it encodes, and the file keeps it as a buffer."""
    codes = (config.codebook_size, same_size(config.codebook_dim, config.hidden_size))
    kept = {"inited": (1,), "cluster_size": (config.codebook_size,), "embed": codes, "embed_avg": codes}
    codebook = module(**{name: Tensor(shape, storage=Storage.BUFFER) for name, shape in kept.items()})
    return module(encoder=module(layers=stack(_layers(config))), quantizer=module(codebook=codebook)).marked(
        section="audio"
    )


def _layers(config: WavTokenizerConfig) -> list[Node | None]:
    """The channels double with each stride; None stands for an activation, which is numbered too."""
    width: int = config.num_filters
    layers: list[Node | None] = [_convolution(config, config.audio_channels, width, config.kernel_size)]
    for ratio in reversed(config.upsampling_ratios):
        layers += [_residual(config, width)] * config.num_residual_layers
        layers += [None, _convolution(config, width, 2 * width, 2 * ratio)]
        width = 2 * width
    last = _convolution(config, width, config.hidden_size, config.last_kernel_size)
    return [*layers, module(lstm=_lstm(width, config.num_lstm_layers)), None, last]


def _residual(config: WavTokenizerConfig, width: int) -> Module:
    inner = width // config.compress
    narrowing = _convolution(config, width, inner, config.residual_kernel_size)
    return module(
        block=stack([None, narrowing, None, _convolution(config, inner, width, 1)]),
        shortcut=_convolution(config, width, width, 1) if config.use_conv_shortcut else None,
    )


def _convolution(config: WavTokenizerConfig, inputs: int, outputs: int, kernel: int) -> Module:
    """With weight norm, a length for each output beside the direction of its filter."""
    if config.norm_type == GROUP:
        return module(conv=convolution(inputs, outputs, kernel), norm=group_norm(outputs))
    if config.norm_type != WEIGHT:
        raise ConfigValueError(f"norm_type is {config.norm_type!r}: should be {WEIGHT} or {GROUP}")
    lengths = Tensor((outputs, 1, 1), Use.SCALE)
    directions = Tensor((outputs, inputs, kernel), Use.CONVOLUTION)
    weight = module(original0=lengths, original1=directions)
    return module(conv=module(bias=bias_of(outputs), parametrizations=module(weight=weight)))


def _lstm(width: int, layers: int) -> Module:
    """Four gates in one matrix, for the input and for the state."""
    children: dict[str, Node] = {}
    for layer in range(layers):
        for name in ("ih", "hh"):
            children[f"weight_{name}_l{layer}"] = Tensor((4 * width, width), Use.MATMUL)
            children[f"bias_{name}_l{layer}"] = bias_of(4 * width)
    return module(Role.SSM, f"LSTM {layers}", **children)

"""FastViT (Vasu et al. 2023), MobileCLIP 2's large forms as timm names them: filters a channel, then attention.

Its sizes stand in no config: the two architectures of five stages are written out here, their branches merged.
"""

from __future__ import annotations

from typing import ClassVar

from ...blocks import batch_norm, convolution, fused_attention, layer_norm
from ...config import Schema, Size
from ...dim import exact_div
from ...errors import ConfigValueError
from ...faults import shown
from ...tree import Module, Role, Tensor, Use, module, repeat, stack

FIRST_WIDTH = {"fastvit_mci3": 96, "fastvit_mci4": 128}
LAYERS = {"fastvit_mci3": (2, 12, 24, 4, 2), "fastvit_mci4": (2, 12, 24, 4, 4)}
ATTENDING = 3  # the stages from this one on attend
HEAD_DIM = 32


class FastVitArguments(Schema):
    inference_mode: bool = False


class FastVitConfig(Schema):
    model_type: str = "timm_wrapper"
    architecture: str
    hidden_size: Size
    model_args: FastVitArguments = FastVitArguments()
    ignored: ClassVar[frozenset[str]] = frozenset({"global_pool", "num_classes", "num_features"})


def fastvit(config: FastVitConfig) -> Module:
    """`stem`, `stages` of twice the width each, and `final_conv`, twice as wide again.

    Raises ConfigValueError: an architecture or an argument whose tensors are not known.
    """
    name = _known(config)
    width = FIRST_WIDTH[name]
    last = width * 2 ** len(LAYERS[name])
    stem = stack([_merged(3, width, 3), _filtered(width, 3), _merged(width, width, 1)])
    stages = [_stage(index, width * 2**index, layers) for index, layers in enumerate(LAYERS[name])]
    squeeze = module(fc1=convolution(last, last // 16, 1, 1), fc2=convolution(last // 16, last, 1, 1))
    final = convolution(last // 2, last, 3, 3, groups=last // 2)
    return module(
        stem=stem,
        stages=stack(stages),
        final_conv=module(Role.OTHER, "squeeze and excite", se=squeeze, reparam_conv=final),
    ).marked(section="vision")


def _stage(index: int, width: int, layers: int) -> Module:
    """Halves the plane and doubles the width, but for the first."""
    attends = index >= ATTENDING
    wider = module(reparam_conv=convolution(width // 2, width, 7, 7, groups=width // 2))
    return module(
        downsample=module(proj=stack([wider, _merged(width, width, 1)])) if index else None,
        pos_emb=_filtered(width, 7) if attends else None,
        blocks=repeat(layers, _attending(width) if attends else _mixing(width)),
    )


def _mixing(width: int) -> Module:
    return module(token_mixer=_filtered(width, 3), mlp=_feed_forward(width), layer_scale=_scale(width))


def _attending(width: int) -> Module:
    heads = exact_div(width, HEAD_DIM)
    mixer = fused_attention(
        width, heads=heads, head_dim=HEAD_DIM, out_bias=True, causal=False, names=("qkv", "proj")
    )  # fmt: skip
    return module(
        None,
        "pre-norm",
        norm=layer_norm(width),
        token_mixer=mixer,
        layer_scale_1=_scale(width),
        mlp=_feed_forward(width),
        layer_scale_2=_scale(width),
    )


def _feed_forward(width: int) -> Module:
    """A filter a channel with a batch norm, then four times the width and back."""
    filters = convolution(width, width, 7, 7, groups=width, bias=False)
    return module(
        Role.MLP,
        "GELU MLP",
        conv=module(conv=filters, bn=batch_norm(width)),
        fc1=convolution(width, 4 * width, 1, 1),
        fc2=convolution(4 * width, width, 1, 1),
    )


def _scale(width: int) -> Module:
    return module(gamma=Tensor((width, 1, 1), Use.SCALE))


def _merged(inputs: int, outputs: int, kernel: int) -> Module:
    """One convolution in the place of the branches it was trained as."""
    return module(reparam_conv=convolution(inputs, outputs, kernel, kernel))


def _filtered(channels: int, kernel: int) -> Module:
    return module(reparam_conv=convolution(channels, channels, kernel, kernel, groups=channels))


def _known(config: FastVitConfig) -> str:
    name, given = config.architecture, config.model_args
    if name not in LAYERS:
        raise ConfigValueError(f"vision_config.architecture is {shown(name)}: only {' and '.join(LAYERS)} are known")
    if strange := sorted(given.model_extra or {}):
        mend = "what timm makes of it is not known here; leave it out if it shapes nothing"
        raise ConfigValueError(f"vision_config.model_args has {shown(strange[0])}: {mend}")
    if not given.inference_mode:
        mend = "should be true; the branches that training has are not known here"
        raise ConfigValueError(f"vision_config.model_args.inference_mode is false: {mend}")
    return name

"""Mamba and Falcon-Mamba: every layer a selective state space, no attention and no MLP."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import embedding, mamba, rms_norm
from ..config import Count, ModelConfig, Size
from ..dim import ceil_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class MambaConfig(ModelConfig):
    vocab_size: Size = 50280
    hidden_size: Size = 768
    intermediate_size: Size | None = None
    state_size: Size = 16
    num_hidden_layers: Count = 32
    expand: Size = 2
    conv_kernel: Size = 4
    time_step_rank: Size | Literal["auto"] = "auto"
    use_bias: bool = False
    use_conv_bias: bool = True
    tie_word_embeddings: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"d_inner", "d_model", "n_layer", "pad_vocab_size_multiple"})


@architecture("mamba", config=MambaConfig)
@architecture("falcon_mamba", config=MambaConfig)
def mamba_model(config: MambaConfig) -> Module:
    hidden, rank = config.hidden_size, config.time_step_rank
    layer = module(
        None,
        "pre-norm",
        norm=rms_norm(hidden),
        mixer=mamba(
            hidden,
            inner=config.intermediate_size or config.expand * hidden,
            state=config.state_size,
            rank=ceil_div(hidden, 16) if isinstance(rank, str) else rank,
            kernel=config.conv_kernel,
            bias=config.use_bias,
            conv_bias=config.use_conv_bias,
        ),
    )
    backbone = module(
        embeddings=embedding(config.vocab_size, hidden),
        layers=repeat(config.num_hidden_layers, layer),
        norm_f=rms_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(
        config, backbone, hidden=hidden, vocab=config.vocab_size, tie=tie, base="backbone", table="embeddings"
    )

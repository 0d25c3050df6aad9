"""Mamba-2: every layer a multi-head state space, no attention and no MLP."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import embedding, mamba2, rms_norm
from ..config import Count, ModelConfig, Size
from ..dim import same_size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class Mamba2Config(ModelConfig):
    vocab_size: Size = 32768
    hidden_size: Size = 4096
    num_heads: Count = 128
    head_dim: Size = 64
    state_size: Size = 128
    num_hidden_layers: Count = 64
    expand: Size = 2
    conv_kernel: Size = 4
    n_groups: Count = 8
    use_bias: bool = False
    use_conv_bias: bool = True
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"chunk_size", "time_step_rank"})


@architecture("mamba2", config=Mamba2Config)
def mamba2_model(config: Mamba2Config) -> Module:
    hidden = config.hidden_size
    layer = module(
        None,
        "pre-norm",
        norm=rms_norm(hidden),
        mixer=mamba2(
            hidden,
            inner=same_size(config.expand * hidden, config.num_heads * config.head_dim),
            heads=config.num_heads,
            state=config.state_size,
            groups=config.n_groups,
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

"""OpenELM: heads and MLP widths grow from the first layer to the last (layer-wise scaling)."""

from __future__ import annotations

from collections.abc import Sequence

from ..blocks import embedding, fused_attention, fused_gated_mlp, mlp, rms_norm
from ..config import Count, Factor, ModelConfig, Size
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import checked_length, stack_of
from ..tree import Module, module


class OpenElmConfig(ModelConfig):
    vocab_size: Size = 32000
    num_transformer_layers: Count = 12
    model_dim: Size = 2048
    head_dim: Size = 128
    num_gqa_groups: Count = 1
    num_query_heads: list[Count] | None = None
    num_kv_heads: list[Count] | None = None
    qkv_multipliers: Factor | list[Factor] = 1.0
    ffn_multipliers: Factor | list[Factor] = 4.0
    ffn_with_glu: bool = True
    ffn_dim_divisor: Size = 256
    activation_fn_name: str = "swish"
    normalize_qk_projections: bool = False
    share_input_output_layers: bool = False

    def query_heads(self) -> Sequence[int]:
        """Query heads of each layer: listed, or scaled from `model_dim` in whole groups."""
        layers, group = self.num_transformer_layers, self.head_dim * self.num_gqa_groups
        if self.num_query_heads is not None:
            return checked_length(self.num_query_heads, layers, "num_query_heads")
        scale = self.qkv_multipliers
        if isinstance(scale, list) and len(scale) != 2:
            raise ConfigValueError(f"qkv_multipliers has {len(scale)} entries: should have two, or be a number")
        widths = [divisible(factor * self.model_dim, group) for factor in _spread(scale, layers)]
        return [width // self.head_dim for width in widths]

    def inner_widths(self) -> Sequence[int]:
        """The MLP's width in each layer, a multiple of `ffn_dim_divisor`."""
        factors = _spread(self.ffn_multipliers, self.num_transformer_layers)
        checked_length(factors, self.num_transformer_layers, "ffn_multipliers")
        return [divisible(factor * self.model_dim, self.ffn_dim_divisor) for factor in factors]


@architecture("openelm", config=OpenElmConfig)
def openelm(config: OpenElmConfig) -> Module:
    width, queries = config.model_dim, config.query_heads()
    shared = [heads // config.num_gqa_groups for heads in queries]
    keys = checked_length(config.num_kv_heads or shared, len(queries), "num_kv_heads")
    norm = rms_norm(config.head_dim) if config.normalize_qk_projections else None
    feed_forward = fused_gated_mlp if config.ffn_with_glu else mlp

    def layer(sizes: tuple[int, int, int]) -> Module:
        heads, kv_heads, inner = sizes
        attention = fused_attention(
            width,
            heads=heads,
            kv_heads=kv_heads,
            head_dim=config.head_dim,
            query_norm=norm,
            key_norm=norm,
            positions="RoPE",
            names=("qkv_proj", "out_proj"),
        )
        ffn = feed_forward(width, inner, bias=False, activation=config.activation_fn_name, names=("proj_1", "proj_2"))
        norms = {"attn_norm": rms_norm(width), "ffn_norm": rms_norm(width)}
        return module(None, "pre-norm", attn=attention, ffn=ffn, **norms)

    model = module(
        token_embeddings=embedding(config.vocab_size, width),
        layers=stack_of(zip(queries, keys, config.inner_widths(), strict=True), layer),
        norm=rms_norm(width),
    )
    tie, table = config.share_input_output_layers, "token_embeddings"
    return causal_lm(config, model, hidden=width, vocab=config.vocab_size, tie=tie, base="transformer", table=table)


def divisible(value: float, divisor: int) -> int:
    """The multiple of `divisor` nearest to `value`; up, where rounding loses more than a tenth (MobileNet's rule)."""
    near = max(int(divisor), int(value + divisor / 2) // int(divisor) * int(divisor))
    return near + int(divisor) if near < 0.9 * value else near


def _spread(factor: float | list[float], layers: int) -> list[float]:
    """A factor for each layer: one for all, evenly from the first to the last of two, or as listed."""
    if isinstance(factor, float):
        return [factor] * layers
    if len(factor) != 2 or layers == 1:
        return factor[:1] if len(factor) == 2 else factor
    low, high = factor
    return [round(low + (high - low) * index / (layers - 1), 2) for index in range(layers)]

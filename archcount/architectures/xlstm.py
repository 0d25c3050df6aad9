"""xLSTM: every block a matrix LSTM and a gated MLP."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import embedding, fused_gated_mlp, gated_mlp, matrix_lstm, rms_norm
from ..config import Count, Factor, ModelConfig, Size
from ..dim import round_up, truncated
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat


class XlstmConfig(ModelConfig):
    vocab_size: Size = 50304
    hidden_size: Size = 4096
    num_hidden_layers: Count = 32
    num_heads: Count = 8
    use_bias: bool = False
    qk_dim_factor: Factor = 0.5
    v_dim_factor: Factor = 1.0
    ffn_proj_factor: Factor = 2.667
    ffn_round_up_to_multiple_of: Size = 64
    weight_mode: Literal["single", "fused"] = "single"
    also_spelled: ClassVar[dict[str, str]] = {"embedding_dim": "hidden_size", "num_blocks": "num_hidden_layers"}
    ignored: ClassVar[frozenset[str]] = frozenset({"chunk_size", "max_inference_chunksize", "tie_word_embeddings"})


@architecture("xlstm", config=XlstmConfig)
def xlstm(config: XlstmConfig) -> Module:
    hidden, vocab, bias, fused = config.hidden_size, config.vocab_size, config.use_bias, config.weight_mode == "fused"
    inner = round_up(truncated(config.ffn_proj_factor, hidden, "ffn_proj_factor"), config.ffn_round_up_to_multiple_of)
    norm = rms_norm(hidden, bias=bias)
    block = module(
        None,
        "pre-norm",
        norm_mlstm=norm,
        mlstm_layer=matrix_lstm(
            hidden,
            heads=config.num_heads,
            key_width=_times(config.qk_dim_factor, hidden, "qk_dim_factor"),
            value_width=_times(config.v_dim_factor, hidden, "v_dim_factor"),
            bias=bias,
            fused=fused,
        ),
        norm_ffn=norm,
        ffn=fused_gated_mlp(hidden, inner, bias=bias, names=("proj_up_gate_z", "proj_down"))
        if fused
        else gated_mlp(hidden, inner, bias=bias, names=("proj_up_gate", "proj_up", "proj_down")),
    )
    backbone = module(
        embeddings=embedding(vocab, hidden),
        blocks=repeat(config.num_hidden_layers, block),
        out_norm=rms_norm(hidden),
    )
    return causal_lm(config, backbone, hidden=hidden, vocab=vocab, tie=False, base="backbone", table="embeddings")


def _times(factor: float, hidden: int, name: str) -> int:
    return hidden if factor == 1 else truncated(factor, hidden, name)

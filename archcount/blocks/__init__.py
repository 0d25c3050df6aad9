"""The parts models are made of: they take sizes, never configs; a keyword is a checkpoint name."""

from .attention import attention, fused_attention, latent_attention
from .embeddings import embedding, lm_head, position_embedding
from .experts import packed_experts, router, sparse_mlp
from .layers import post_norm_layer, pre_norm_layer
from .linear import conv1d, convolution, linear
from .mlp import activation_name, fused_gated_mlp, gated_mlp, mlp
from .norms import layer_norm, rms_norm

__all__ = [
    "activation_name",
    "attention",
    "conv1d",
    "convolution",
    "embedding",
    "fused_attention",
    "fused_gated_mlp",
    "gated_mlp",
    "latent_attention",
    "layer_norm",
    "linear",
    "lm_head",
    "mlp",
    "packed_experts",
    "position_embedding",
    "post_norm_layer",
    "pre_norm_layer",
    "rms_norm",
    "router",
    "sparse_mlp",
]

"""The parts models are made of: they take sizes, never configs; a keyword is a checkpoint name."""

from .attention import attention, fused_attention, latent_attention, without_key_bias
from .bidirectional import bidirectional_attention, fused_bidirectional_attention
from .delta import delta_attention, gated_delta_net, separate_delta_net
from .embeddings import embedding, lm_head, position_embedding
from .encoder import encoder_attention, encoder_embeddings, encoder_layer
from .experts import (
    expert_layout,
    mixture,
    named_experts,
    packed_experts,
    routed_experts,
    routed_to,
    router,
    sparse_mlp,
    stacked_linear,
    stacked_mlp,
)
from .fairseq import fairseq_attention, fairseq_layer
from .hyper import hyper_connection
from .layers import post_norm_layer, pre_norm_layer, sandwich_layer
from .linear import bias_of, conv1d, convolution, linear
from .linear_attention import lightning_attention
from .look_ahead import followed_by, look_ahead_layer, sharing_look_ahead_layer
from .mlp import activation_name, fused_gated_mlp, gated_mlp, mlp
from .norms import batch_norm, layer_norm, rms_norm
from .paired_attention import paired_attention
from .recurrent import (
    gated_linear_recurrence,
    matrix_lstm,
    receptance_attention,
    receptance_mlp,
    short_convolution,
)
from .shared_cache import borrowed_cache, borrowing_layers, unused
from .sparse_attention import sparse_indexer
from .ssm import mamba, mamba2
from .state import causal_convolution, recurrent_state
from .torch_attention import torch_attention

__all__ = [
    "activation_name",
    "attention",
    "batch_norm",
    "bias_of",
    "bidirectional_attention",
    "borrowed_cache",
    "borrowing_layers",
    "causal_convolution",
    "conv1d",
    "convolution",
    "delta_attention",
    "embedding",
    "encoder_attention",
    "encoder_embeddings",
    "encoder_layer",
    "expert_layout",
    "fairseq_attention",
    "fairseq_layer",
    "followed_by",
    "fused_attention",
    "fused_bidirectional_attention",
    "fused_gated_mlp",
    "gated_delta_net",
    "gated_linear_recurrence",
    "gated_mlp",
    "hyper_connection",
    "latent_attention",
    "layer_norm",
    "lightning_attention",
    "linear",
    "lm_head",
    "look_ahead_layer",
    "mamba",
    "mamba2",
    "matrix_lstm",
    "mixture",
    "mlp",
    "named_experts",
    "packed_experts",
    "paired_attention",
    "position_embedding",
    "post_norm_layer",
    "pre_norm_layer",
    "receptance_attention",
    "receptance_mlp",
    "recurrent_state",
    "rms_norm",
    "routed_experts",
    "routed_to",
    "router",
    "sandwich_layer",
    "separate_delta_net",
    "sharing_look_ahead_layer",
    "short_convolution",
    "sparse_indexer",
    "sparse_mlp",
    "stacked_linear",
    "stacked_mlp",
    "torch_attention",
    "unused",
    "without_key_bias",
]

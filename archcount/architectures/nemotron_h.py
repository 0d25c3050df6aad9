"""Nemotron-H: a layer is one mixer, Mamba-2, attention, an MLP or experts, in the order of a pattern string.

Longer than most: a layer is one of four mixers, and the order is spelled in two ways.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, expert_layout, linear, mamba2, mlp, rms_norm, router
from ..config import Count, CountOrZero, ModelConfig, Size
from ..errors import ConfigValueError
from ..heads import causal_lm
from ..registry import architecture
from ..schedules import FULL, LINEAR, layer_kinds, renewed, stack_of
from ..tree import Module, Role, Routed, module, repeat, stack

LETTERS = {"M": LINEAR, "*": FULL, "-": "mlp", "E": "moe"}


class NemotronHConfig(ModelConfig):
    vocab_size: Size = 131072
    hidden_size: Size = 4096
    num_hidden_layers: Count | None = None
    layers_block_type: list[str] | None = None
    hybrid_override_pattern: str | None = None
    num_attention_heads: Count = 32
    num_key_value_heads: Count | None = 8
    head_dim: Size = 128
    intermediate_size: Size = 21504
    mlp_hidden_act: str = "relu2"
    mlp_bias: bool = False
    ssm_state_size: Size = 128
    mamba_num_heads: Count = 128
    mamba_head_dim: Size = 64
    n_groups: Count = 8
    conv_kernel: Size = 4
    use_conv_bias: bool = True
    use_bias: bool = False
    n_routed_experts: Count = 8
    num_experts_per_tok: Count = 2
    moe_intermediate_size: Size = 7688
    moe_shared_expert_intermediate_size: Size = 7688
    moe_latent_size: Size | None = None
    num_nextn_predict_layers: CountOrZero = 0
    mtp_layers_block_type: list[str] | None = None
    mtp_hybrid_override_pattern: str | None = None
    also_spelled: ClassVar[dict[str, str]] = {
        "layer_types": "layers_block_type",
        "num_local_experts": "n_routed_experts",
        "mamba_n_groups": "n_groups",
        "mamba_d_conv": "conv_kernel",
        "mamba_conv_bias": "use_conv_bias",
        "attention_head_dim": "head_dim",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"chunk_size", "mamba_chunk_size", "n_shared_experts", "num_query_groups", "tie_word_embeddings"}
    )


@architecture("nemotron_h", config=NemotronHConfig)
def nemotron_h(config: NemotronHConfig) -> Module:
    hidden, vocab = config.hidden_size, config.vocab_size
    mixers = {LINEAR: _state_space(config), FULL: _attention(config), "mlp": _mlp(config), "moe": _experts(config)}
    blocks = {kind: module(None, "pre-norm", norm=rms_norm(hidden), mixer=mixer) for kind, mixer in mixers.items()}
    listed = config.layers_block_type or _spelled_out(config.hybrid_override_pattern, "hybrid_override_pattern")
    given = renewed(listed) or [LINEAR, "moe", FULL, "mlp"]
    layers = len(given) if config.num_hidden_layers is None else config.num_hidden_layers
    kinds = layer_kinds(layers, given, str, known=tuple(blocks), key="layers_block_type")
    backbone = module(
        embeddings=embedding(vocab, hidden), layers=stack_of(kinds, blocks.__getitem__), norm_f=rms_norm(hidden)
    )
    model = causal_lm(config, backbone, hidden=hidden, vocab=vocab, tie=False, base="backbone", table="embeddings")
    return model.extend(mtp=_look_ahead(config, blocks) if config.num_nextn_predict_layers else None)


def _spelled_out(pattern: str | None, key: str) -> list[str] | None:
    for letter in pattern or "":
        if letter not in LETTERS:
            raise ConfigValueError(f"{key} holds {letter!r}: should be made of {' '.join(LETTERS)}")
    return [LETTERS[letter] for letter in pattern] if pattern else None


def _look_ahead(config: NemotronHConfig, blocks: dict[str, Module]) -> Module:
    """A few more blocks for each token ahead: the first joins the next token's embedding to the last hidden state."""
    hidden = config.hidden_size
    spelled = _spelled_out(config.mtp_hybrid_override_pattern, "mtp_hybrid_override_pattern")
    given = renewed(config.mtp_layers_block_type) or spelled or [FULL, "moe"]
    kinds = layer_kinds(len(given), given, str, known=tuple(blocks), key="mtp_layers_block_type")
    step = [blocks[kind] for kind in kinds]
    step[0] = step[0].extend(enorm=rms_norm(hidden), hnorm=rms_norm(hidden), eh_proj=linear(2 * hidden, hidden))
    step[-1] = step[-1].extend(final_layernorm=rms_norm(hidden))
    return module(layers=stack(step * config.num_nextn_predict_layers)).marked(section="mtp")


def _state_space(config: NemotronHConfig) -> Module:
    return mamba2(
        config.hidden_size,
        inner=config.mamba_num_heads * config.mamba_head_dim,
        heads=config.mamba_num_heads,
        state=config.ssm_state_size,
        groups=config.n_groups,
        kernel=config.conv_kernel,
        bias=config.use_bias,
        conv_bias=config.use_conv_bias,
    )


def _attention(config: NemotronHConfig) -> Module:
    return attention(
        config.hidden_size,
        heads=config.num_attention_heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim,
    )


def _mlp(config: NemotronHConfig, inner: int | None = None) -> Module:
    names, bias, act = ("up_proj", "down_proj"), config.mlp_bias, config.mlp_hidden_act
    return mlp(config.hidden_size, inner or config.intermediate_size, bias=bias, activation=act, names=names)


def _experts(config: NemotronHConfig) -> Module:
    """Experts without a gate, of the hidden width or of a latent one that two projections lead to and from."""
    hidden, experts, latent = config.hidden_size, config.n_routed_experts, config.moe_latent_size
    routed = Routed(config.num_experts_per_tok, experts)
    expert = mlp(
        latent or hidden,
        config.moe_intermediate_size,
        bias=False,
        activation=config.mlp_hidden_act,
        routed=routed,
        names=("up_proj", "down_proj"),
    )
    return module(
        None,
        expert_layout(experts, routed.active),
        experts=repeat(experts, expert),
        gate=router(hidden, experts, correction=True),
        shared_experts=_mlp(config, config.moe_shared_expert_intermediate_size),
        fc1_latent_proj=linear(hidden, latent, bias=config.mlp_bias, role=Role.MLP) if latent else None,
        fc2_latent_proj=linear(latent, hidden, bias=config.mlp_bias, role=Role.MLP) if latent else None,
    )

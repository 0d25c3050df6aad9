"""Switch Transformers: T5 with experts in every n-th layer, of which a token visits one."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import lm_head, mlp, named_experts, rms_norm
from ..config import Count, CountOrZero, Size
from ..encoder_heads import unknown_class
from ..registry import architecture
from ..schedules import stack_of
from ..tree import Module, module, tied
from .t5 import T5Config, t5_attention, t5_layer, t5_table


class SwitchTransformersConfig(T5Config):
    d_model: Size = 768
    num_layers: Count = 12
    num_sparse_encoder_layers: CountOrZero = 3
    num_decoder_layers: Count | None = 12
    num_sparse_decoder_layers: CountOrZero = 3
    num_heads: Count = 12
    num_experts: Count = 8
    router_bias: bool = False
    dense_act_fn: str = "relu"
    also_spelled: ClassVar[dict[str, str]] = {
        "hidden_size": "d_model",
        "num_attention_heads": "num_heads",
        "num_hidden_layers": "num_layers",
    }
    ignored: ClassVar[frozenset[str]] = frozenset(
        {"n_positions", "expert_capacity", "encoder_sparse_step", "decoder_sparse_step"}
    )


@architecture("switch_transformers", config=SwitchTransformersConfig)
def switch_transformers(config: SwitchTransformersConfig) -> Module:
    """Both sides, or for `…EncoderModel` one; only `…ForConditionalGeneration` has a head."""
    name, table = config.class_name, t5_table(config)
    has_head = not name or name.endswith("ForConditionalGeneration")
    if not has_head and not name.endswith("Model"):
        raise unknown_class(config)
    again = tied(table, "shared") if config.tie_word_embeddings else table
    encoder = _side(config, "encoder", config.num_layers, config.num_sparse_encoder_layers)
    whole = module(shared=table, encoder=encoder.prepend(embed_tokens=again))
    if name.endswith("EncoderModel"):
        return whole
    decoder = _side(config, "decoder", config.num_decoder_layers or config.num_layers, config.num_sparse_decoder_layers)
    tied_to = "shared.weight" if config.tie_word_embeddings else None
    head = lm_head(config.d_model, config.vocab_size, tied_to=tied_to) if has_head else None
    return whole.extend(decoder=decoder.prepend(embed_tokens=again), lm_head=head)


def _side(config: SwitchTransformersConfig, side: str, layers: int, sparse: int) -> Module:
    """Of every `layers // sparse` layers the second has experts; where there should be none, the class makes one."""
    step = layers // sparse if sparse else layers
    has_experts = [step == 1 or (step > 0 and index % step == 1) for index in range(layers)]

    def layer(kind: tuple[bool, bool]) -> Module:
        has_bias, is_sparse = kind
        own = t5_attention(config, causal=side == "decoder", has_bias=has_bias)
        last = _experts(config) if is_sparse else _dense(config)
        return t5_layer(config, side, {"SelfAttention": own}, {"mlp": last})

    block = stack_of([(index == 0, is_sparse) for index, is_sparse in enumerate(has_experts)], layer)
    return module(block=block, final_layer_norm=rms_norm(config.d_model)).marked(section=side)


def _dense(config: SwitchTransformersConfig) -> Module:
    return mlp(config.d_model, config.d_ff, activation=config.dense_act_fn, names=("wi", "wo"), bias=False)


def _experts(config: SwitchTransformersConfig) -> Module:
    return named_experts(
        config.d_model,
        config.d_ff,
        experts=config.num_experts,
        active=1,
        activation=config.dense_act_fn,
        bias=False,
        names=("wi", "wo"),
        router_bias=config.router_bias,
    )

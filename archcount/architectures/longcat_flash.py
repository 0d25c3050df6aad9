"""LongCat-Flash: two latent attentions and two MLPs a layer, and experts, some of them without weights, beside them."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import bias_of, embedding, gated_mlp, linear, mixture, rms_norm, routed_to
from ..config import Count, CountOrZero, Size
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, copied, module, repeat
from .deepseek_v2 import LatentKeys, latent


class LongcatFlashConfig(LatentKeys):
    vocab_size: Size = 131072
    hidden_size: Size = 6144
    num_layers: Count = 28
    num_attention_heads: Count = 64
    ffn_hidden_size: Size = 12288
    q_lora_rank: Size = 1536
    kv_lora_rank: Size = 512
    qk_nope_head_dim: Size = 128
    qk_rope_head_dim: Size = 64
    v_head_dim: Size = 128
    hidden_act: str = "silu"
    router_bias: bool = False
    moe_topk: Count = 12
    n_routed_experts: Count = 512
    zero_expert_num: CountOrZero = 256
    expert_ffn_hidden_size: Size = 2048
    num_nextn_predict_layers: CountOrZero = 0
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads", "head_dim", "qk_head_dim"})
    also_spelled: ClassVar[dict[str, str]] = {
        "num_local_experts": "n_routed_experts",
        "num_experts_per_tok": "moe_topk",
        "intermediate_size": "ffn_hidden_size",
        "moe_intermediate_size": "expert_ffn_hidden_size",
    }


@architecture("longcat_flash", config=LongcatFlashConfig)
def longcat_flash(config: LongcatFlashConfig) -> Module:
    hidden, vocab, ahead = config.hidden_size, config.vocab_size, config.num_nextn_predict_layers
    attention = latent(config)
    layer = module(
        None,
        "pre-norm",
        self_attn=repeat(2, attention),
        mlps=repeat(2, gated_mlp(hidden, config.ffn_hidden_size, activation=config.hidden_act)),
        mlp=_experts(config),
        input_layernorm=repeat(2, rms_norm(hidden)),
        post_attention_layernorm=repeat(2, rms_norm(hidden)),
    )
    model = module(
        embed_tokens=embedding(vocab, hidden),
        layers=repeat(config.num_layers, layer),
        norm=rms_norm(hidden),
        mtp=_look_ahead(config, ahead) if ahead else None,
    )
    return causal_lm(config, model, hidden=hidden, vocab=vocab, tie=config.tie_word_embeddings)


def _look_ahead(config: LongcatFlashConfig, layers: int) -> Module:
    """A plain dense layer that predicts a token further, with the model's table stored again."""
    hidden, vocab = config.hidden_size, config.vocab_size
    layer = module(
        None,
        "pre-norm",
        eh_proj=linear(2 * hidden, hidden),
        enorm=module(m=rms_norm(hidden)),
        hnorm=module(m=rms_norm(hidden)),
        input_layernorm=rms_norm(hidden),
        self_attn=latent(config),
        post_attention_layernorm=rms_norm(hidden),
        transformer_layer=module(mlp=gated_mlp(hidden, config.ffn_hidden_size, activation=config.hidden_act)),
    )
    table = copied(embedding(vocab, hidden), "model.embed_tokens")
    return module(embed_tokens=table, layers=repeat(layers, layer), norm=rms_norm(hidden)).marked(section="mtp")


def _experts(config: LongcatFlashConfig) -> Module:
    """The router chooses among `zero_expert_num` more experts than are stored: those hand their input on.

    So a token passes through moe_topk × n_routed_experts ÷ (n_routed_experts + zero_expert_num) of them on average.
    Published files hold nothing for them; Hugging Face's class makes room for their gate and up matrices.
    """
    chosen_from, active = config.n_routed_experts + config.zero_expert_num, config.moe_topk
    expert = gated_mlp(
        config.hidden_size,
        config.expert_ffn_hidden_size,
        activation=config.hidden_act,
        routed=routed_to(active, chosen_from),
    )
    scores = linear(config.hidden_size, chosen_from, bias=config.router_bias)
    return mixture(
        chosen_from,
        active,
        router=module(classifier=scores, e_score_correction_bias=bias_of(chosen_from)),
        experts=repeat(config.n_routed_experts, expert),
    )

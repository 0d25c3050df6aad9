"""Published models that are Llama by another name: InternLM, XVERSE, Aquila, Skywork, Yi, Pangu Embedded, Step 1.

Longer than most: a schema of defaults for each of seven model_types, and a rule of few lines.
"""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, gated_mlp, pre_norm_layer, rms_norm
from ..config import Count, CountOrZero, DecoderConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import decoder_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .llama import LlamaConfig
from .llama_kin import decoder


class InternLmConfig(LlamaConfig):
    vocab_size: Size = 103168
    bias: bool = True
    ignored: ClassVar[frozenset[str]] = frozenset({"num_key_value_heads"})  # its class knows no groups

    def without_groups(self) -> LlamaConfig:
        """As its class reads it: a key and a value for every query head."""
        return self.model_copy(update={"num_key_value_heads": None})


class XverseConfig(InternLmConfig):
    vocab_size: Size = 100278
    hidden_size: Size = 5120
    intermediate_size: Size = 13824
    num_hidden_layers: Count = 40
    num_attention_heads: Count = 40
    bias: bool = False
    num_experts: CountOrZero = 0


class AquilaConfig(LlamaConfig):
    vocab_size: Size = 100008


class SkyworkConfig(LlamaConfig):
    num_experts: Count | list[Count] = 1


class PanguEmbeddedConfig(LlamaConfig):
    vocab_size: Size = 153376
    intermediate_size: Size = 12800
    num_hidden_layers: Count = 34
    num_key_value_heads: Count | None = 8
    bias: bool = True


class YiConfig(LlamaConfig):
    vocab_size: Size = 64000
    num_key_value_heads: Count | None = 4


class Step1Config(DecoderConfig):
    num_key_value_heads: Count
    attention_bias: bool = False
    mlp_bias: bool = False
    hidden_act: str = "silu"
    tie_word_embeddings: bool = True
    also_spelled: ClassVar[dict[str, str]] = {"num_attention_groups": "num_key_value_heads"}


@architecture("internlm", config=InternLmConfig)
@architecture("xverse", config=XverseConfig)
def internlm(config: InternLmConfig) -> Module:
    if isinstance(config, XverseConfig) and config.num_experts:
        raise ConfigValueError(f"num_experts is {config.num_experts}: XVERSE's mixtures of experts are not known here")
    return decoder(config.without_groups(), bias=config.bias)


@architecture("aquila", config=AquilaConfig)
def aquila(config: LlamaConfig) -> Module:
    return decoder(config)


@architecture("skywork", config=SkyworkConfig)
def skywork(config: SkyworkConfig) -> Module:
    experts = config.num_experts
    if (max(experts, default=1) if isinstance(experts, list) else experts) > 1:
        raise ConfigValueError(f"num_experts is {experts}: Skywork's mixtures of experts are not known here")
    return decoder(config)


@architecture("PanguEmbedded", config=PanguEmbeddedConfig)
def pangu_embedded(config: PanguEmbeddedConfig) -> Module:
    return decoder(config, bias=config.bias)


@architecture("Yi", config=YiConfig)
def yi(config: YiConfig) -> Module:
    hidden, heads, norm = config.hidden_size, config.num_attention_heads, rms_norm(config.hidden_size)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        positions=config.rope,
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    layer = module(None, "pre-norm", self_attn=self_attn, mlp=mlp, ln1=norm, ln2=norm)
    return decoder_lm(config, repeat(config.num_hidden_layers, layer), norm)


@architecture("step1", config=Step1Config)
def step1(config: Step1Config) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=exact_div(hidden, heads),
        bias=config.attention_bias,
        positions="ALiBi",
    )
    mlp = gated_mlp(hidden, config.intermediate_size, bias=config.mlp_bias, activation=config.hidden_act)
    layers = repeat(config.num_hidden_layers, pre_norm_layer(self_attn, mlp, rms_norm(hidden)))
    return decoder_lm(config, layers, rms_norm(hidden))

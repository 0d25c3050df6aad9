"""Meta's and Mistral's params.json, which describe the consolidated files that their own code loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from pydantic import field_validator

from ..blocks import attention, embedding, gated_mlp, lm_head, rms_norm, sparse_mlp
from ..config import Count, Factor, ModelConfig, Schema, Size, looks_like_a_size
from ..dim import exact_div, round_up, truncated
from ..errors import ConfigValueError
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, module, repeat

NAMES = ("w1", "w3", "w2")  # gate, up, down


class ExpertsConfig(Schema):
    num_experts: Count
    num_experts_per_tok: Count


class ParamsConfig(ModelConfig, Rotary):
    dim: Size
    n_layers: Count
    n_heads: Count
    n_kv_heads: Count | None = None
    head_dim: Size | None = None
    hidden_dim: Size | None = None
    multiple_of: Size | None = None
    ffn_dim_multiplier: Factor | None = None
    vocab_size: Size
    sliding_window: Size | None = None
    moe: ExpertsConfig | None = None
    tied_embeddings: bool = False  # Meta's files never say, though Llama 3.2 1B and 3B tie: --set tied_embeddings=true
    also_spelled: ClassVar[dict[str, str]] = {"tie_word_embeddings": "tied_embeddings"}
    ignored: ClassVar[frozenset[str]] = frozenset({"max_batch_size", "yarn", "llama_4_scaling"})

    @field_validator("vocab_size", mode="before")
    @classmethod
    def _is_known(cls, value: object) -> object:
        if value == -1:
            mend = "give it with --set vocab_size=32000 (Llama 1 and 2; it is 128256 for Llama 3)"
            raise ValueError(f"the tokenizer knows it, params.json does not: {mend}")
        return value

    def inner_width(self) -> int:
        """`hidden_dim`; or as Meta's code derives it: two thirds of 4 × dim, times a factor, rounded up.

        Raises ConfigValueError: neither `hidden_dim` nor `multiple_of` is given.
        """
        if self.hidden_dim is not None:
            return self.hidden_dim
        if self.multiple_of is None:
            raise ConfigValueError("hidden_dim is missing (Mistral's files give it), and so is multiple_of (Meta's do)")
        inner = 2 * (4 * self.dim) // 3
        if self.ffn_dim_multiplier is not None:
            inner = truncated(self.ffn_dim_multiplier, inner, "ffn_dim_multiplier")
        return round_up(inner, self.multiple_of)

    def not_understood(self) -> Iterator[str]:
        """Keys that may add tensors and that no rule here reads: `vision_encoder`, `q_lora_rank`, `moe_args` …"""
        for key, value in self.unread().items():
            is_section = isinstance(value, dict) or key.startswith(("moe.", "vision_"))
            if value and (is_section or looks_like_a_size(key) or key == "use_biases"):
                yield key


@architecture("params.json", "transformer", config=ParamsConfig)
def params_json(config: ParamsConfig) -> Module:
    """Raises ConfigValueError: a section that later files have and that is not counted here."""
    for key in config.not_understood():
        raise ConfigValueError(f"{key} is not understood in a params.json: count the config.json beside it instead")
    dim, heads, vocab, inner = config.dim, config.n_heads, config.vocab_size, config.inner_width()
    experts = config.moe
    layer = module(
        None,
        "pre-norm",
        attention=attention(
            dim,
            heads=heads,
            kv_heads=config.n_kv_heads,
            head_dim=config.head_dim or exact_div(dim, heads),
            window=config.sliding_window,
            positions=config.rope,
            names=("wq", "wk", "wv", "wo"),
        ),
        feed_forward=gated_mlp(dim, inner, names=NAMES) if experts is None else _mixture(dim, inner, experts),
        attention_norm=rms_norm(dim),
        ffn_norm=rms_norm(dim),
    )
    return module(
        tok_embeddings=embedding(vocab, dim),
        layers=repeat(config.n_layers, layer),
        norm=rms_norm(dim),
        output=lm_head(dim, vocab, tied_to="tok_embeddings.weight" if config.tied_embeddings else None),
    )


def _mixture(dim: int, inner: int, experts: ExpertsConfig) -> Module:
    """Mixtral's: `gate`, and `experts` one by one."""
    total, active = experts.num_experts, experts.num_experts_per_tok
    return sparse_mlp(dim, inner, experts=total, active=active, expert_names=NAMES)

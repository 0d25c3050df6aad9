"""EXAONE 3 is Llama under GPT-2's names; EXAONE 4 puts its norms after, and looks through windows."""

from __future__ import annotations

from typing import ClassVar

from ..blocks import attention, embedding, gated_mlp, post_norm_layer, rms_norm
from ..config import Count, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..heads import causal_lm, decoder_lm
from ..registry import architecture
from ..schedules import FULL, SLIDING, full_every, layer_kinds, stack_of, windows
from ..tree import Module, module, repeat
from .llama import LlamaConfig


class ExaoneConfig(LlamaConfig):
    vocab_size: Size = 102400
    intermediate_size: Size = 14336
    num_key_value_heads: Count | None = 8
    also_spelled: ClassVar[dict[str, str]] = {"num_layers": "num_hidden_layers", "activation_function": "hidden_act"}


class Exaone4Config(LlamaConfig):
    vocab_size: Size = 102400
    intermediate_size: Size = 16384
    num_key_value_heads: Count | None = 32
    sliding_window: Size | None = 4096
    sliding_window_pattern: Count | str = 4
    layer_types: list[str] | None = None

    def layer_windows(self) -> list[int | None]:
        """The window of each layer."""
        pattern, layers = self.sliding_window_pattern, self.num_hidden_layers
        given = self._lettered(pattern) if isinstance(pattern, str) and not self.layer_types else self.layer_types
        derived = full_every(pattern) if isinstance(pattern, int) and self.sliding_window else lambda _: FULL
        return windows(layer_kinds(layers, given, derived), self.sliding_window)

    def _lettered(self, pattern: str) -> list[str]:
        """Local or global by the letters in turn ("LLLG"); the last layer is always global."""
        if not pattern or set(pattern) - set("LG"):
            raise ConfigValueError(f"sliding_window_pattern is {pattern!r}: should be letters L and G, or a number")
        last = self.num_hidden_layers - 1
        letters = [pattern[index % len(pattern)] for index in range(last)]
        return [SLIDING if letter == "L" else FULL for letter in letters] + [FULL]


@architecture("exaone", config=ExaoneConfig)
def exaone(config: ExaoneConfig) -> Module:
    hidden, heads = config.hidden_size, config.num_attention_heads
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=config.head_dim or exact_div(hidden, heads),
        bias=config.attention_bias,
        positions=config.rope,
        names=("q_proj", "k_proj", "v_proj", "out_proj"),
    )
    names, bias, activation = ("c_fc_0", "c_fc_1", "c_proj"), config.mlp_bias, config.hidden_act
    layer = module(
        None,
        "pre-norm",
        ln_1=rms_norm(hidden),
        attn=module(attention=self_attn),
        ln_2=rms_norm(hidden),
        mlp=gated_mlp(hidden, config.intermediate_size, bias=bias, activation=activation, names=names),
    )
    model = module(
        wte=embedding(config.vocab_size, hidden),
        h=repeat(config.num_hidden_layers, layer),
        ln_f=rms_norm(hidden),
    )
    tie = config.tie_word_embeddings
    return causal_lm(config, model, hidden=hidden, vocab=config.vocab_size, tie=tie, base="transformer", table="wte")


@architecture("exaone4", config=Exaone4Config)
def exaone4(config: Exaone4Config) -> Module:
    layers = stack_of(config.layer_windows(), lambda window: exaone4_layer(config, window))
    return decoder_lm(config, layers, rms_norm(config.hidden_size))


def exaone4_layer(config: Exaone4Config, window: int | None) -> Module:
    """A layer that sees through a window, or that sees all and knows no positions."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = config.head_dim or exact_div(hidden, heads)
    self_attn = attention(
        hidden,
        heads=heads,
        kv_heads=config.num_key_value_heads,
        head_dim=head_dim,
        query_norm=rms_norm(head_dim),
        key_norm=rms_norm(head_dim),
        window=window,
        positions=config.rope if window or config.sliding_window is None else "NoPE",
    )
    mlp = gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act)
    return post_norm_layer(self_attn, mlp, rms_norm(hidden))

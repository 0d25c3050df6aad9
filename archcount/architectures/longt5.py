"""LongT5: T5 whose encoder attends to its neighbours, and in some sizes to one global token for each block of them."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import lm_head, rms_norm
from ..config import Count
from ..encoder_heads import unknown_class
from ..marks import GLOBAL_TOKENS
from ..registry import architecture
from ..tree import Attends, Module, module, tied
from .t5 import T5Config, distances, t5_attention, t5_side, t5_table


class LongT5Config(T5Config):
    local_radius: Count = 127
    global_block_size: Count = 16
    encoder_attention_type: Literal["local", "transient-global"] = "local"
    ignored: ClassVar[frozenset[str]] = frozenset({"n_positions", "tie_word_embeddings"})


@architecture("longt5", config=LongT5Config)
def longt5(config: LongT5Config) -> Module:
    """All tables are one, and the head too, whatever the config says of ties (its file has no other)."""
    name, table = config.class_name, t5_table(config)
    has_head = not name or name.endswith("ForConditionalGeneration")
    if not has_head and not name.endswith("Model"):
        raise unknown_class(config)
    again = tied(table, "shared")
    encoder = t5_side(config, "encoder", lambda has_bias: _neighbours(config, has_bias)).prepend(embed_tokens=again)
    whole = module(shared=table, encoder=encoder)
    if name.endswith("EncoderModel"):
        return whole
    head = lm_head(config.d_model, config.vocab_size, tied_to="shared.weight") if has_head else None
    return whole.extend(decoder=t5_side(config, "decoder").prepend(embed_tokens=again), lm_head=head)


def _neighbours(config: LongT5Config, has_bias: bool) -> dict[str, Module]:
    """A token sees `local_radius` others on either side; a global one is the normed mean of a block."""
    found = t5_attention(config, causal=False, has_bias=has_bias, window=2 * config.local_radius + 1)
    if config.encoder_attention_type == "local":
        return {"LocalSelfAttention": found}
    pooled = Attends(config.num_heads, config.d_kv, config.d_kv, causal=False, every=config.global_block_size)
    whole = found.extend(
        global_relative_attention_bias=distances(config) if has_bias else None,
        global_input_layer_norm=rms_norm(config.d_model).marked(kind=GLOBAL_TOKENS, attends=pooled),
    )
    return {"TransientGlobalSelfAttention": whole}

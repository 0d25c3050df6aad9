"""CodeGen: GPT-J with query, key and value in one matrix."""

from __future__ import annotations

from ..blocks import embedding, fused_attention, layer_norm, mlp
from ..dim import exact_div
from ..heads import causal_lm
from ..registry import architecture
from ..tree import Module, module, repeat
from .gptj import GptjConfig


class CodeGenConfig(GptjConfig):
    pass


@architecture("codegen", config=CodeGenConfig)
def codegen(config: CodeGenConfig) -> Module:
    vocab, width, tie = config.vocab_size, config.n_embd, config.tie_word_embeddings
    layers = repeat(config.n_layer, codegen_layer(config))
    model = module(wte=embedding(vocab, width), h=layers, ln_f=layer_norm(width))
    return causal_lm(config, model, hidden=width, vocab=vocab, tie=tie, base="transformer", table="wte", head_bias=True)


def codegen_layer(config: CodeGenConfig) -> Module:
    """Attention and MLP side by side on one norm."""
    width, heads = config.n_embd, config.n_head
    attn = fused_attention(
        width,
        heads=heads,
        head_dim=exact_div(width, heads),
        positions="RoPE",
        names=("qkv_proj", "out_proj"),
    )
    names, activation = ("fc_in", "fc_out"), config.activation_function
    feed_forward = mlp(width, config.n_inner or 4 * width, activation=activation, names=names)
    return module(None, "parallel", ln_1=layer_norm(width), attn=attn, mlp=feed_forward)

"""CodeT5+ 2B, 6B and 16B: a small CodeGen reads, a large one writes, and only its last layer looks across."""

from __future__ import annotations

from dataclasses import replace

from ..blocks import embedding, layer_norm, linear, lm_head
from ..blocks.attention import head_layout, kv_cache
from ..config import ModelConfig, Size
from ..dim import exact_div
from ..registry import architecture
from ..tree import Attends, Module, Per, Role, Storage, Tensor, module, stack
from .codegen import CodeGenConfig, codegen_layer


class CodeT5pPart(CodeGenConfig):
    model_type: str = "codet5p_module"
    n_ctx: Size = 2048

    @property
    def mask(self) -> Tensor:
        """The causal mask that each layer's file entry holds."""
        return Tensor((1, 1, self.n_positions, self.n_positions), storage=Storage.BUFFER, dtype="BOOL")


class CodeT5pConfig(ModelConfig):
    encoder: CodeT5pPart
    decoder: CodeT5pPart


@architecture("codet5p", config=CodeT5pConfig)
def codet5p(config: CodeT5pConfig) -> Module:
    encoder, decoder = config.encoder, config.decoder
    read, write = layer(encoder, is_encoder=True), layer(decoder, is_encoder=False)
    last = write.extend(crossattention=cross_attention(decoder))
    transformer = stacked(decoder, [write] * (decoder.n_layer - 1) + [last])
    differ = encoder.n_embd != decoder.n_embd
    head = lm_head(decoder.n_embd, decoder.vocab_size, bias=True)
    return module(
        encoder=stacked(encoder, [read] * encoder.n_layer).marked(section="encoder"),
        decoder=module(transformer=transformer, lm_head=head).marked(section="decoder"),
        enc_to_dec_proj=linear(encoder.n_embd, decoder.n_embd, bias=True) if differ else None,
    )


def stacked(part: CodeT5pPart, layers: list[Module]) -> Module:
    width = part.n_embd
    return module(wte=embedding(part.vocab_size, width), h=stack(layers), ln_f=layer_norm(width))


def layer(part: CodeT5pPart, *, is_encoder: bool) -> Module:
    """CodeGen's layer, with its mask; the encoder sees every token and keeps no cache."""
    whole = codegen_layer(part)
    attn = dict(whole.children)["attn"]
    if isinstance(attn, Module) and attn.attends is not None and is_encoder:
        attn = replace(attn, cache=None, attends=replace(attn.attends, causal=False))
    return whole.replacing(attn=attn.extend(causal_mask=part.mask) if isinstance(attn, Module) else attn)


def cross_attention(part: CodeT5pPart) -> Module:
    """Query from the decoder; key and value in one matrix, from the encoder's output at the decoder's width."""
    width, heads, head_dim = part.n_embd, part.n_head, exact_div(part.n_embd, part.n_head)
    return module(
        Role.ATTENTION,
        head_layout(heads, heads),
        causal_mask=part.mask,
        qkv_proj=linear(width, 2 * width).marked(per=Per.SOURCE),
        out_proj=linear(width, width),
        q_attn=linear(width, width),
    ).marked(
        cache=kv_cache(heads, head_dim, head_dim, None, cross=True),
        attends=Attends(heads, head_dim, head_dim, causal=False, cross=True),
    )

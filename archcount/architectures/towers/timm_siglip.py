"""SigLIP's vision tower as timm names it, with the pooling head that its files hold and no language model asks."""

from __future__ import annotations

from ...blocks import convolution, fused_bidirectional_attention, layer_norm, linear, mlp, unused
from ...tree import Module, Node, Role, Tensor, Use, module, repeat
from .siglip import SiglipKeys


def timm_siglip(config: SiglipKeys, places: int, *, has_pool: bool = False) -> Module:
    """`patch_embed`, `pos_embed` [1, places, width], `blocks`, `norm` and, where `has_pool`, an unused `attn_pool`."""
    width, heads, patch = config.hidden_size, config.num_attention_heads, config.patch_size
    feed_forward = mlp(width, config.intermediate_size, activation=config.hidden_act)
    block: dict[str, Node] = {
        "norm1": layer_norm(width),
        "attn": fused_bidirectional_attention(width, heads=heads),
        "norm2": layer_norm(width),
        "mlp": feed_forward,
    }
    proj = convolution(config.num_channels, width, patch, patch)
    return module(
        patch_embed=module(Role.EMBEDDING, "patch embedding", proj=proj),
        pos_embed=Tensor((1, places, width), Use.LOOKUP),
        blocks=repeat(config.num_hidden_layers, module(None, "pre-norm", **block)),
        norm=layer_norm(width),
        attn_pool=unused(_pool(width, feed_forward)) if has_pool else None,
    ).marked(section="vision")


def _pool(width: int, feed_forward: Module) -> Module:
    """One learned query, `latent`, that attends to every patch."""
    square = linear(width, width, bias=True)
    return module(
        latent=Tensor((1, 1, width)),
        q=square,
        kv=linear(width, 2 * width, bias=True),
        proj=square,
        norm=layer_norm(width),
        mlp=feed_forward,
    )

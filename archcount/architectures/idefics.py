"""IDEFICS (Flamingo, Alayrac et al. 2022): Llama's layers, and before some a gated layer that reads the image."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..blocks import attention, embedding, gated_mlp, lm_head, pre_norm_layer, rms_norm
from ..config import Count, DecoderConfig, Schema, Size, SizeOrZero
from ..dim import exact_div
from ..encoder_heads import unknown_class
from ..positions import Rotary
from ..registry import architecture
from ..tree import Module, Tensor, Use, module, repeat
from .towers.clip import ClipVisionConfig, clip_vision
from .towers.perceiver import PerceiverConfig, perceiver

VISION_KEYS = (
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_channels",
    "image_size",
    "patch_size",
)


class IdeficsVisionConfig(Schema):
    model_type: str = "idefics_vision"
    embed_dim: Size = 768
    intermediate_size: Size = 5120
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 16
    num_channels: Size = 3
    image_size: Size = 224
    patch_size: Size = 14
    hidden_act: str = "gelu"
    also_spelled: ClassVar[dict[str, str]] = {"hidden_size": "embed_dim"}


class IdeficsConfig(DecoderConfig, Rotary):
    vocab_size: Size = 32000
    additional_vocab_size: SizeOrZero = 0
    hidden_size: Size = 4096
    intermediate_size: Size = 11008
    num_hidden_layers: Count = 32
    num_attention_heads: Count = 32
    hidden_act: str = "silu"
    cross_layer_interval: Count = 1
    qk_layer_norms: bool = False
    alpha_type: Literal["float", "vector"] = "float"
    use_resampler: bool = False
    vision_config: IdeficsVisionConfig = IdeficsVisionConfig()
    perceiver_config: PerceiverConfig = PerceiverConfig()


@architecture("idefics", config=IdeficsConfig)
def idefics(config: IdeficsConfig) -> Module:
    hidden, vocab, added = config.hidden_size, config.vocab_size, config.additional_vocab_size
    vision, name = config.vision_config, config.class_name
    sizes = {"hidden_size": vision.embed_dim, **{key: getattr(vision, key) for key in VISION_KEYS}}
    eyes = ClipVisionConfig().model_copy(update={**sizes, "hidden_act": vision.hidden_act})
    model = module(
        embed_tokens=embedding(vocab, hidden).extend(additional_embedding=embedding(added, hidden) if added else None),
        vision_model=clip_vision(eyes),
        perceiver_resampler=perceiver(config.perceiver_config, vision.embed_dim) if config.use_resampler else None,
        layers=repeat(config.num_hidden_layers, _layer(config)),
        gated_cross_attn_layers=repeat(config.num_hidden_layers // config.cross_layer_interval, _reading_layer(config)),
        norm=rms_norm(hidden),
    )
    if name.endswith("Model"):
        return model
    if name and not name.endswith("ForVisionText2Text"):
        raise unknown_class(config)
    table = "model.embed_tokens" if config.tie_word_embeddings else None
    head = lm_head(hidden, vocab, tied_to=table and f"{table}.weight")
    more = lm_head(hidden, added, tied_to=table and f"{table}.additional_embedding.weight") if added else None
    return module(model=model, lm_head=head.extend(additional_fc=more))


def _layer(config: IdeficsConfig, source_width: int | None = None) -> Module:
    """Llama's layer, attending to an image of `source_width` where that is given."""
    hidden, heads = config.hidden_size, config.num_attention_heads
    head_dim = exact_div(hidden, heads)
    head_norm = rms_norm(head_dim) if config.qk_layer_norms and source_width is not None else None
    attend = attention(
        hidden,
        heads=heads,
        head_dim=head_dim,
        query_norm=head_norm,
        key_norm=head_norm,
        source_width=source_width,
        positions=None if source_width is not None else config.rope,
        norm_names=("q_layer_norm", "k_layer_norm"),
    )
    return pre_norm_layer(
        attend, gated_mlp(hidden, config.intermediate_size, activation=config.hidden_act), rms_norm(hidden)
    )


def _reading_layer(config: IdeficsConfig) -> Module:
    """The same across to the image, with a learned gate on what attention and what the MLP adds."""
    layer = _layer(config, config.vision_config.embed_dim)
    gate = Tensor((1,) if config.alpha_type == "float" else (1, 1, config.hidden_size), Use.SCALE)
    reading = dict(layer.children)["self_attn"]
    gates = {"cross_attn": reading, "alpha_cross_attn": gate, "alpha_dense": gate}
    return layer.replacing(self_attn=None).extend(**gates)

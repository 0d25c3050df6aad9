"""MiniCPM-V 2 to 4.5: a SigLIP, a resampler with one layer of attention, and the language model its version had."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ..blocks import layer_norm, linear, torch_attention
from ..config import Count, ModelConfig, Size
from ..dim import exact_div
from ..errors import ConfigValueError
from ..faults import shown
from ..flat import FlatTextConfig
from ..nested import built, nested, size_of
from ..registry import architecture
from ..tree import Module, Tensor, Use, module, relocated
from .towers.siglip import SiglipKeys, siglip_tower
from .towers.timm_siglip import timm_siglip

LANGUAGE_MODELS = {2.0: "minicpm", 2.5: "llama", 2.6: "qwen2", 4.0: "llama", 4.5: "qwen3"}
HEAD_DIM = 128  # of the resampler
TIMM_SO400M = "vit_so400m_patch14_siglip_384.webli"


class MiniCpmVVisionConfig(SiglipKeys):
    """SigLIP-SO400M: its sizes are the defaults of the class."""

    model_type: str = "siglip"
    hidden_size: Size = 1152
    intermediate_size: Size = 4304
    num_hidden_layers: Count = 27
    num_attention_heads: Count = 16
    patch_size: Size = 14
    image_size: Size = 980


class MiniCpmVConfig(FlatTextConfig):
    text_config: ModelConfig = nested("qwen2")
    vision_config: MiniCpmVVisionConfig = MiniCpmVVisionConfig()
    version: float | None = None
    vision_encoder: str | None = None
    drop_vision_last_layer: bool = True
    query_num: Size = 64
    use_gene_module: bool = False
    tie_word_embeddings: bool = False
    ignored: ClassVar[frozenset[str]] = frozenset({"image_size", "patch_size"})  # how images are cut

    @classmethod
    def text_type(cls, raw: Mapping[str, object]) -> str | None:
        """As `version` says; 2.0 says none, and names a `vision_encoder`; 2.5 says none either.

        Raises ConfigValueError: another version.
        """
        version = raw.get("version") or (2.0 if raw.get("vision_encoder") else 2.5)
        found = next((text for known, text in LANGUAGE_MODELS.items() if version in (known, str(known))), None)
        if found is None:
            raise ConfigValueError(
                f"version is {shown(version)}: should be one of {', '.join(map(str, LANGUAGE_MODELS))}"
            )
        return found


@architecture("minicpmv", config=MiniCpmVConfig)
def minicpmv(config: MiniCpmVConfig) -> Module:
    if config.use_gene_module:
        raise ConfigValueError("use_gene_module is true: what reads genes is not MiniCPM-V's, and not known here")
    text = config.text_config
    is_first = config.vision_encoder is not None
    if is_first and config.vision_encoder != TIMM_SO400M:
        raise ConfigValueError(f"vision_encoder is {config.vision_encoder!r}: only {TIMM_SO400M} is known")
    vision, hidden = config.vision_config, size_of(text, "hidden_size")
    if config.drop_vision_last_layer:
        vision = vision.model_copy(update={"num_hidden_layers": vision.num_hidden_layers - 1})
    side = vision.image_size // vision.patch_size
    return module(
        llm=relocated(built(text, tie_word_embeddings=config.tie_word_embeddings), "", "llm."),
        vpm=timm_siglip(vision, 27 * 27) if is_first else siglip_tower(vision, side * side),
        resampler=_resampler(config.query_num, vision.hidden_size, hidden, has_table=is_first),
    )


def _resampler(queries: int, inputs: int, width: int, *, has_table: bool) -> Module:
    """Learned queries that read the image once; version 2.0 stores its computed positions."""
    norm = layer_norm(width)
    return module(
        query=Tensor((queries, width)),
        pos_embed=Tensor((queries, width)) if has_table else None,
        kv_proj=linear(inputs, width),
        attn=torch_attention(width, heads=exact_div(width, HEAD_DIM)),
        ln_q=norm,
        ln_kv=norm,
        ln_post=norm,
        proj=Tensor((width, width), Use.MATMUL),
    ).marked(section="projector")

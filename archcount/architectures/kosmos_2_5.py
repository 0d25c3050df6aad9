"""KOSMOS-2.5: Pix2Struct's tower in place of CLIP's, and a table that tells image from text."""

from __future__ import annotations

from ..blocks import embedding
from ..config import Count, Schema, Size
from ..registry import architecture
from ..tree import Module
from .kosmos_2 import Kosmos2TextConfig, KosmosConfig, kosmos
from .towers.pix2struct import pix2struct_vision


class Kosmos25TextConfig(Kosmos2TextConfig):
    model_type: str = "kosmos_2_5_text_model"
    vocab_size: Size = 108481
    embed_dim: Size = 1536
    ffn_dim: Size = 6144
    attention_heads: Count = 16


class Kosmos25VisionConfig(Schema):
    model_type: str = "kosmos_2_5_vision_model"
    hidden_size: Size = 1536
    patch_embed_hidden_size: Size = 768
    intermediate_size: Size = 3968
    head_dim: Size = 64
    num_hidden_layers: Count = 18
    num_attention_heads: Count = 24
    max_num_patches: Size = 4096
    dense_act_fn: str = "gelu_new"


class Kosmos25Config(KosmosConfig):
    text_config: Kosmos25TextConfig = Kosmos25TextConfig()
    vision_config: Kosmos25VisionConfig = Kosmos25VisionConfig()
    latent_query_num: Size = 2048


@architecture("kosmos-2.5", config=Kosmos25Config)
def kosmos_2_5(config: Kosmos25Config) -> Module:
    vision = config.vision_config
    eyes = pix2struct_vision(
        vision.hidden_size,
        vision.intermediate_size,
        layers=vision.num_hidden_layers,
        heads=vision.num_attention_heads,
        head_dim=vision.head_dim,
        patch_values=vision.patch_embed_hidden_size,
        places=vision.max_num_patches,
        activation=vision.dense_act_fn,
    )
    segments = embedding(2, config.text_config.embed_dim)  # of the image, of the text
    tie = config.text_config.tie_word_embeddings
    return kosmos(config, eyes, vision.hidden_size, tie=tie, segment_emb=segments)

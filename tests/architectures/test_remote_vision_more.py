"""More published models that see and whose code lives in their repository: totals, names, what the files hold beside.

No figure was fetched from the Hub. "index": the `total_size` of a repository's index, met to the byte once the tables
of rotary frequencies are added that old files hold as well. "page": the count rounds to what the model's page or paper
says, as recalled. Where neither is said, the figure is what the authors' code and config come to.
"""

import pytest

import archcount
from archcount.errors import ConfigValueError

Config = dict[str, object]


def decoder(*sizes: int) -> Config:
    width, inner, layers, heads, vocab = sizes
    return {
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "vocab_size": vocab,
    }


def aligner(inputs: int, width: int, kind: str = "mlp_gelu") -> Config:
    return {"params": {"depth": 2, "input_dim": inputs, "n_embed": width, "projector_type": kind}}


def siglip(layers: int = -1) -> Config:
    return {"model_name": "siglip_large_patch16_384", "image_size": 384, "select_layer": layers}


def janus(width: int, inner: int, layers: int, heads: int) -> Config:
    return {
        "model_type": "multi_modality",
        "architectures": ["MultiModalityCausalLM"],
        "language_config": {"model_type": "llama", **decoder(width, inner, layers, heads, 102400)},
        "vision_config": {"cls": "CLIPVisionTower", "params": siglip()},
        "aligner_config": aligner(1024, width),
        "gen_vision_config": {"cls": "VQ-16", "params": {"image_token_size": 16384, "n_embed": 8}},
        "gen_aligner_config": aligner(8, width),
        "gen_head_config": {"params": {"image_token_size": 16384, "image_token_embed": width, "n_embed": width}},
    }


def deepseek_vl2(width: int, language: Config) -> Config:
    return {
        "model_type": "deepseek_vl_v2",
        "language_config": {"first_k_dense_replace": 1, "hidden_size": width, "n_shared_experts": 2, **language},
        "projector_config": {"n_embed": width},
        "vision_config": {"layers": 27, "mlp_ratio": 3.7362, "patch_size": 14, "width": 1152},
    }


def florence(width: int, layers: int, embed: list[int]) -> Config:
    heads = [each // 32 for each in embed]
    return {
        "model_type": "florence2",
        "architectures": ["Florence2ForConditionalGeneration"],
        "text_config": {
            "model_type": "florence2_language",
            "d_model": width,
            "encoder_layers": layers,
            "decoder_layers": layers,
            "encoder_ffn_dim": 4 * width,
            "decoder_ffn_dim": 4 * width,
            "max_position_embeddings": 4096 if width == 1024 else 1024,
        },
        "vision_config": {
            "model_type": "davit",
            "dim_embed": embed,
            "num_heads": heads,
            "num_groups": heads,
            "projection_dim": width,
        },
    }


JANUS_PRO_7B, JANUS_PRO_1B = janus(4096, 11008, 30, 32), janus(2048, 5632, 24, 16)
DRAWS = ("gen_vision_config", "gen_aligner_config", "gen_head_config")
DEEPSEEK_VL_7B: Config = {
    **{key: value for key, value in JANUS_PRO_7B.items() if key not in DRAWS},
    "vision_config": {
        "cls": "HybridVisionTower",
        "params": {
            "high_res_cfg": {"model_name": "sam_b_downsample", "image_size": 1024},
            "low_res_cfg": siglip(),
        },
    },
    "aligner_config": aligner(1024, 4096, "low_high_hybrid_split_mlp_gelu"),
}
EXPERTS: Config = {"n_routed_experts": 64, "num_experts_per_tok": 6, "kv_lora_rank": 512, "q_lora_rank": None}
VL2_TINY = deepseek_vl2(1280, {"use_mla": False})
VL2_SMALL = deepseek_vl2(
    2048,
    {
        **decoder(2048, 10944, 27, 16, 102400),
        **EXPERTS,
        "moe_intermediate_size": 1408,
    },
)
VL2 = deepseek_vl2(
    2560,
    {
        **decoder(2560, 12288, 30, 32, 129280),
        **EXPERTS,
        "moe_intermediate_size": 1536,
        "n_routed_experts": 72,
        "topk_method": "noaux_tc",
    },
)
VISUALGLM: Config = {
    "model_type": "chatglm",
    "hidden_size": 4096,
    "inner_hidden_size": 16384,
    "torch_dtype": "float16",
    "eva_config": {
        "num_layers": 39,
        "hidden_size": 1408,
        "inner_hidden_size": 6144,
        "num_attention_heads": 16,
        "vocab_size": 1,
        "max_sequence_length": 257,
        "use_final_layernorm": False,
        "image_size": [224, 224],
        "patch_size": 14,
    },
    "qformer_config": {
        "num_layers": 12,
        "hidden_size": 768,
        "num_attention_heads": 12,
        "vocab_size": 32,
        "is_decoder": [True, False] * 6,
        "cross_attn_hidden_size": 1408,
    },
}
LISA: Config = {
    "model_type": "llava",
    "architectures": ["LISAForCausalLM"],
    "torch_dtype": "bfloat16",
    **decoder(4096, 11008, 32, 32, 32004),
    "mm_hidden_size": 1024,
}
INFIMM: Config = {
    "model_type": "infimm-zephyr",
    "visual": {
        "image_size": 336,
        "layers": 24,
        "width": 1024,
        "patch_size": 14,
        "mlp_ratio": 2.6667,
        "embed_dim": 768,
        "rope": True,
        "naiveswiglu": True,
        "subln": True,
    },
    "language": {"model_type": "mistral", "vocab_size": 32002},
}
GOT: Config = {"model_type": "GOT", **decoder(1024, 2816, 24, 16, 151860), "num_key_value_heads": 16}
STEP_10B: Config = {
    "model_type": "step_robotics",
    "architectures": ["StepVLForConditionalGeneration"],
    "text_config": {"model_type": "qwen3", **decoder(4096, 12288, 36, 32, 151936), "num_key_value_heads": 8},
    "vision_config": {"width": 1536, "layers": 47, "heads": 16},
}
STEP_3: Config = {"model_type": "step3_vl", "vision_config": {"intermediate_size": 15360}}
FLORENCE_LARGE = florence(1024, 12, [256, 512, 1024, 2048])


@pytest.mark.parametrize(
    ("config", "parameters", "stored"),
    [
        (JANUS_PRO_7B, 7_407_773_323, 7_420_434_059),  # page: 7.42B
        (JANUS_PRO_1B, 2_076_636_811, 2_089_297_547),  # page: 2.09B
        (DEEPSEEK_VL_7B, 7_331_394_817, 7_343_990_017),  # page: 7.34B
        (VL2_TINY, 3_355_263_088, 3_370_501_440),  # page: 3.37B
        (VL2_SMALL, 16_133_111_152, 16_148_349_504),  # page: 16.1B
        (VL2, 27_464_895_896, 27_480_134_248),  # page: 27.5B
        (VISUALGLM, 7_267_550_720, 7_802_193_408),
        (LISA, 7_401_567_536, 7_401_567_792),
        (INFIMM, 9_840_832_224, 9_840_905_952),  # its file is 380,918 bytes longer than that at two each
        ({"model_type": "xgenmm"}, 4_359_257_219, 4_359_257_219),  # page: 4.36B, of 1.5
        (GOT, 560_528_640, 716_033_280),  # page: 716M; paper: 580M
        (STEP_3, 320_969_920_000, 320_969_920_000),  # page: 321B
        (STEP_10B, 10_171_750_144, 10_171_750_144),  # page: 10B
        (FLORENCE_LARGE, 776_465_408, 776_721_497),  # page: 0.77B
    ],
)
def test_totals_and_what_is_stored_beside(config: Config, parameters: int, stored: int) -> None:
    totals = archcount.load(config).totals
    assert (totals.parameters, totals.stored) == (parameters, stored)


@pytest.mark.parametrize(
    ("config", "index", "layers", "frequencies"),
    [(VISUALGLM, 17_793_851_136, 28, 32 * 2), (LISA, 16_120_985_792, 32, 64 * 4)],
)
def test_parts_kept_in_full_precision(config: Config, index: int, layers: int, frequencies: int) -> None:
    assert archcount.load(config).stored_bytes == index - layers * frequencies


@pytest.mark.parametrize(
    ("config", "shapes"),
    [
        (
            JANUS_PRO_7B,
            {
                "vision_model.vision_tower.attn_pool.kv.weight": (2048, 1024),
                "gen_vision_model.encoder.conv_blocks.4.res.1.conv2.weight": (512, 512, 3, 3),
                "gen_vision_model.decoder.mid.1.proj_out.weight": (512, 512, 1, 1),
                "gen_vision_model.quantize.codebook_used": (65536,),
                "gen_head.output_mlp_projector.weight": (4096, 4096),
                "aligner.layers.2.weight": (4096, 4096),
            },
        ),
        (
            DEEPSEEK_VL_7B,
            {
                "vision_model.vision_tower_high.vision_tower.downsamples.1.weight": (1024, 512, 3, 3),
                "vision_model.vision_tower_high.vision_tower.hd_alpha_downsamples": (1,),
                "aligner.high_up_proj.weight": (2048, 1024),
                "aligner.layers.1.weight": (4096, 4096),
            },
        ),
        (
            VL2,
            {
                "language.model.layers.1.mlp.gate.e_score_correction_bias": (72,),
                "projector.layers.0.weight": (2560, 4608),
                "vision.attn_pool.latent": (1, 1, 1152),
            },
        ),
        (
            VISUALGLM,
            {
                "image_encoder.qformer.transformer.layers.10.cross_attention.key_value.weight": (1536, 1408),
                "image_encoder.vit.transformer.position_embeddings.weight": (257, 1408),
            },
        ),
        (
            LISA,
            {
                "model.text_hidden_fcs.0.2.weight": (256, 4096),
                "model.visual_model.image_encoder.blocks.31.attn.rel_pos_h": (127, 80),
                "model.visual_model.mask_decoder.output_upscaling.0.weight": (256, 64, 2, 2),
                "model.visual_model.mask_decoder.transformer.final_attn_token_to_image.q_proj.weight": (128, 256),
            },
        ),
        (
            STEP_3,
            {
                "model.layers.0.self_attn.wq.weight": (16384, 2048),
                "model.layers.4.moe.gate_proj.weight": (48, 5120, 7168),
                "vision_model.transformer.layers.62.self_attn.qkv_proj.weight": (5376, 1792),
                "vit_large_projector.weight": (7168, 8192),
            },
        ),
        (
            FLORENCE_LARGE,
            {
                "image_projection": (2048, 1024),
                "vision_tower.blocks.2.8.channel_block.ffn.fn.net.fc1.weight": (4096, 1024),
                "vision_tower.blocks.0.0.spatial_block.conv1.fn.dw.weight": (256, 1, 3, 3),
                "language_model.model.shared.weight": (51289, 1024),
            },
        ),
        (GOT, {"model.vision_tower_high.neck.2.weight": (256, 256, 3, 3), "lm_head.weight": (151860, 1024)}),
    ],
)
def test_names_and_shapes(config: Config, shapes: dict[str, tuple[int, ...]]) -> None:
    found = {tensor.name: tuple(tensor.shape) for tensor in archcount.load(config).tensors()}
    assert {name: found.get(name) for name in shapes} == shapes


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "multi_modality"}, "vision_config is missing"),
        ({**JANUS_PRO_1B, "vision_config": {"cls": "other", "params": siglip()}}, "vision_config.cls is 'other'"),
        ({**JANUS_PRO_1B, "aligner_config": aligner(1024, 2048, "identity")}, "projector_type is 'identity'"),
        ({**VL2_TINY, "tile_tag": "1D"}, "tile_tag is '1D'"),
        ({**VISUALGLM, "qformer_config": None}, "VisualGLM has both"),
        ({"model_type": "xgenmm", "vision_encoder_config": {"model_name": "a"}}, "only google/siglip-so400m"),
        ({**STEP_10B, "vision_config": {"use_ln_post": True}}, "use_cls_token and use_ln_post should be false"),
    ],
)
def test_what_is_not_known_is_refused(config: Config, message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load(config)

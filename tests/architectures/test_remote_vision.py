"""Published models that see and whose code lives in their repository: totals, names, and what is refused.

A figure with bytes beside it is the repository's index (`total_size` ÷ 2, all of it bfloat16). The others are as the
Hub's pages give them, recalled, not fetched; of DeepSeek-OCR a report on its quantized copy says 3,336,106,240 too.
"""

import pytest

import archcount
from archcount.errors import ConfigValueError

Config = dict[str, object]

EVA_E: Config = {
    "hidden_size": 1792,
    "intermediate_size": 15360,
    "num_hidden_layers": 63,
    "num_heads": 16,
    "num_positions": 1226,
    "patch_size": 14,
    "in_channels": 3,
}
COGVLM: Config = {"model_type": "cogvlm", "architectures": ["CogVLMForCausalLM"], "vision_config": EVA_E}
INTERNVIT_300M: Config = {
    "model_type": "intern_vit_6b",
    "hidden_size": 1024,
    "intermediate_size": 4096,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "image_size": 448,
    "qk_normalization": False,
    "qkv_bias": True,
    "norm_type": "layer_norm",
}
INTERNVIT_6B: Config = {
    **INTERNVIT_300M,
    "hidden_size": 3200,
    "intermediate_size": 12800,
    "num_hidden_layers": 45,
    "num_attention_heads": 25,
    "qk_normalization": True,
    "qkv_bias": False,
    "norm_type": "rms_norm",
}


def decoder(*sizes: int) -> Config:
    width, inner, layers, heads, kv_heads, vocab = sizes
    return {
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "vocab_size": vocab,
    }


def internvl(model_type: str, sizes: Config, eyes: Config = INTERNVIT_300M) -> Config:
    llm = {"model_type": model_type, "bias": False, **sizes}
    return {
        "model_type": "internvl_chat",
        "architectures": ["InternVLChatModel"],
        "llm_config": llm,
        "vision_config": eyes,
    }


QWEN2_7B = decoder(3584, 18944, 28, 28, 4, 152064)
MINICPM_V_2: Config = {
    "model_type": "minicpmv",
    "architectures": ["MiniCPMV"],
    **decoder(2304, 5760, 40, 36, 36, 122753),
    "drop_vision_last_layer": True,
    "vision_encoder": "vit_so400m_patch14_siglip_384.webli",
}
MINICPM_V_2_6: Config = {
    "model_type": "minicpmv",
    "architectures": ["MiniCPMV"],
    "version": 2.6,
    **decoder(3584, 18944, 28, 28, 4, 151666),
    "drop_vision_last_layer": False,
    "vision_config": {"hidden_size": 1152, "image_size": 980, "intermediate_size": 4304, "num_attention_heads": 16},
}
PHI_3_V: Config = {
    "model_type": "phi3_v",
    "architectures": ["Phi3VForCausalLM"],
    **decoder(3072, 8192, 32, 32, 32, 32064),
    "embd_layer": {"projection_cls": "mlp", "use_hd_transform": True, "with_learnable_separator": True},
    "img_processor": {"name": "clip_vision_model", "model_name": "openai/clip-vit-large-patch14-336"},
}
LLAVA: Config = {
    "model_type": "llava",
    "architectures": ["LlavaLlamaForCausalLM"],
    **decoder(4096, 11008, 32, 32, 32, 32000),
    "mm_hidden_size": 1024,
    "mm_projector_type": "mlp2x_gelu",
    "mm_vision_tower": "openai/clip-vit-large-patch14-336",
}
LLAVA_ONEVISION: Config = {
    "model_type": "llava",
    "architectures": ["LlavaQwenForCausalLM"],
    **QWEN2_7B,
    "mm_hidden_size": 1152,
    "mm_projector_type": "mlp2x_gelu",
    "mm_vision_tower": "google/siglip-so400m-patch14-384",
    "mm_patch_merge_type": "spatial_unpad",
    "unfreeze_mm_vision_tower": True,
}
VIDEO_LLAMA: Config = {
    "model_type": "videollama3_qwen2",
    "architectures": ["Videollama3Qwen2ForCausalLM"],
    **QWEN2_7B,
    "mm_projector_type": "mlp2x_gelu",
    "vision_encoder_config": {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_attention_heads": 16,
        "num_hidden_layers": 27,
        "patch_size": 14,
    },
}
OCR: Config = {
    "model_type": "deepseek_vl_v2",
    "architectures": ["DeepseekOCRForCausalLM"],
    "language_config": {"use_mla": False},
    "projector_config": {"input_dim": 2048, "n_embed": 1280, "projector_type": "linear"},
}
OCR_2: Config = {
    **OCR,
    "architectures": ["DeepseekOCR2ForCausalLM"],
    "projector_config": {"input_dim": 896, "n_embed": 1280, "projector_type": "linear"},
}
LOCATE: Config = {
    "model_type": "locateanything",
    "text_config": {"model_type": "qwen2", "tie_word_embeddings": True, **decoder(2048, 11008, 36, 16, 2, 152681)},
    "vision_config": {"model_type": "moonvit"},
}


@pytest.mark.parametrize(
    ("config", "parameters"),
    [
        (internvl("qwen2", decoder(896, 4864, 24, 14, 2, 151655)), 938_158_976),  # InternVL2-1B
        (internvl("internlm2", decoder(2048, 8192, 24, 16, 8, 92553)), 2_205_754_368),  # InternVL2-2B
        (internvl("internlm2", decoder(4096, 14336, 32, 32, 8, 92553)), 8_075_365_376),  # InternVL2-8B
        (internvl("internlm2", decoder(6144, 16384, 48, 48, 8, 92553), INTERNVIT_6B), 25_514_186_112),  # InternVL2-26B
        (internvl("qwen2", decoder(3584, 18944, 28, 28, 4, 151674)), 7_944_373_760),  # InternVL3-8B
        (internvl("phi3", decoder(3072, 8192, 32, 32, 32, 32020)), 4_146_855_936),  # InternVL2-4B
        (internvl("llama", decoder(7168, 20480, 60, 56, 8, 64587), INTERNVIT_6B), 40_076_999_040),  # InternVL2-40B
        (internvl("llama", decoder(8192, 28672, 80, 64, 8, 128265), INTERNVIT_6B), 76_262_358_400),  # …-Llama3-76B
        (internvl("qwen3", {**decoder(4096, 12288, 36, 32, 8, 151936), "head_dim": 128}), 8_528_318_464),  # 3.5-8B
        (MINICPM_V_2, 3_434_965_792),  # MiniCPM-V-2: 6,869,931,584 bytes
        (MINICPM_V_2_6, 8_099_175_152),  # MiniCPM-V-2_6: 16,198,350,304 bytes
        (PHI_3_V, 4_146_621_440),  # Phi-3-vision-128k-instruct, Phi-3.5-vision-instruct
        (LLAVA_ONEVISION, 8_030_348_832),  # llava-onevision-qwen2-7b-ov
        (VIDEO_LLAMA, 8_044_744_944),  # 16,089,489,888 bytes
        ({"model_type": "moondream2"}, 1_927_237_104),  # moondream2
        ({"model_type": "moondream3"}, 9_268_622_832),  # moondream3-preview: 18,537,245,664 bytes
        (COGVLM, 17_639_685_376),  # cogvlm-chat-hf
    ],
)
def test_published_totals(config: Config, parameters: int) -> None:
    assert archcount.load(config).totals.parameters == parameters


def test_a_tied_head_that_the_file_stores_and_a_part_that_nothing_reads() -> None:
    locate, ocr = archcount.load(LOCATE), archcount.load(OCR)
    assert locate.totals.parameters == 3_517_975_280
    assert locate.totals.parameters + 152_681 * 2048 == 7_661_331_936 // 2  # the file stores the tied head again
    assert ocr.totals.stored == 6_672_212_480 // 2
    assert ocr.totals.parameters == 6_672_212_480 // 2 - 1024 * 3 * 14 * 14  # CLIP's patch embedding


@pytest.mark.parametrize(
    ("config", "shapes"),
    [
        (
            MINICPM_V_2,
            {
                "llm.model.layers.39.mlp.down_proj.weight": (2304, 5760),
                "vpm.blocks.25.attn.qkv.weight": (3456, 1152),
                "vpm.pos_embed": (1, 729, 1152),
                "resampler.attn.in_proj_weight": (6912, 2304),
                "resampler.kv_proj.weight": (2304, 1152),
                "resampler.pos_embed": (64, 2304),
            },
        ),
        (MINICPM_V_2_6, {"vpm.embeddings.position_embedding.weight": (4900, 1152), "resampler.query": (64, 3584)}),
        (
            OCR_2,
            {
                "model.sam_model.net_3.weight": (896, 512, 3, 3),
                "model.qwen2_model.model.model.layers.23.self_attn.k_proj.bias": (128,),
                "model.qwen2_model.query_768.weight": (144, 896),
                "model.projector.layers.weight": (1280, 896),
                "model.layers.1.mlp.shared_experts.up_proj.weight": (1792, 1280),
            },
        ),
        (
            {"model_type": "moondream3"},
            {
                "model.text.wte": (51200, 2048),
                "model.text.blocks.3.mlp.fc1.weight": (8192, 2048),
                "model.text.blocks.4.mlp.fc1.weight": (64, 2048, 2048),
                "model.text.blocks.4.attn.tau.wq": (32, 6144),
                "model.vision.proj_mlp.fc1.weight": (8192, 2304),
                "model.region.size_features": (2, 256),
            },
        ),
        (
            COGVLM,
            {
                "model.layers.0.self_attn.vision_expert_query_key_value.weight": (12288, 4096),
                "model.layers.0.mlp.language_mlp.gate_proj.weight": (11008, 4096),
                "model.vision.linear_proj.linear_proj.weight": (4096, 1792),
                "model.vision.transformer.layers.62.attention.query_key_value.bias": (5376,),
            },
        ),
        (LOCATE, {"mlp1.1.weight": (2048, 4608), "vision_model.encoder.blocks.26.wqkv.weight": (3456, 1152)}),
    ],
)
def test_names_and_shapes(config: Config, shapes: dict[str, tuple[int, ...]]) -> None:
    found = {tensor.name: tuple(tensor.shape) for tensor in archcount.load(config).tensors()}
    assert {name: found.get(name) for name in shapes} == shapes


def test_llava_before_1_6_does_not_store_its_tower() -> None:
    model = archcount.load(LLAVA)
    names = [tensor.name for tensor in model.tensors()]
    assert names[:4] == [f"model.mm_projector.{place}" for place in ("0.weight", "0.bias", "2.weight", "2.bias")]
    assert not any("vision_tower" in name for name in names)
    assert model.note == "counted by llava_llama's rule, after its class LlavaLlamaForCausalLM: its model_type is llava"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"model_type": "moondream1", "config": {}}, "count it with --as moondream2 or --as moondream3"),
        ({**MINICPM_V_2_6, "version": 3.7}, "version is 3.7: should be one of 2.0, 2.5, 2.6, 4.0, 4.5"),
        ({**MINICPM_V_2_6, "use_gene_module": True}, "use_gene_module is true"),
        ({**MINICPM_V_2, "vision_encoder": "another"}, "vision_encoder is 'another'"),
        ({**PHI_3_V, "embd_layer": {"projection_cls": "linear"}}, "embd_layer: should be an mlp"),
        ({**LLAVA, "mm_projector_type": "resampler"}, "mm_projector_type is 'resampler': should be linear or mlp2x"),
        ({**LLAVA_ONEVISION, "mm_vision_tower": "a/b"}, "mm_vision_tower is 'a/b': should be one of openai/clip"),
        ({**OCR, "architectures": ["DeepseekOCR3ForCausalLM"]}, "DeepseekOCR3ForCausalLM"),
        (
            {**VIDEO_LLAMA, "vision_encoder_config": None},
            "vision_encoder_config is missing, and its model_type has no default",
        ),
        ({**internvl("qwen2", QWEN2_7B), "downsample_ratio": 0.0}, "downsample_ratio is 0.0"),
    ],
)
def test_what_is_not_known_is_refused(config: Config, message: str) -> None:
    with pytest.raises(ConfigValueError, match=message):
        archcount.load(config)


def test_moondream_1_is_counted_as_the_one_it_is_said_to_be() -> None:
    assert archcount.load({"model_type": "moondream1"}, as_type="moondream2").totals.parameters == 1_927_237_104

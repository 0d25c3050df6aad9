"""Record what the reference implementation makes of images: tokens by its processors, FLOPs of its towers.

Run with an interpreter that has torch, torchvision and transformers: `python tests/record_images.py`. Writes
recorded_images/tokens.json and recorded_images/flops.json.
"""

import importlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode

OUT = Path(__file__).parent / "recorded_images"
SIZES = (
    (768, 1024), (1024, 768), (336, 336), (224, 224), (480, 640), (1080, 1920), (1920, 1080), (37, 211), (3000, 2000),
    (300, 2000), (1000, 1000), (512, 1536), (28, 28),
)  # fmt: skip
SIGLIP = {"hidden_size": 1152, "num_attention_heads": 16, "patch_size": 14, "image_size": 364}
BY_PROCESSOR: dict[str, tuple[str, str, dict[str, Any]]] = {
    "qwen2_vl": ("qwen2_vl", "Qwen2VL", {}),
    "glm4v": ("glm4v", "Glm4v", {}),
    "minimax_m3_vl": ("minimax_m3_vl", "MiniMaxM3VL", {}),
    "kimi_k25": ("kimi_k25", "Kimi_K25", {}),
    "gemma4": ("gemma4", "Gemma4", {}),
    "cohere2_vision": ("cohere2_vision", "Cohere2Vision", {"patch_size": 16}),
    "llava": ("llava", "Llava", {
        "patch_size": 14, "num_additional_image_tokens": 1, "vision_feature_select_strategy": "default",
    }),
    "llava_next": ("llava_next", "LlavaNext", {
        "patch_size": 14, "num_additional_image_tokens": 1, "vision_feature_select_strategy": "default",
    }),
    "llava_onevision": ("llava_onevision", "LlavaOnevision", {
        "num_image_tokens": 729, "vision_feature_select_strategy": "full", "vision_aspect_ratio": "anyres_max_9",
    }),
    "internvl": ("internvl", "InternVL", {"image_seq_length": 256}),
    "aya_vision": ("aya_vision", "AyaVision", {"img_size": 364, "patch_size": 28}),
    "idefics3": ("idefics3", "Idefics3", {"image_seq_len": 169}),
    "mistral3": ("pixtral", "Pixtral", {"patch_size": 14, "spatial_merge_size": 2}),
    "lighton_ocr": ("lighton_ocr", "LightOnOcr", {"effective_patch_size": 28}),
}  # fmt: skip
IMAGE_PROCESSORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llava": ("llava", "Llava", {"crop_size": {"height": 336, "width": 336}}),
    "llava_next": ("llava_next", "LlavaNext", {"size": {"shortest_edge": 336}}),
    "internvl": ("got_ocr2", "GotOcr2", {"size": {"height": 448, "width": 448}}),
    "aya_vision": ("got_ocr2", "GotOcr2", {"size": {"height": 364, "width": 364}}),
    "lighton_ocr": ("pixtral", "Pixtral", {"patch_size": {"height": 28, "width": 28}}),
}
PATCHES = {
    "ernie4_5_vl_moe": ("Ernie4_5_VLMoe", 4),
    "paddleocr_vl": ("PaddleOCRVL", 4),
    "video_llama_3": ("VideoLlama3", 1),
}
"""Image processors that count patches, and how many of them make a token."""
CONFIGS: dict[str, dict[str, Any]] = {
    "aya_vision": {"vision_config": SIGLIP},
    "idefics3": {"vision_config": {"image_size": 364, "patch_size": 14}},
    "video_llama_3": {"vision_config": {"patch_size": 14}},
    "llama4": {"vision_config": {"image_size": 336}},
    "gemma4": {"vision_config": {}},
}


def by_processor(model_type: str) -> Callable[[int, int], int]:
    """What the processor's own helper counts, asked without a tokenizer."""
    folder, name, said = BY_PROCESSOR[model_type]
    whole = getattr(importlib.import_module(f"transformers.models.{folder}.processing_{folder}"), f"{name}Processor")
    folder, name, settings = IMAGE_PROCESSORS.get(model_type, (folder, name, {}))
    defaults = {"crop_to_patches": True} if model_type in ("internvl", "aya_vision") else {}
    asked = SimpleNamespace(
        image_processor=image_processor(folder, name, **settings),
        tokenizer=lambda *_, **__: {"input_ids": [0]},  # a run of line breaks is one token
        _merge_kwargs=lambda **_: {"images_kwargs": defaults},
        **said,
    )
    for helper in ("_get_number_of_features", "_get_unpadded_features"):
        if hasattr(whole, helper):
            setattr(asked, helper, getattr(whole, helper).__get__(asked))
    return lambda height, width: whole._get_num_multimodal_tokens(asked, [[height, width]])["num_image_tokens"][0]


def image_processor(folder: str, name: str, **settings: Any) -> Any:  # noqa: ANN401 - a class of the reference
    """An image processor of the reference by its own defaults, but for `settings`."""
    module = importlib.import_module(f"transformers.models.{folder}.image_processing_{folder}")
    return getattr(module, f"{name}ImageProcessor")(**settings)


def llama4(height: int, width: int) -> int:
    """Tokens written for an image that is really cut."""
    cut = image_processor("llama4", "Llama4")(torch.zeros(3, height, width, dtype=torch.uint8), return_tensors="pt")
    module = importlib.import_module("transformers.models.llama4.processing_llama4")
    written = module.Llama4Processor._prompt_split_image(None, cut["aspect_ratios"][0].tolist(), 144)
    return len(re.findall(r"<\|[a-z_]+\|>", written))


def lfm2_vl(height: int, width: int) -> int:
    """Tokens written for an image that is really cut."""
    cutting = image_processor("lfm2_vl", "Lfm2Vl")
    cut = cutting(torch.zeros(3, height, width, dtype=torch.uint8), return_row_col_info=True)
    whole = importlib.import_module("transformers.models.lfm2_vl.processing_lfm2_vl").Lfm2VlProcessor
    marks = ("image_token", "image_start_token", "image_end_token", "image_thumbnail_token")
    asked = SimpleNamespace(image_processor=cutting, **dict.fromkeys(marks, "@"))
    for helper in (
        "_get_image_num_tokens", "_build_image_tokens", "_compute_tokens_per_tile", "_compute_tokens_for_image",
    ):  # fmt: skip
        setattr(asked, helper, getattr(whole, helper).__get__(asked))
    inputs = {key: cut[key] for key in ("image_rows", "image_cols", "image_sizes")}
    written = whole.replace_image_token(asked, inputs, 0, use_image_special_tokens=True)
    return int(written.count("@") + written.count("<|img_row"))


TEXT = {
    "vocab_size": 512, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
VIT = {
    "hidden_size": 48, "intermediate_size": 80, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": 56,
    "patch_size": 14,
}  # fmt: skip
CLIP, SMALL_SIGLIP = {"model_type": "clip_vision_model", **VIT}, {"model_type": "siglip_vision_model", **VIT}
SMALL_SIGLIP["vision_use_head"] = False
MERGING = {"depth": 4, "num_heads": 4, "patch_size": 14, "spatial_merge_size": 2, "temporal_patch_size": 2}
WIDE = {**MERGING, "hidden_size": 48, "out_hidden_size": 64, "intermediate_size": 80}
ROTARY = {**TEXT, "rope_parameters": {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10000.0}}
LLAMA = {"model_type": "llama", **TEXT}
PINPOINTS = [[56, 112], [112, 56], [112, 112]]
TOWERS: dict[str, dict[str, Any]] = {
    "llava": {"text_config": LLAMA, "vision_config": CLIP},
    "gemma3": {"text_config": TEXT, "vision_config": SMALL_SIGLIP, "mm_tokens_per_image": 4},
    "paligemma": {"text_config": {"model_type": "gemma", **TEXT}, "vision_config": SMALL_SIGLIP, "projection_dim": 64},
    "internvl": {
        "text_config": {"model_type": "qwen2", **TEXT},
        "vision_config": {**VIT, "image_size": [56, 56], "patch_size": [14, 14]},
    },
    "idefics3": {"text_config": LLAMA, "vision_config": VIT, "scale_factor": 2},
    "llava_next": {"text_config": LLAMA, "vision_config": CLIP, "image_grid_pinpoints": PINPOINTS},
    "llama4": {
        "text_config": {**TEXT, "intermediate_size_mlp": 96, "num_local_experts": 2, "num_experts_per_tok": 1},
        "vision_config": {
            **VIT, "intermediate_size": 192, "projector_input_dim": 40, "projector_output_dim": 40,
            "vision_output_dim": 40,
        },
    },
    "mllama": {
        "text_config": {**TEXT, "cross_attention_layers": [1]},
        "vision_config": {
            **VIT, "attention_heads": 4, "num_global_layers": 2, "vision_output_dim": 144,
            "intermediate_layers_indices": [0, 2],
        },
    },
    "qwen2_vl": {
        "text_config": ROTARY, "vision_config": {**MERGING, "embed_dim": 48, "hidden_size": 64, "mlp_ratio": 2},
    },
    "qwen2_5_vl": {"text_config": ROTARY, "vision_config": {**WIDE, "fullatt_block_indexes": [3]}},
    "qwen3_vl": {
        "text_config": ROTARY,
        "vision_config": {**WIDE, "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]},
    },
    "glm4v": {"text_config": ROTARY, "vision_config": {**WIDE, "image_size": 56}},
    "mistral3": {
        "text_config": {"model_type": "mistral", **TEXT},
        "vision_config": {"model_type": "pixtral", **VIT, "image_size": 280},
        "spatial_merge_size": 2,
    },
}  # fmt: skip
PIXELS = torch.zeros(140, 3 * 2 * 14 * 14), torch.tensor([[1, 10, 14]])


def look(model_type: str, model: Any) -> None:  # noqa: ANN401 - a class of the reference
    """Run the tower and the projector on one image of the size that `SEEN` says."""
    square = torch.zeros(5, 3, 56, 56)
    match model_type:
        case "llava" | "gemma3" | "paligemma":
            model.get_image_features(square[:1])
        case "internvl":
            model.get_image_features(square)
        case "idefics3":
            model.get_image_features(square[None] + 1)  # it leaves out tiles of zeros
        case "llava_next":
            model.get_image_features(square[None], torch.tensor([[112, 112]]))
        case "llama4":
            model.multi_modal_projector(model.get_image_features(square).last_hidden_state)
        case "mllama":
            tiles = torch.zeros(1, 1, 4, 3, 56, 56), torch.tensor([[1]]), torch.ones(1, 1, 4, dtype=torch.long)
            model.multi_modal_projector(model.vision_model(*tiles).last_hidden_state)
        case "mistral3":
            model.get_image_features(torch.zeros(1, 3, 140, 196), torch.tensor([[140, 196]]))
        case _:
            model.get_image_features(*PIXELS)


SEEN: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("llava", "gemma3", "paligemma", "mllama"), (56, 56)),
    **dict.fromkeys(("internvl", "idefics3", "llava_next", "llama4"), (112, 112)),
    **dict.fromkeys(("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "glm4v", "mistral3"), (140, 196)),
}
TOLD = {
    "internvl": {"min_patches": 4, "max_patches": 4},
    "idefics3": {"longest_edge": 112},
    "llama4": {"max_patches": 4},
}
"""Settings of the processor by which that image is cut so."""


def flops_of(model_type: str) -> dict[str, object]:
    """One tiny model: its config, the image, FLOPs of tower and projector."""
    config = transformers.AutoConfig.for_model(model_type, **TOWERS[model_type])
    for each in (config, config.text_config, config.vision_config):
        each._attn_implementation = "eager"
    whole = transformers.AutoModelForImageTextToText.from_config(config).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        look(model_type, getattr(whole, "model", whole))
    return {
        "model_type": model_type,
        "config": json.loads(config.to_json_string(use_diff=False)),
        "size": SEEN[model_type],
        "processor": TOLD.get(model_type, {}),
        "flops": counter.get_total_flops(),
    }


def by_patches(name: str, kind: str, merged: int) -> Callable[[int, int], int]:
    """Tokens by an image processor that tells only patches, of which so many are merged into one."""
    counts = image_processor(name, kind).get_number_of_image_patches
    return lambda height, width: int(counts(height, width)) // merged


def main() -> None:
    """Record every processor and every tower."""
    asked: dict[str, Callable[[int, int], int]] = {name: by_processor(name) for name in BY_PROCESSOR}
    for name, (kind, merged) in PATCHES.items():
        asked[name] = by_patches(name, kind, merged)
    asked |= {"llama4": llama4, "lfm2_vl": lfm2_vl}
    tokens: list[dict[str, object]] = [
        {
            "config": {"model_type": name, **CONFIGS.get(name, {})},
            "tokens": [[*size, int(ask(*size))] for size in SIZES],
        }
        for name, ask in asked.items()
    ]
    OUT.mkdir(exist_ok=True)
    for name, lines in (("tokens", tokens), ("flops", [flops_of(model_type) for model_type in TOWERS])):
        (OUT / f"{name}.json").write_text("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()

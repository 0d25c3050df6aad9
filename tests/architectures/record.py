"""Record what transformers builds for many configs, without weights: the fixtures beside this file.

    python tests/architectures/record.py [--task causal|vlm] [--seed N] [--per-type N] [model_type …]

Needs torch (CPU) and transformers, for perception_lm and fast_vlm timm too; archcount itself needs none of them. Each
model is built on torch's meta device, so nothing is downloaded and a model of any size takes seconds. A type's fixture
holds its class's default config, written as the bare model_type so that archcount's defaults are proved too, and
configs with sizes, ties, biases, heads and experts drawn at random. Exits 1, naming them, when transformers knows a
type of the task and archcount has no rule.
"""

from __future__ import annotations

import argparse
import inspect
import json
import random
import re
import signal
import sys
import time
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")

import torch  # noqa: E402 - after the filter, as what follows
import transformers  # noqa: E402
from transformers.core_model_loading import revert_weight_conversion  # noqa: E402
from transformers.models.auto import modeling_auto  # noqa: E402
from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent))
from archcount.architectures.aliases import FILE_OF  # noqa: E402 - as what follows, of this checkout
from tests.architectures.patterns import compress, compress_ties  # noqa: E402

transformers.logging.set_verbosity_error()

TASKS = {
    "causal": (modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, transformers.AutoModelForCausalLM),
    "vlm": (modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES, transformers.AutoModelForImageTextToText),
    "seq2seq": (modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES, transformers.AutoModelForSeq2SeqLM),
    "masked": (modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES, transformers.AutoModelForMaskedLM),
}
SECONDS_A_CONFIG = 90
LARGEST_DRAWN = 3_000_000_000
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers", "depth")
WIDTHS = ("hidden_size", "n_embd", "d_model", "dim", "embed_dim")
HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
INNER = ("intermediate_size", "n_inner", "ffn_dim", "d_ff", "ffn_hidden_size")
CHOICES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), (32, 48, 80)),
    **dict.fromkeys(("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts"), (4, 8, 12)),
    **dict.fromkeys(("num_experts_per_tok", "num_experts_per_token", "moe_k", "top_k_experts"), (2,)),
    **dict.fromkeys(("n_group", "topk_group", "num_expert_group"), (1,)),
    **dict.fromkeys(("q_lora_rank", "kv_lora_rank"), (24, 40, 56)),
    **dict.fromkeys(("qk_nope_head_dim", "v_head_dim"), (16, 24, 32)),
    "qk_rope_head_dim": (8, 16),
    "first_k_dense_replace": (0, 1, 2),
}
FLAG = re.compile(
    "bias|tie_word|norm|parallel|tied|gated|multi_query|new_decoder|alibi|elementwise|share|conv|use_q|qkv"
)


OUTRANKED = {
    "longcat_flash": "transformers makes matrices for the zero-computation experts, which published files do not hold",
    **dict.fromkeys(
        ("inkling2", "inkling2_loop", "inkling2_text", "inkling2_loop_text"),
        "its total leaves out the padding rows of the head that it saves",
    ),
    **dict.fromkeys(
        ("fsmt", "marian"), "its total counts the computed positions, which published files leave out or hold as such"
    ),
}
"""Types whose record would contradict published files; literal tests of their own stand beside this file."""


def completed(model_type: str, drawn: dict[str, Any]) -> dict[str, Any]:
    """`drawn` and the keys that the class leaves null but its model cannot be built without."""
    text: dict[str, Any] = drawn.get("text_config", {})
    more: dict[str, Any] = {}
    if model_type == "chameleon":
        more = {"vocabulary_map": {"<image>": 8}}
    elif model_type == "cohere_compass":
        rope = {"full_attention": {"rope_type": "default", "rope_theta": 10000.0}}
        more = {"text_config": text | {"rope_parameters": rope}}
    elif model_type == "deepseek_ocr2":
        kinds = ["dense"] + ["sparse"] * (text.get("num_hidden_layers", 32) - 1)
        more = {"text_config": {"num_experts_per_tok": 6} | text | {"mlp_layer_types": kinds}}
    elif model_type == "diffusion_gemma":
        more = {"text_config": text | {"num_experts": 8, "top_k_experts": 2, "moe_intermediate_size": 48}}
    elif model_type == "granite4_vision":
        more = {"deepstack_layer_map": [[-2, 0], [-1, 1]], "downsample_rate": "4/8"}
    elif model_type == "perception_lm" or (model_type == "fast_vlm" and drawn):
        more = {"vision_config": timm_tower(model_type, is_large=text.get("num_hidden_layers", 0) % 2 == 1)}
    return drawn | more


def timm_tower(model_type: str, *, is_large: bool) -> dict[str, Any]:
    """The tower as published configs have it, PerceptionLM's with fewer layers; nothing in it can be drawn."""
    if model_type == "fast_vlm":
        name, width = ("fastvit_mci4", 4096) if is_large else ("fastvit_mci3", 3072)
        own = {"hidden_size": width, "model_args": {"inference_mode": True}}
    else:
        name, width = ("large_patch14_336", 1024) if is_large else ("gigantic_patch14_448", 1536)
        name, sizes = f"vit_pe_core_{name}", {"depth": 5, "embed_dim": width, "img_size": [448, 448]}
        own = {"model_args": sizes | {"global_pool": "", "init_values": 0.1, "use_post_transformer_norm": False}}
    return {"model_type": "timm_wrapper", "architecture": name} | own


class TooSlowError(Exception):
    """A config took longer than its allowance."""


def draw(config_class: type, rng: random.Random) -> dict[str, Any]:
    """Keyword arguments that change the shape of `config_class`, nested configs included."""
    default = config_class().to_dict()
    fields = {*inspect.signature(config_class).parameters, *default}
    nested = dict(_draw_nested(config_class, default, fields, rng))
    chosen = nested | dict(_draw_sizes(default, fields, rng))
    flags = (key for key, value in default.items() if isinstance(value, bool) and FLAG.search(key))
    return chosen | {key: not default[key] for key in flags if rng.random() < 0.35}


def _draw_nested(
    config_class: type, default: dict[str, Any], fields: set[str], rng: random.Random
) -> Iterator[tuple[str, Any]]:
    for name, inner in (getattr(config_class, "sub_configs", None) or {}).items():
        model_type = (default.get(name) or {}).get("model_type")
        chosen: Any
        if name in fields and isinstance(inner, type) and inner.__name__ == "AutoConfig":
            chosen = CONFIG_MAPPING[model_type] if model_type in CONFIG_MAPPING else None  # noqa: SIM401 - lazy
        else:
            chosen = inner
        is_class = isinstance(chosen, type)
        if name in fields and is_class:
            yield name, draw(chosen, rng) | {"model_type": chosen.model_type}


def _draw_sizes(default: dict[str, Any], fields: set[str], rng: random.Random) -> Iterator[tuple[str, int]]:
    def first(keys: tuple[str, ...]) -> str | None:
        return next((key for key in keys if key in fields), None)

    heads, head_dim = rng.choice((4, 6, 8, 12)), rng.choice((16, 32, 64))
    wide, layers, inner = rng.random() < 0.75, first(LAYERS), first(INNER)
    if layers:
        yield layers, rng.choice((2, 3, 4, 5, 6, 8))
    if wide and first(WIDTHS):
        yield first(WIDTHS) or "", heads * head_dim
    if wide and first(HEADS):
        yield first(HEADS) or "", heads
    if wide and "num_key_value_heads" in fields:
        yield "num_key_value_heads", rng.choice([count for count in (1, 2, 3, 4, 6, 8, 12) if heads % count == 0])
    if wide and "head_dim" in fields and rng.random() < 0.6:
        yield "head_dim", rng.choice((head_dim, head_dim * 2, head_dim // 2))
    if inner:
        yield inner, rng.choice((96, 128, 160, 256, 384))
    if "vocab_size" in fields:
        yield "vocab_size", rng.choice((1000, 1001, 1536, 4099))
        large = (key for key in ("pad_token_id", "padding_idx") if _is_int(default.get(key)) and default[key] >= 1000)
        yield from ((key, 0) for key in large)
    yield from ((key, rng.choice(choices)) for key, choices in CHOICES.items() if _is_int(default.get(key)))


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def built(auto_class: Any, config: Any) -> dict[str, Any]:  # noqa: ANN401 - transformers' own classes
    """The record of one config: class, totals, tensors by pattern, buffers, ties."""
    with torch.device("meta"):
        model = auto_class.from_config(config)
    model.config.architectures = [type(model).__name__]
    state = dict(model.state_dict())
    names: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), []).append(name)
    owned = {name for group in names.values() for name in group}
    saved = revert_weight_conversion(model, dict(state))
    return {
        "class": type(model).__name__,
        "config": json.loads(model.config.to_json_string()),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "buffers": compress({name: list(t.shape) for name, t in state.items() if name not in owned}),
        "float_buffers": sum(t.numel() for name, t in state.items() if name not in owned and t.is_floating_point()),
        "tied": compress_ties(group for group in names.values() if len(group) > 1),
        "tensors": compress({name: list(t.shape) for name, t in saved.items()}),
    }


def records(model_type: str, auto_class: Any, seed: int, per_type: int) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - a class
    """The default config's record, then `per_type` drawn ones that differ from it and from one another."""
    config_class, rng, seen = CONFIG_MAPPING[model_type], random.Random(zlib.crc32(f"{model_type}/{seed}".encode())), []
    for attempt in range(1 + 6 * per_type):
        signal.alarm(SECONDS_A_CONFIG)
        try:
            given = completed(model_type, draw(config_class, rng) if attempt else {})
            config = config_class(**given)
            record = built(auto_class, config)
        except Exception as error:  # whatever a drawn config trips over is said, another is drawn
            print(f"{model_type}: {'drawn' if attempt else 'default'}: {error!r}"[:160], file=sys.stderr)
            continue
        finally:
            signal.alarm(0)
        if record["tensors"] in seen or (attempt and record["parameters"] > LARGEST_DRAWN):
            continue
        seen.append(record["tensors"])
        if not attempt:
            record["config"] = {"model_type": model_type, "architectures": [record["class"]], **given}
        yield {"kind": "drawn" if attempt else "default", **record}
        if len(seen) > per_type:
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model_types", nargs="*")
    parser.add_argument("--task", choices=TASKS, default="causal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--per-type", type=int, default=2)
    options = parser.parse_args()
    mapping, auto_class = TASKS[options.task]
    signal.signal(signal.SIGALRM, _too_slow)
    # transformers finds `EvollaModel` for this config, a name its own mapping of classes does not hold.
    auto_class._model_mapping._reverse_config_mapping["EvollaConfig"] = "evolla"
    folder = HERE / "recorded" / options.task
    folder.mkdir(parents=True, exist_ok=True)
    for model_type in options.model_types or [name for name in mapping if name not in OUTRANKED]:
        started, lines = time.perf_counter(), list(records(model_type, auto_class, options.seed, options.per_type))
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        if text:
            (folder / f"{model_type}.jsonl").write_text(text, encoding="utf-8")
        print(
            f"{model_type}: {len(lines)} records, {len(text):,} bytes, {time.perf_counter() - started:.1f} s",
            flush=True,
        )
    unknown = sorted(set(mapping) - set(FILE_OF))
    if unknown and not options.model_types:
        print(f"transformers {transformers.__version__} knows types without a rule here: {', '.join(unknown)}")
    return 1 if unknown and not options.model_types else 0


def _too_slow(*_: object) -> None:
    raise TooSlowError


if __name__ == "__main__":
    sys.exit(main())

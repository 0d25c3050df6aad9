"""How long the headers of 163 shards and 91,991 tensors take: against json.loads, and against the Hub's own client.

    python benchmarks/headers.py            # both, each in processes of its own, best of five
    python benchmarks/headers.py --local    # no server

The files are sparse: whole headers, no weights. The remote server answers each request after 50 ms.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARDS = 163
TENSORS = 91_991
BITS = {"F8_E4M3": 8, "BF16": 16, "F32": 32}
HIDDEN, EXPERT, DENSE, VOCABULARY = 7168, 2048, 18_432, 129_280

Tensor = tuple[str, str, list[int]]


def _packed(name: str, rows: int, columns: int) -> Iterator[Tensor]:
    yield f"{name}.weight", "F8_E4M3", [rows, columns]
    yield f"{name}.weight_scale_inv", "F32", [math.ceil(rows / 128), math.ceil(columns / 128)]


def _mlp(name: str, width: int) -> Iterator[Tensor]:
    yield from _packed(f"{name}.gate_proj", width, HIDDEN)
    yield from _packed(f"{name}.up_proj", width, HIDDEN)
    yield from _packed(f"{name}.down_proj", HIDDEN, width)


def _layer(layer: int) -> Iterator[Tensor]:
    at = f"model.layers.{layer}"
    for name, width in {"input_layernorm": HIDDEN, "post_attention_layernorm": HIDDEN}.items():
        yield f"{at}.{name}.weight", "BF16", [width]
    for name, width in {"q_a_layernorm": 1536, "kv_a_layernorm": 512}.items():
        yield f"{at}.self_attn.{name}.weight", "BF16", [width]
    sizes = {"q_a_proj": (1536, HIDDEN), "q_b_proj": (24_576, 1536), "kv_a_proj_with_mqa": (576, HIDDEN)}
    for name, (rows, columns) in {**sizes, "kv_b_proj": (32_768, 512), "o_proj": (HIDDEN, 16_384)}.items():
        yield from _packed(f"{at}.self_attn.{name}", rows, columns)
    if layer < 3:
        yield from _mlp(f"{at}.mlp", DENSE)
        return
    yield f"{at}.mlp.gate.weight", "BF16", [256, HIDDEN]
    yield f"{at}.mlp.gate.e_score_correction_bias", "F32", [256]
    yield from _mlp(f"{at}.mlp.shared_experts", EXPERT)
    for expert in range(256):
        yield from _mlp(f"{at}.mlp.experts.{expert}", EXPERT)


def tensors() -> Iterator[Tensor]:
    """Every tensor of DeepSeek-V3's published files, in the order of the layers."""
    yield "model.embed_tokens.weight", "BF16", [VOCABULARY, HIDDEN]
    for layer in range(62):
        yield from _layer(layer)
    for name in ("embed_tokens", "shared_head.head"):
        yield f"model.layers.61.{name}.weight", "BF16", [VOCABULARY, HIDDEN]
    for name in ("enorm", "hnorm", "shared_head.norm"):
        yield f"model.layers.61.{name}.weight", "BF16", [HIDDEN]
    yield "model.layers.61.eh_proj.weight", "BF16", [HIDDEN, 2 * HIDDEN]
    yield "model.norm.weight", "BF16", [HIDDEN]
    yield "lm_head.weight", "BF16", [VOCABULARY, HIDDEN]


def write(folder: Path) -> None:
    """The whole checkpoint, as sparse files with an index."""
    everything = list(tensors())
    assert len(everything) == TENSORS, len(everything)
    each = math.ceil(TENSORS / SHARDS)
    weight_map: dict[str, str] = {}
    for shard in range(SHARDS):
        file = f"model-{shard + 1:05}-of-{SHARDS:05}.safetensors"
        header: dict[str, object] = {"__metadata__": {"format": "pt"}}
        at = 0
        for name, dtype, shape in everything[shard * each : (shard + 1) * each]:
            end = at + math.prod(shape) * BITS[dtype] // 8
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, end]}
            at, weight_map[name] = end, file
        text = json.dumps(header, separators=(",", ":")).encode()
        with (folder / file).open("wb") as stream:
            stream.write(len(text).to_bytes(8, "little") + text)
            stream.truncate(8 + len(text) + at)
    index = {"metadata": {"total_size": 688_586_727_753}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))


def headers(folder: Path) -> list[bytes]:
    """The JSON of every shard."""
    found = []
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as stream:
            found.append(stream.read(int.from_bytes(stream.read(8), "little")))
    return found


def best(call: Callable[[], object], times: int = 5) -> float:
    """The shortest of some runs, in seconds; what a call made is let go before the next."""
    shortest = math.inf
    for _ in range(times):
        begun = time.perf_counter()
        made = call()
        shortest = min(shortest, time.perf_counter() - begun)
        del made
    return shortest


def local(folder: Path) -> None:
    """Print both times, of one process."""
    from archcount.checkpoint.local import read_local  # noqa: PLC0415

    texts = headers(folder)
    plain = best(lambda: [json.loads(text) for text in texts])
    ours = best(lambda: read_local(folder))
    print(f"json.loads of {sum(map(len, texts)):,} bytes of headers   {plain * 1e3:8.1f} ms")
    print(f"read_local: files, index, headers, all checks   {ours * 1e3:8.1f} ms   {ours / plain:.2f} of it")


def _peak() -> int:
    """The most memory this process had, in KiB; the kernel's, since rusage counts the parent's share after a fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])


def memory(folder: Path, what: str) -> None:
    """Print how much a process grows: by json.loads, or by reading the checkpoint."""
    from archcount.checkpoint.local import read_local  # noqa: PLC0415

    before = _peak()
    kept = [json.loads(text) for text in headers(folder)] if what == "json" else read_local(folder)
    print(f"{what}: peak memory grows by {(_peak() - before) / 1024:.1f} MiB", "" if kept else "and nothing is kept")


def remote(which: str) -> None:
    """Print the seconds of one reading, imports left out."""
    from huggingface_hub import errors, get_safetensors_metadata, get_session, hf_hub_url  # noqa: F401, PLC0415

    from archcount.checkpoint.remote import read_remote  # noqa: PLC0415

    begun = time.perf_counter()
    if which == "hub":
        count = sum(len(file.tensors) for file in get_safetensors_metadata("owner/model").files_metadata.values())
    else:
        count = len(read_remote("owner/model").entries)
    assert count == TENSORS, count
    print(time.perf_counter() - begun)


def run(*arguments: str, environment: dict[str, str] | None = None) -> str:
    """This script in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})}
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def compare_remote(folder: Path) -> None:
    """Print the best time of each client against one server, taken in turn."""
    command = [sys.executable, str(ROOT / "benchmarks" / "server.py"), str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdin and process.stdout
        url = process.stdout.readline().strip()
        times: dict[str, list[float]] = {"hub": [], "ours": []}
        for _ in range(5):
            for which, seconds in times.items():
                with tempfile.TemporaryDirectory() as home:
                    hub = {"HF_ENDPOINT": url, "HF_HOME": home, "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
                    seconds.append(float(run("--remote", which, environment=hub)))
        process.stdin.close()
    plain, ours = min(times["hub"]), min(times["ours"])
    print(f"huggingface_hub.get_safetensors_metadata, 50 ms a request   {plain:6.2f} s")
    print(f"read_remote                                                 {ours:6.2f} s   {ours / plain:.2f} of it")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--local", action="store_true", help="leave the server out")
    parser.add_argument("--remote", choices=["hub", "ours"], help=argparse.SUPPRESS)
    parser.add_argument("--time", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--memory", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.remote:
        return remote(options.remote)
    if options.time:
        return local(options.time)
    if options.memory:
        return memory(Path(options.memory[1]), options.memory[0])
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        print(run("--time", name), run("--memory", "json", name), run("--memory", "archcount", name), sep="", end="")
        if not options.local:
            compare_remote(Path(name))
    return None


if __name__ == "__main__":
    main()

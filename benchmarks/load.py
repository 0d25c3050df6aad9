"""How long counting takes once all is imported: `python benchmarks/load.py`.

The median of many runs of `archcount.load(config).totals`, with the config at hand as a dict.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping

import archcount
from archcount.sources.catalog import config_of

RUNS = 200


def main() -> None:
    llama, deepseek = config_of("llama-3.1-8b"), config_of("deepseek-v3")
    many = {"num_hidden_layers": 10_000}
    _report("Llama 3.1 8B", llama, 0.5)
    _report("Llama 3.1 8B, 10,000 layers", {**llama, **many}, 0.5)
    _report("DeepSeek-V3", deepseek, 2.0)
    _report("DeepSeek-V3, 10,000 layers", {**deepseek, **many}, 2.0)


def _report(name: str, config: Mapping[str, object], target: float) -> None:
    print(f"{name:28} {_milliseconds(config):6.3f} ms (the target is at most {target})")


def _milliseconds(config: Mapping[str, object]) -> float:
    taken = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        _ = archcount.load(config).totals
        taken.append(time.perf_counter() - begin)
    return 1000 * statistics.median(taken)


if __name__ == "__main__":
    main()

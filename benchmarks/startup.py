"""The whole of `archcount llama-3.1-8b` beside what importing its libraries costs: `python benchmarks/startup.py`.

Both run in turn, twenty pairs, from compiled files, and the median of the pairs' ratios is what counts. Memory is
the largest either took.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PAIRS = 20
ROOT = Path(__file__).parent.parent
LIBRARIES = """
import typer, rich.table, rich.console, pydantic

class Model(pydantic.BaseModel):
    size: int = 1

table = rich.table.Table("part", "parameters")
table.add_row("total", "1")
rich.console.Console().print(table)
"""
COMMANDS = {
    "libraries": [sys.executable, "-c", LIBRARIES],
    "archcount": [sys.executable, "-m", "archcount", "llama-3.1-8b"],
}


def main() -> None:
    with tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for command in COMMANDS.values():
            _run(command, environment)
        pairs = [[_run(command, environment) for command in COMMANDS.values()] for _ in range(PAIRS)]
    for name, runs in zip(COMMANDS, zip(*pairs, strict=True), strict=True):
        seconds, memory = zip(*runs, strict=True)
        print(f"{name:10} {1000 * statistics.median(seconds):7.1f} ms  {max(memory) / 1024:5.1f} MiB")
    ratio = statistics.median(archcount[0] / libraries[0] for libraries, archcount in pairs)
    print(f"ratio {ratio:.2f} (median of {PAIRS} pairs; the target is at most 1.3)")


def _run(command: list[str], environment: dict[str, str]) -> tuple[float, int]:
    """Seconds from start to end, and the most memory in KiB."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[-1]} ended with {process.returncode}")
    return time.perf_counter() - begin, used.ru_maxrss


if __name__ == "__main__":
    main()

"""Record what llama.cpp's converter made of many tiny models: names, shapes, architecture, tokens; no weights.

    python tests/record_gguf.py FOLDER …

Each folder holds the config.json that a model was converted from and the GGUF files made of it. Needs the `gguf`
package of the llama.cpp that wrote them. A record a file goes to tests/verification/gguf/recorded.jsonl, one for each
architecture and model_type, the smallest; records of an earlier run for the same pair are replaced.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))
from archcount.checkpoint.gguf import read_gguf  # noqa: E402 - as what follows, of this checkout
from tests.architectures.patterns import compress  # noqa: E402

RECORDED = HERE / "verification" / "gguf" / "recorded.jsonl"
WRITER = "llama.cpp 0c1e57098, convert_hf_to_gguf.py"
UNUSED = ("transformers_version", "bos_token_id", "eos_token_id", "initializer_range", "use_cache")


def record(file: Path, config: dict[str, Any]) -> dict[str, Any]:
    """The names and shapes of one file, beside the config it was made from."""
    header = read_gguf(file)
    return {
        "writer": WRITER,
        "metadata": header.metadata,
        "config": {key: value for key, value in config.items() if key not in UNUSED or config.get("text_config")},
        "tensors": compress({name: entry.shape for name, entry in header.entries.items()}),
    }


def records(folders: list[Path]) -> Iterator[dict[str, Any]]:
    """A record for each file of the folders."""
    for folder in folders:
        config = json.loads((folder / "config.json").read_text())
        for file in sorted(folder.glob("*.gguf")):
            yield record(file, config)


def main(folders: list[Path]) -> None:
    """Add the records of these folders to those there are."""
    old = [json.loads(line) for line in RECORDED.read_text().splitlines()] if RECORDED.exists() else []
    smallest: dict[tuple[str, str], str] = {}
    for each in (*old, *records(folders)):
        key = (each["metadata"]["general.architecture"], each["config"]["model_type"])
        line = json.dumps(each, separators=(",", ":"))
        if key not in smallest or len(line) < len(smallest[key]):
            smallest[key] = line
    RECORDED.write_text("".join(f"{smallest[key]}\n" for key in sorted(smallest)))


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])

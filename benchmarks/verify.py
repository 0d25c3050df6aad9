"""How long it takes to verify a checkpoint of 163 shards and 91,991 tensors, against json.loads of the same headers.

    python benchmarks/verify.py     # in one process, best of five
    python benchmarks/verify.py --profile

The files are sparse: whole headers, no weights. verify reads the files and their index, makes every check of the
format, builds the prediction from the config, and holds each name, shape and type against it.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import sys
import tempfile
from pathlib import Path

from headers import ROOT, best, headers, write

sys.path.insert(0, str(ROOT))


def main() -> None:
    import archcount  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        write(Path(name))
        texts = headers(Path(name))
        if options.profile:
            with cProfile.Profile() as profile:
                archcount.verify("deepseek-v3", name)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)
            return
        plain = best(lambda: [json.loads(text) for text in texts])
        ours = best(lambda: archcount.verify("deepseek-v3", name))
        print(f"json.loads of {sum(map(len, texts)):,} bytes of headers          {plain * 1e3:8.1f} ms")
        print(f"verify: config, files, index, headers, every tensor   {ours * 1e3:8.1f} ms   {ours / plain:.2f} of it")


if __name__ == "__main__":
    main()

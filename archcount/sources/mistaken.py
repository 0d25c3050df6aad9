"""What a file or a folder is that was given for a config and is none: said with the mend."""

from __future__ import annotations

from pathlib import Path

NEITHER = "the folder holds neither config.json nor params.json"
FIRST = 3  # folders that an error names
SNAPSHOTS = "*/config.json", "snapshots/*/config.json"  # below a folder of models, and below one of the Hub's cache
STARTS = (
    (b"version https://git-lfs", "a Git LFS pointer, not the config: fetch the files with `git lfs pull`"),
    (b"<", "a page of HTML or XML, not a config: download the file itself"),
    (b"GGUF", "weights (GGUF), not a config: name the model first, then its weights"),
    (b"PK\3\4", "a zip archive, not a config: unpack it, and name its folder"),
    (b"\xff\xfe", "text as UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "text as UTF-16: save it as UTF-8"),
)
HEADER = slice(8, 10)  # where a safetensors file's own JSON begins, after its length


def mistaken_file(start: bytes) -> str:
    """What a file that begins so is, and the mend; "" where it may be JSON, or nothing known."""
    if start[HEADER] == b'{"' and not start.lstrip().startswith(b"{"):
        return "weights (safetensors), not a config: name the model first, then its weights"
    return next((what for first, what in STARTS if start.lstrip().startswith(first)), "")


def mistaken_folder(path: Path) -> str:
    """Why a folder has no config, and where one may be meant instead.

    Raises OSError: it cannot be listed.
    """
    if any((path / name).is_symlink() for name in ("config.json", "params.json")):
        return "its config is a link to a file that is not there: fetch the model again"
    found = sorted(file.parent.relative_to(path).as_posix() for glob in SNAPSHOTS for file in path.glob(glob))
    if not found:
        return NEITHER
    named = ", ".join(str(path / each) for each in found[:FIRST]) + (" …" if len(found) > FIRST else "")
    if (path / "model_index.json").is_file():
        return f"a pipeline of diffusers: name one of its parts ({named})"
    return f"{NEITHER}: name the model's own ({named})"

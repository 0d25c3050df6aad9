"""A config file or folder on this machine, read as a JSON object."""

from __future__ import annotations

import json
from pathlib import Path

from ..errors import ConfigNotFoundError, ConfigSyntaxError
from .mistaken import mistaken_file, mistaken_folder

LARGEST_CONFIG = 64 * 1024 * 1024  # bytes; the largest published config.json is a few MB
DEEPEST = 100  # levels; a published config has five
START = 4096  # bytes; enough to tell what else a file may be
LONGEST_VALUE = 40  # characters; a longer one is not worth its line
NAMES = ("config.json", "params.json")
ADAPTER = "adapter_config.json"  # read for the model it names, which an error then can say


def is_on_disk(source: str) -> bool:
    """Does this name a file or folder? What no path can be (too long, a null character) names none."""
    try:
        return bool(source) and Path(source).exists()
    except OSError:
        return False


def config_path(path: Path) -> Path:
    """The config a path means: itself, or config.json, else params.json in the folder.

    Raises ConfigNotFoundError.
    """
    try:
        if path.exists() and not path.is_dir():
            return path
        if not path.is_dir():
            raise ConfigNotFoundError(f"{path}: no such file")
        for name in (*NAMES, ADAPTER):
            if (path / name).is_file():
                return path / name
        raise ConfigNotFoundError(f"{path}: {mistaken_folder(path)}")
    except OSError as error:  # a folder that may not be looked into
        raise ConfigNotFoundError(f"{error.filename or path}: {error.strerror}") from error


def read_object(path: Path) -> dict[str, object]:
    """The JSON object in a file; bare Infinity and NaN are read as Python's json writes them.

    Raises ConfigSyntaxError: not text, not JSON (with the position), not an object, or nested too deep.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_CONFIG + 1)
        if len(data) > LARGEST_CONFIG:
            raise ConfigSyntaxError(f"{path}: larger than {LARGEST_CONFIG:,} bytes, so not a config")
        if what := mistaken_file(data[:START]):
            raise ConfigSyntaxError(f"{path}: {what}")
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigSyntaxError(f"{path}: not text (byte {error.start:,}): give the model's config.json") from None
    except OSError as error:
        raise ConfigNotFoundError(f"{path}: {error.strerror}") from error
    return parse_object(text, str(path))


def parse_object(text: str, where: str) -> dict[str, object]:
    """The JSON object in `text`; `where` names its source in an error.

    Raises ConfigSyntaxError.
    """
    try:
        value = json.loads(text, object_hook=_special_float)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigSyntaxError(f"{where}: not JSON at {place}: {error.msg}") from None
    except RecursionError:
        raise ConfigSyntaxError(f"{where}: nested deeper than {DEEPEST} levels, so not a config") from None
    except ValueError:  # an integer of more digits than Python will convert
        raise ConfigSyntaxError(f"{where}: a number has more digits than any size could") from None
    if not isinstance(value, dict):
        raise ConfigSyntaxError(f"{where}: a JSON {_json_name(value)}, where an object is needed ({{…}})")
    if _is_deeper_than(DEEPEST, value):
        raise ConfigSyntaxError(f"{where}: nested deeper than {DEEPEST} levels, so not a config")
    return value


def _is_deeper_than(levels: int, value: object) -> bool:
    layer = [value]
    for _ in range(levels):
        inner = (each.values() if isinstance(each, dict) else each for each in layer if isinstance(each, (dict, list)))
        layer = [below for each in inner for below in each]
        if not layer:
            return False
    return True


def _special_float(pairs: dict[str, object]) -> object:
    """`{"__float__": "Infinity"}`, as newer Hugging Face configs write what JSON cannot."""
    match pairs:
        case {"__float__": "Infinity" | "-Infinity" | "NaN" as name} if len(pairs) == 1:
            return float(name.replace("Infinity", "inf"))
    return pairs


def _json_name(value: object) -> str:
    names = {list: "list", str: "string", bool: "boolean", int: "number", float: "number", type(None): "null"}
    return names[type(value)]


def literal(value: object, longest: int | None = LONGEST_VALUE) -> str:
    """A value as config.json would spell it, cut where it is longer than `longest`."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1]}…"

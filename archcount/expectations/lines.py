"""On which line of a file a key stands, so that an error can point at it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')


def toml_line(text: str, steps: Sequence[str]) -> int | None:
    """The line of the key at `steps` (tables, then the key) in TOML that parses; None where it has no such key."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if steps[-1] in line and _has(_shortest_that_parses(lines, number), steps):
            return number
    return None


def _shortest_that_parses(lines: Sequence[str], least: int) -> dict[str, object]:
    """The beginning of the text: its first `least` lines, and as many more as a value that spans lines needs."""
    for count in range(least, len(lines) + 1):
        try:
            return tomllib.loads("".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue  # cut within a value
    return {}


def _has(table: object, steps: Sequence[str]) -> bool:
    for step in steps:
        if not isinstance(table, dict) or step not in table:
            return False
        table = table[step]
    return True


def json_lines(text: str) -> dict[str, int]:
    """The line of every key of a JSON object, keys of objects in it as `text_config.hidden_size`."""
    found: dict[str, int] = {}
    around: list[str] = []  # the keys that lead to where we are; "" for a list
    key, last = "", ""
    for token in JSON_TOKEN.finditer(text):
        word = token.group()
        if word in "{[":
            around.append(key if word == "{" else f"{key}[]")
            key = ""
        elif word in "}]" and around:
            around.pop()
        elif word == ":":
            key = last
            steps = [step for step in (*around, key) if step]
            found.setdefault(".".join(steps), text.count("\n", 0, token.start()) + 1)
        elif word.startswith('"'):
            last = word[1:-1]
    return found

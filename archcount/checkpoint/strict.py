"""A header's JSON, pair by pair, with the verdict that the reference implementation gives on the same bytes.

The reference reads it with serde_json (safetensors 0.8.0): every pair is checked, those that a later pair of the same
name replaces too; a tensor may also be a list of three; numbers stop at 64 bits and at 1.8e308; nesting stops at 127.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from .dtypes import HEADER_BITS
from .entries import Entry, Notice, NoticeKind
from .faults import HeaderMetadataError, HeaderNotJsonError, HeaderNotTextError, TensorFieldError

LARGEST = 2**64 - 1
DEEPEST = 127  # levels of nesting, the header itself being the first
METADATA = "__metadata__"
FIELDS = ("dtype", "shape", "data_offsets")

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pairs:
    """A JSON object as it stands in the text: names may repeat."""

    items: list[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class Parsed:
    """What the JSON says, before offsets and shapes are held against each other."""

    entries: dict[str, Entry]
    metadata: dict[str, str]
    notices: tuple[Notice, ...] = ()


def parse(raw: bytes, file: str) -> Parsed:
    """The pairs of a header's JSON.

    Raises HeaderNotTextError, HeaderNotJsonError, HeaderMetadataError, TensorFieldError.
    """
    entries: dict[str, Entry] = {}
    metadata: dict[str, str] | None = None
    notices: list[Notice] = []
    for name, value in _pairs(raw, file).items:
        _check_text(name, file)
        if name == METADATA:
            if metadata is not None:
                raise HeaderMetadataError(f"{file}: {METADATA} stands in the header twice: write the file again")
            metadata = _metadata(value, file)
            continue
        if name in entries:
            message = f"{file}: {name} stands in the header twice; the last one counts, as in other readers"
            notices.append(Notice(NoticeKind.DUPLICATE_KEY, file, name, message))
        entries[name] = _entry(name, value, file)
    return Parsed(entries, metadata or {}, tuple(notices))


def _pairs(raw: bytes, file: str) -> Pairs:
    try:
        value: object = _DECODER.decode(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise HeaderNotTextError(
            f"{file}: the header is not UTF-8 at byte {error.start:,}: download it again"
        ) from None
    except json.JSONDecodeError as error:
        raise HeaderNotJsonError(f"{file}: the header is not JSON at byte {error.pos:,}: {error.msg}") from None
    except (ValueError, OverflowError):
        raise HeaderNotJsonError(f"{file}: the header holds a number no reader can take: write it again") from None
    except RecursionError:
        raise HeaderNotJsonError(f"{file}: the header is nested too deep: write the file again") from None
    if not isinstance(value, Pairs):
        raise HeaderNotJsonError(f"{file}: the header is not a JSON object, so this is no safetensors file")
    return value


def _integer(text: str) -> int | float:
    if len(text) > 20 or text == "-0" or int(text) > LARGEST:
        return _real(text)
    return int(text)


def _real(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(text)
    return number


def _constant(text: str) -> float:
    raise ValueError(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=_integer, parse_float=_real, parse_constant=_constant, strict=True
)


def _check_text(text: str, file: str) -> None:
    if _SURROGATE.search(text):
        raise HeaderNotJsonError(f"{file}: the header holds half a surrogate pair: write the file again")


def _check_ignored(value: object, file: str, depth: int) -> None:
    """What the format does not name is passed over, but must still be JSON that the reference can read."""
    if isinstance(value, str):
        _check_text(value, file)
    if not isinstance(value, (list, Pairs)):
        return
    if depth > DEEPEST:
        raise HeaderNotJsonError(f"{file}: the header is nested more than {DEEPEST} deep: write the file again")
    for inner in value if isinstance(value, list) else [part for pair in value.items for part in pair]:
        _check_ignored(inner, file, depth + 1)


def _metadata(value: object, file: str) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Pairs):
        raise HeaderMetadataError(f"{file}: {METADATA} is not an object of strings: write the file again")
    strings: dict[str, str] = {}
    for name, text in value.items:
        if not isinstance(text, str):
            raise HeaderMetadataError(f"{file}: {METADATA}.{name} is not a string: write it as one")
        _check_text(name, file)
        _check_text(text, file)
        strings[name] = text
    return strings


def _entry(name: str, value: object, file: str) -> Entry:
    fields = _fields(name, value, file)
    shape = _sizes(name, "shape", fields["shape"], file)
    offsets = _sizes(name, "data_offsets", fields["data_offsets"], file)
    if len(offsets) != 2:
        raise TensorFieldError(f"{file}: {name} has {len(offsets)} data_offsets, not begin and end")
    return Entry(_dtype(name, fields["dtype"], file), shape, (offsets[0], offsets[1]))


def _fields(name: str, value: object, file: str) -> dict[str, object]:
    if isinstance(value, list) and len(value) == len(FIELDS):
        return dict(zip(FIELDS, value, strict=True))
    if not isinstance(value, Pairs):
        raise TensorFieldError(f"{file}: {name} is not an object of {', '.join(FIELDS)}")
    fields: dict[str, object] = {}
    for field, inner in value.items:
        if field not in FIELDS:
            _check_text(field, file)
            _check_ignored(inner, file, depth=3)
        elif field in fields:
            raise TensorFieldError(f"{file}: {name} says {field} twice")
        else:
            fields[field] = inner
    absent = [field for field in FIELDS if field not in fields]
    if absent:
        raise TensorFieldError(f"{file}: {name} has no {' and no '.join(absent)}")
    return fields


def _dtype(name: str, value: object, file: str) -> str:
    if isinstance(value, Pairs) and len(value.items) == 1 and value.items[0][1] is None:
        only = value.items[0][0]  # serde's other way to spell a plain variant: {"F32": null}
        if only in HEADER_BITS:
            return only
    if not isinstance(value, str):
        raise TensorFieldError(f"{file}: the dtype of {name} is not a string")
    _check_text(value, file)
    return value


def _sizes(name: str, field: str, value: object, file: str) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise TensorFieldError(f"{file}: the {field} of {name} is not a list")
    for size in value:
        if type(size) is not int or not 0 <= size <= LARGEST:
            raise TensorFieldError(f"{file}: the {field} of {name} holds {_shown(size)}, not a whole number from 0")
    return tuple(value)


def _shown(value: object) -> str:
    return repr(value)[:40] if isinstance(value, (int, float, str)) or value is None else "a list or object"

"""What a build reads: JUnit's XML, and the annotations of a GitHub workflow."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from .wrapping import printable

Element = ElementTree.Element


def suite(suites: Element, name: str, *, tests: int, failures: int, errors: int = 0) -> Element:
    """A further `testsuite`, with its counts."""
    counts = {"tests": str(tests), "failures": str(failures), "errors": str(errors), "skipped": "0"}
    return ElementTree.SubElement(suites, "testsuite", {"name": _clean(name), **counts})


def case(within: Element, model: str, name: str, where: Mapping[str, str] | None = None) -> Element:
    """A further `testcase`; `where` is the file and the line it is about."""
    named = {"classname": model, "name": name, **(where or {})}
    return ElementTree.SubElement(within, "testcase", {key: _clean(text) for key, text in named.items()})


def failure(within: Element, message: str, *, kind: str = "failure") -> None:
    """The case does not hold; `kind` is `error` where that could not be told."""
    ElementTree.SubElement(within, kind, {"message": _clean(message)})


def remark(within: Element, text: str) -> None:
    """What is said of a case that holds."""
    ElementTree.SubElement(within, "system-out").text = _clean(text)


def document(suites: Element) -> str:
    """The whole file."""
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode")


def workflow_command(level: str, title: str, message: str, *, file: str = "", line: int | None = None) -> str:
    """`::error file=…,line=…,title=…::…`, with what GitHub's commands escape escaped."""
    place = f"file={_property(file)}," if file else ""
    number = f"line={line}," if file and line else ""
    return printable(f"::{level} {place}{number}title={_property(title)}::{_data(message)}")


def _clean(text: str) -> str:
    """Without the control characters that XML cannot hold; a header may name a tensor by any."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

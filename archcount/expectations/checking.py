"""Whether what a project expects of its models holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..errors import ArchcountError
from ..model import Model, load
from ..sources.files import config_path, is_on_disk
from ..verification import verify
from .checks import COUNTS, Check, Outcome
from .figures import FIGURES
from .lines import toml_line
from .reading import WEIGHTS, Expectation, Expectations, Limits
from .unchanged import unchanged


def check(expectations: Expectations) -> list[Check]:
    """A check for everything that is expected, in the order of the file."""
    return [each for model in expectations.models for each in checks_of(model, expectations)]


def check_configs(configs: Sequence[Path], expectations: Expectations | None) -> list[Check]:
    """A check for each of these files: what is expected of it, or where nothing is, that it can be counted."""
    return [each for config in configs for each in _checks_of_config(config, expectations)]


def checks_of(expectation: Expectation, expectations: Expectations) -> list[Check]:
    """A check for each thing expected of one model; a single one that says why where it cannot be counted."""
    source = source_of(expectation, expectations)
    try:
        model = load(source)
    except ArchcountError as error:
        file = source if isinstance(source, Path) else expectations.file
        return [Check(expectation.name, COUNTS, Outcome.UNTOLD, str(error), file)]
    return list(_checks(expectation, expectations, model))


def source_of(expectation: Expectation, expectations: Expectations) -> Path | str:
    """The config as a path from the file's folder; what is none there is a known name or a repository id."""
    path = expectations.file.parent / expectation.config
    is_file = expectation.config.endswith(".json") or is_on_disk(str(path))
    return path if is_file else expectation.config


def _checks_of_config(config: Path, expectations: Expectations | None) -> Iterator[Check]:
    models = expectations.models if expectations else ()
    about = [each for each in models if expectations and _is_of(config, source_of(each, expectations))]
    for each in about:
        if expectations is not None:
            yield from checks_of(each, expectations)
    if not about:
        yield _counts(config)


def _is_of(config: Path, source: Path | str) -> bool:
    return isinstance(source, Path) and _file_of(config) == _file_of(source)


def _file_of(path: Path) -> Path:
    """The config file that a path means, though it be missing."""
    return (config_path(path) if path.is_dir() else path).resolve()


def _counts(config: Path) -> Check:
    try:
        parameters = load(config).totals.parameters
    except ArchcountError as error:
        return Check(str(config), COUNTS, Outcome.UNTOLD, str(error), config)
    return Check(str(config), COUNTS, Outcome.HOLDS, f"{parameters:,} parameters", config, found=parameters)


def _checks(expectation: Expectation, expectations: Expectations, model: Model) -> Iterator[Check]:
    for figure, limits in expectation.figures.items():
        yield _figure(expectation, expectations, figure, limits, FIGURES[figure](model))
    if expectation.weights is not None:
        yield _weights(expectation, expectations, model, expectation.weights)
    if expectation.unchanged_since is not None:
        yield unchanged(expectation, expectations, model)


def _figure(
    expectation: Expectation, expectations: Expectations, figure: str, limits: Limits, found: int | None
) -> Check:
    line = toml_line(expectations.text, expectations.steps(expectation.name, figure))
    if found is None:
        said = f"{figure} of {expectation.config} cannot be told: archcount {expectation.config} says why"
        return Check(expectation.name, figure, Outcome.UNTOLD, said, expectations.file, line)
    for bound, is_wrong in ((limits.least, found < (limits.least or 0)), (limits.most, _exceeds(found, limits.most))):
        if bound is not None and is_wrong:
            words = "should be" if limits.exact is not None else "at least" if found < bound else "at most"
            said = f"{found:,}, {words} {bound:,} ({found - bound:+,})"
            return Check(expectation.name, figure, Outcome.FAILS, said, expectations.file, line, limits.exact, found)
    said = f"{found:,}" if limits.exact is not None else f"{found:,}, {_words(limits)}"
    return Check(expectation.name, figure, Outcome.HOLDS, said, expectations.file, line, limits.exact, found)


def _exceeds(found: int, most: int | None) -> bool:
    return most is not None and found > most


def _words(limits: Limits) -> str:
    sides = ((limits.least, "at least"), (limits.most, "at most"))
    return ", ".join(f"{word} {bound:,}" for bound, word in sides if bound is not None)


def _weights(expectation: Expectation, expectations: Expectations, model: Model, weights: str) -> Check:
    path = expectations.file.parent / weights
    line = toml_line(expectations.text, expectations.steps(expectation.name, WEIGHTS))
    try:
        answer = verify(model, path if path.exists() else weights)
    except ArchcountError as error:
        return Check(expectation.name, WEIGHTS, Outcome.UNTOLD, str(error), expectations.file, line)
    against = [finding for finding in answer.findings if not finding.is_note]
    outcome = Outcome.FAILS if against else Outcome.HOLDS
    first = f": {against[0].kind.value} {against[0].subject}" if against else ""
    more = f", and {len(against) - 1} more (archcount verify)" if len(against) > 1 else ""
    said = f"{answer.verdict.value}, {weights}{first}{more}"
    return Check(expectation.name, WEIGHTS, outcome, said, expectations.file, line)

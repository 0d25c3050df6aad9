"""What several tests share."""

from collections.abc import Callable

import pytest

from archcount.cli import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """A command line that must succeed; what it prints, in 80 columns unless the test says otherwise."""
    monkeypatch.setenv("COLUMNS", "80")

    def printed(*arguments: str) -> str:
        assert main(arguments) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return printed

"""What several tests share."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from archcount.cli import main

# A busy machine is no fault of the code: how long a draw or an example takes is not held against it.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


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

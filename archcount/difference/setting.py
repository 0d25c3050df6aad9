"""One key of a config with the value it has, given or not."""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One key's value. `spelled` is the key as the config has it; `place` the steps to it in the raw config.

    `is_given` is false for a default. `is_read` is false where no tensor can depend on the key.
    """

    value: object
    spelled: str
    place: Place
    is_given: bool
    is_read: bool

    def under(self, prefix: str, place: Place) -> Setting:
        """The same in a config that stands within another."""
        return Setting(self.value, f"{prefix}{self.spelled}", (*place, *self.place), self.is_given, self.is_read)

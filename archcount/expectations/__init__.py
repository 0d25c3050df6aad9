"""What a project expects of its models, checked, and rewritten when it is meant to change."""

from .checking import check, check_configs
from .checks import Check, Outcome
from .reading import Expectations, find, read
from .updating import update

__all__ = ["Check", "Expectations", "Outcome", "check", "check_configs", "find", "read", "update"]

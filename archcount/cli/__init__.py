"""The command line: each verb parses, calls and shows."""

from .main import main

__all__ = ["main"]

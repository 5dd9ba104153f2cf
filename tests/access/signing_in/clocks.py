"""Clocks that a test moves."""

from __future__ import annotations


class Elapsed:
    """A clock of seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

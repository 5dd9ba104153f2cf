"""What runs the metrics. Nothing else knows which engine it is."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa


class Engine(Protocol):
    """One day's events as the table `events`, and what was derived from them so far.

    Faults of the engine and of the storage under it are raised as a StationmasterError. Everything
    else that is raised may be caused by the events, and leads to a search for those.
    """

    def open(self, parts: list[str], name: str = "events") -> None:
        """Make a table of at least one part file, given as absolute paths or URLs.

        Columns that a part lacks are null. FileNotFoundError when a part is missing.
        """

    def digests(self, parts: list[str]) -> list[str]:
        """The SHA-256, in hex, of the bytes of each part that `open` would read, in their order.

        FileNotFoundError when a part is missing.
        """

    def register(self, name: str, table: pa.Table) -> None:
        """Make a small table known by name."""

    def view(self, name: str, sql: str) -> None:
        """Name a query; it runs whenever it is read."""

    def keep(self, name: str, sql: str) -> None:
        """Run a query once and keep its rows by name."""

    def drop(self, name: str) -> None:
        """Let go of the rows that were kept by name."""

    def fetch(self, sql: str) -> pa.Table:
        """The rows of a query."""

    def close(self) -> None:
        """Let go of everything; nothing else may follow."""

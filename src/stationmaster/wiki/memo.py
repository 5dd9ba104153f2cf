"""What earlier runs of a repository found, kept by what it was found from.

A file's facts are kept by the hash of its content, a page by the questions that were asked while it
was written and their answers. Nothing here is needed: without it everything is computed again.
Source: wiki reference, section 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from stationmaster.wiki.facts.model import Asked, Facts
    from stationmaster.wiki.generate import Written
    from stationmaster.wiki.pages.model import Planned


class Memory(Protocol):
    def file(self, oid: str, language: str, version: str) -> bytes | None: ...
    def keep_file(self, oid: str, language: str, version: str, told: bytes) -> None: ...
    def commit(self, oid: str) -> bytes | None: ...
    def keep_commit(self, oid: str, told: bytes) -> None: ...
    def page(self, planned: Planned, facts: Facts) -> Written | None: ...
    def keep_page(self, planned: Planned, asked: Sequence[Asked], written: Written) -> None: ...


class Nothing:
    """Remembers nothing."""

    def file(self, *_: str) -> bytes | None:
        return None

    def keep_file(self, *_: object) -> None: ...

    def commit(self, *_: str) -> bytes | None:
        return None

    def keep_commit(self, *_: object) -> None: ...

    def page(self, *_: object) -> Written | None:
        return None

    def keep_page(self, *_: object) -> None: ...

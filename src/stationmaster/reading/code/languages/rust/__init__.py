"""Rust."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.languages.rust import commands, routes, running, settings
from stationmaster.reading.code.languages.rust.attributes import File as File
from stationmaster.reading.code.model import Fact, Test, Wiring


def _of_product(file: File) -> Iterator[Fact]:
    """What a file declares: of what is compiled only for tests, the tests."""
    for read in (running.mains, routes.read, commands.read, settings.read, running.read):
        for fact in read(file):
            line = 0 if isinstance(fact, Test | Wiring) else fact.line
            if not any(line in lines for lines in file.for_tests):
                yield fact


READERS = (_of_product,)
"""What a file of Rust declares."""

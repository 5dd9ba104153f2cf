"""Go."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.languages import conditional, wrapping
from stationmaster.reading.code.languages.command_lines import kingpin
from stationmaster.reading.code.languages.go import (
    by_hand,
    commands,
    routes,
    running,
    settings,
    tagged,
)
from stationmaster.reading.code.languages.go.frameworks import File as File
from stationmaster.reading.code.model import Entry, EntryKind

_HEAD_MAX = 20_000


def _mains(file: File) -> Iterator[Entry]:
    """A file that builds leave out unless they are asked for it is a script of its own."""
    stated = conditional.of_go("", file.data[:_HEAD_MAX].decode(errors="replace"))
    kind: EntryKind = "script" if conditional.is_asked(stated) else "main"
    for symbol in file.symbols if file.package == "main" else ():
        if symbol.qualified == "main" and symbol.kind == "function":
            yield Entry("main", kind, symbol.line, "main")


READERS = (
    wrapping.read,
    _mains,
    routes.read,
    commands.read,
    by_hand.read,
    kingpin.read,
    tagged.read,
    settings.read,
    running.read,
)

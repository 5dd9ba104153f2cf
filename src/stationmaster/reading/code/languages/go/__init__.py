"""Go."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.reading.code.languages import wrapping
from stationmaster.reading.code.languages.go import (
    by_hand,
    commands,
    kingpin,
    kong,
    routes,
    running,
    settings,
)
from stationmaster.reading.code.languages.go.frameworks import File as File
from stationmaster.reading.code.languages.source import line_of, one_line
from stationmaster.reading.code.model import Entry, Mark

_DEPRECATED = re.compile(r"^(?://|/\*)?[ \t*]*Deprecated: ([^\n]{0,200})", re.MULTILINE)


def _deprecated(file: File) -> Iterator[Mark]:
    for node in file.nodes["comment"]:
        if match := _DEPRECATED.search(file.text(node)):
            yield Mark("deprecated", line_of(node), one_line(match[1]))


def _mains(file: File) -> Iterator[Entry]:
    for symbol in file.symbols if file.package == "main" else ():
        if symbol.qualified == "main" and symbol.kind == "function":
            yield Entry("main", "main", symbol.line, "main")


READERS = (
    wrapping.read,
    _mains,
    _deprecated,
    routes.read,
    commands.read,
    by_hand.read,
    kingpin.read,
    kong.read,
    settings.read,
    running.read,
)

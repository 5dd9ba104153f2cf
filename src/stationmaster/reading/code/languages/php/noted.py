"""Types that comments of PHP declare: `@property` of a class, `@var` of a property, `@return`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from stationmaster.reading.code.languages.source import Source
from stationmaster.reading.code.model import Symbol

NOTES_MAX = 2_000
"""Of a file."""
_TYPE = rb"(\\?[A-Za-z][\w\\]{1,200})(?:\|null)?"
_BEHIND = rb"[^\n]{0,200}(?:\n[ \t]*\*(?!/)[^\n]{0,200}){0,12}?\s*\*/\s*"
_MODIFIERS = rb"(?:(?:abstract|final|public|protected|private|static|readonly|var)\s+){1,4}"
_NOTE = re.compile(
    rb"@property(?:-read|-write)?[ \t]+" + _TYPE + rb"[ \t]+\$(\w{1,80})"
    rb"|@var[ \t]+" + _TYPE + rb"(?:[ \t]|\*/|\n)" + _BEHIND + _MODIFIERS + rb"\$(\w{1,80})"
    rb"|@return[ \t]+"
    + _TYPE
    + rb"[ \t]*\n"
    + _BEHIND.replace(rb"[^\n]{0,200}", b"", 1)
    + _MODIFIERS
    + rb"function\s+&?(\w{1,80})"
)


def noted_types(source: Source, symbols: Sequence[Symbol]) -> Iterator[tuple[str, str, str]]:
    """Holders, names and types: the holder of a property is its class; a result has the name ''."""
    if not any(mark in source.data for mark in (b"@property", b"@var", b"@return")):
        return
    classes = sorted(
        (it for it in symbols if it.kind in ("class", "trait")), key=lambda it: it.line
    )
    lines = [it.line for it in classes]
    at, line = 0, 1
    for number, match in enumerate(_NOTE.finditer(source.data)):
        line += source.data.count(b"\n", at, match.start())
        at = match.start()
        index = bisect_right(lines, line)
        if number == NOTES_MAX:
            return
        above, of, type_, field, parameter, function = match.groups()
        if above is not None and index < len(classes):
            yield classes[index].qualified, of.decode(), above.decode()
        elif index and above is None and line <= classes[index - 1].end:
            holder = classes[index - 1].qualified
            if field is not None:
                yield holder, field.decode(), type_.decode()
            else:
                yield f"{holder}.{function.decode()}", "", parameter.decode()

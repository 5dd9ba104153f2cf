"""Command lines out of scripts: continued lines joined, comments and texts for others left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

LINES_MAX = 2_000
"""Of one script."""
_TEXT_MAX = 2_000
_HERE = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w{0,60})\1")
_COMMENT = re.compile(r"(?:#|//|::|REM\b|rem\b)")


def lines(script: str) -> Iterator[tuple[str, int]]:
    """The commands of a script, and the number of the line each begins on, counted from 0."""
    waiting: list[str] = []
    begun = 0
    until = ""
    for number, line in enumerate(script.split("\n")[:LINES_MAX]):
        if until:
            until = "" if line.strip() == until else until
            continue
        if waiting and line.lstrip().startswith("#"):
            continue
        if not waiting:
            begun = number
        if line.rstrip().endswith("\\"):
            waiting.append(line.rstrip()[:-1].strip())
            continue
        command = " ".join([*waiting, line.strip()]).strip()
        waiting = []
        if command and not _COMMENT.match(command):
            here = _HERE.search(command)
            until = here[2] if here else ""
            yield command[:_TEXT_MAX], begun

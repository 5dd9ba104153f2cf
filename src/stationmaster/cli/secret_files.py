"""Secrets that commands take: from a file or standard input, never as the value of an option, since
arguments of a process are everyone's to see.
"""

from __future__ import annotations

import sys
from pathlib import Path

from stationmaster.errors import BadRequest

_LENGTH_MAX = 8_192


def read(option: str, path: Path) -> str:
    """The secret in a file; `-` is standard input. Raises BadRequest that names the option."""
    if str(path) == "-":
        return sys.stdin.read(_LENGTH_MAX).strip()
    try:
        with path.open(encoding="utf-8") as file:
            return file.read(_LENGTH_MAX).strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise BadRequest(f"{option} {path} cannot be read", code="usage") from fault

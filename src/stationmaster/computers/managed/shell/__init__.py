"""Texts of scripts for `sh` on machines, one a file; a name between two @ is a value."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


def text(name: str, **values: str | int) -> str:
    """A script with its values, which must be quoted already."""
    return re.sub(r"@(\w+)@", lambda place: str(values[place[1]]), _file(name))


@cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(f"{name}.sh").read_text(encoding="utf-8")

"""What names, paths and lines look like: `expressions.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from stationmaster.catalogue.table import compiled, lazy_table

_table = lazy_table("repositories/expressions", dict[str, dict[str, str]])


class _Compiled(dict[str, re.Pattern[str]]):
    """Patterns by their names, each compiled when it is first asked for: a repository needs few."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written

    def __missing__(self, name: str) -> re.Pattern[str]:
        pattern = self[name] = compiled(self._written[name])
        return pattern


@cache
def expressions(subject: str) -> Mapping[str, re.Pattern[str]]:
    """The expressions of a subject by their names. Raises KeyError for a subject without any."""
    return _Compiled(_table()[subject])

"""What names, paths and lines look like: `expressions.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from stationmaster.catalogue.table import compiled, once

_table = once("repositories/expressions", dict[str, dict[str, str]])


@cache
def expressions(subject: str) -> Mapping[str, re.Pattern[str]]:
    """The expressions of a subject by their names. Raises KeyError for a subject without any."""
    return {name: compiled(written) for name, written in _table()[subject].items()}

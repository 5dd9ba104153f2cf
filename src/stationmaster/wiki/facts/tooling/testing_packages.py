"""Packages that are there for tests, by their names in all ecosystems."""

from __future__ import annotations

import fnmatch
import re

from stationmaster.catalogue.repositories.frameworks import frameworks

_KNOWN = re.compile("|".join(map(fnmatch.translate, frameworks().testing)))


def is_for_tests(name: str) -> bool:
    return _KNOWN.match(name.lower()) is not None

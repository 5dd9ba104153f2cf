"""What readers of settings share: the files that they read, and the shape of what they give."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.reading.code.model import Setting
from stationmaster.wiki.facts.model import Facts

Place = tuple[str, int]
"""A path and a line."""
Read = tuple[str, Setting]
"""The file that reads or declares a setting."""


def sources(facts: Facts, *endings: str) -> Iterator[str]:
    """The code files of the product, all or those whose names end so."""
    for path in facts.code:
        if facts.records[path].file_class == "source" and (not endings or path.endswith(endings)):
            yield path

"""A page before it is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.text.page import Page

Write = Callable[[Page, Facts, Any], None]


class Planned(NamedTuple):
    """`write(page, facts, subject)` fills it; `subject` is text or a number, None where there is
    one page of its kind. `version` is raised when what `write` makes of the same answers changes.
    """

    key: str
    title: str
    write: Write
    subject: Any = None
    version: int = 1

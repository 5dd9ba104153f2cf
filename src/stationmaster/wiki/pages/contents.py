"""What the pages of a long list hold, for the page above them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.text.inline import code
from stationmaster.wiki.text.page import Page


def contents(
    page: Page, key: str, sheets: Sequence[Sheet[Any]], what: str, sign: str = "/"
) -> None:
    """A row for each section, with the page that has it: `key`, `sign` and its slug."""
    rows = [
        (code(part.title), len(part.items), page.link(f"{key}{sign}{sheet.slug}"))
        for sheet in sheets
        for part in sheet.parts
    ]
    page.table(("Part", what, "Page"), rows)

"""Pieces that pages of long lists share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import Sheet
from stationmaster.wiki.facts.unread import Unread
from stationmaster.wiki.text.inline import Md, code, joined, md
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


def packages(page: Page, unread: Sequence[Unread], what: str) -> Md:
    """Packages that are used, and of which nothing was recognised; nothing where there are none."""
    if not unread:
        return Md("")
    names = [md("{} ({})", code(package.package), page.cite(package.place)) for package in unread]
    whose = "its" if len(unread) == 1 else "their"
    template = "The code uses {}, and none of {} {} was recognised."
    return md(template, joined(names, last=" and "), whose, what)


def module_link(page: Page, facts: Facts, path: str) -> Md:
    """The page of the module that a file belongs to; nothing for one that belongs to none."""
    key = module_of(facts, path)
    return page.link(key) if key else Md("")

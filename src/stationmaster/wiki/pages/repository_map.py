"""The folders of the repository to three levels: what is in them, and what they are for."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.about import about_folder
from stationmaster.wiki.facts.folders import Folder, folder, folders_in
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, code, md
from stationmaster.wiki.text.page import Page

CHAPTERS_MAX = 30
_WORDS = {
    "source": "source", "test": "tests", "fixture": "test data", "generated": "generated",
    "vendored": "code of others", "docs": "documents", "config": "configuration", "ci": "CI",
    "infra": "deployment", "schema": "schemas", "data": "data", "asset": "assets",
    "binary": "binaries",
}  # fmt: skip


def plan(facts: Facts) -> Iterator[Planned]:
    if folder(facts, ".").files >= 5:
        yield Planned("repository-map", "Repository map", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    top = folder(facts, ".")
    inside = folders_in(facts, ".")
    largest = max(inside, key=lambda each: (each.lines, each.path), default=None)
    page.summary(
        md("{} files lie in {} folders at the root and below.", f"{top.files:,}", len(inside)),
        md("Most of the code is in {}.", code(largest.path)) if largest and largest.lines else "",
    )
    page.section("Root")
    _table(page, facts, inside)
    for each in inside[:CHAPTERS_MAX]:
        below = [
            deeper
            for child in folders_in(facts, each.path)
            for deeper in (child, *folders_in(facts, child.path))
        ]
        if each.lines and each.is_ours and len(below) > 1:
            page.section(each.path)
            many = len(below) > 40
            _table(page, facts, [one for one in below if not many or one.path.count("/") == 1])
    page.see("architecture", "source-index", "by-the-numbers")


def _table(page: Page, facts: Facts, found: list[Folder] | tuple[Folder, ...]) -> None:
    rows: list[tuple[Md | str | int, ...]] = []
    for each in found:
        said = about_folder(facts, each.path) if each.is_ours else None
        kind = _WORDS.get(each.file_class, each.file_class)
        rows.append((
            code(each.path), each.files, f"{each.lines:,}" if each.lines else "", kind,
            page.link(each.module) if each.module else "", said.words if said else "",
        ))  # fmt: skip
    page.table(("Folder", "Files", "Lines of code", "Mostly", "Module", "What it says"), rows,
               "The others are in the folders of the source index.")  # fmt: skip

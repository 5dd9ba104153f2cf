"""What a published library offers: each public name with its signature and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.about import about_module, plain
from stationmaster.wiki.facts.library import offering
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module, module_name
from stationmaster.wiki.facts.symbols import public_count, public_of
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Place, code, md
from stationmaster.wiki.text.page import ROWS_MAX, Page

KEY = "api/library"
NAMES_MAX = 250
"""On one page; with more each module has its own."""


def plan(facts: Facts) -> Iterator[Planned]:
    found = offering(facts)
    if not found:
        return
    yield Planned(KEY, "Library", _write)
    if _is_long(facts, found):
        for key in found:
            yield Planned(_key(key), f"API of {module_name(facts, key)}", _write_module, key)


def _is_long(facts: Facts, found: Sequence[str]) -> bool:
    return sum(public_count(facts, key) for key in found) > NAMES_MAX


def _key(key: str) -> str:
    return f"{KEY}/{key.rpartition('/')[2]}"


def _write(page: Page, facts: Facts, _: None) -> None:
    found = offering(facts)
    count = sum(public_count(facts, key) for key in found)
    page.summary(md("{} public names in {} modules that are published.", f"{count:,}", len(found)))
    if _is_long(facts, found):
        page.section("Modules")
        rows = []
        for key in found:
            said = about_module(facts, key)
            rows.append((page.link(_key(key), module_name(facts, key)), public_count(facts, key),
                         said.words if said else code(module(facts, key).path)))  # fmt: skip
        for start in range(0, len(rows), ROWS_MAX):
            page.table(("Module", "Public names", "What it is"), rows[start : start + ROWS_MAX])
    else:
        for key in found:
            page.section(module_name(facts, key))
            _names(page, facts, key, 3)
    page.see("architecture", "extension-points", "source-index")


def _write_module(page: Page, facts: Facts, key: str) -> None:
    said = about_module(facts, key)
    page.summary(
        md("“{}” ({})", said.words, page.cite(said.place)) if said else "",
        md("{} has {} public names.", page.link(key, module_name(facts, key)),
           public_count(facts, key)),
    )  # fmt: skip
    _names(page, facts, key, 2)
    page.see(KEY, key)


def _names(page: Page, facts: Facts, key: str, level: int) -> None:
    for path in module(facts, key).files:
        found = public_of(facts, path)
        if found:
            page.section(path, level)
            page.table(
                ("Name", "Kind", "What it says", "Where"),
                [(code(each.signature or each.qualified), each.kind, plain(each.doc),
                  page.cite(Place(path, each.line, each.end))) for each in found],
                md("All names are in the {}.", page.link("source-index", "source index")),
            )  # fmt: skip

"""Every file of source and tests with its public names; of other files, how many lie where."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.files import chapters, files_of, others_of, public_names
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import module_name, module_of, slug
from stationmaster.wiki.facts.sizes import size_of
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page

KEY = "source-index"
NAMES_MAX = 60


def plan(facts: Facts) -> Iterator[Planned]:
    found = chapters(facts)
    if not found:
        return
    if len(found) == 1:
        yield Planned(KEY, "Source index", _write_chapter, found[0])
        return
    yield Planned(KEY, "Source index", _write)
    for each in found:
        yield Planned(_key(each), f"Files of {each}" if each != "." else "Files", _write_chapter,
                      each)  # fmt: skip


def _key(chapter: str) -> str:
    return f"{KEY}/{slug(chapter) if chapter != '.' else 'root'}"


def _write(page: Page, facts: Facts, _: None) -> None:
    found = chapters(facts)
    page.summary(md("Every file of source and tests is on one of {} pages.", len(found)))
    page.section("Folders")
    page.items([
        md("{}: {} files", page.link(_key(each), each), len(files_of(facts, each)))
        for each in found
    ], most=len(found))  # fmt: skip
    page.see("repository-map", "by-the-numbers", "gaps")


def _write_chapter(page: Page, facts: Facts, chapter: str) -> None:
    found = files_of(facts, chapter)
    page.summary(md("{} files of source and tests, with their public names.", len(found)))
    before = None
    lines: list[Md] = []
    for path in found:
        folder = path.rpartition("/")[0]
        if folder != before and lines:
            page.items(lines, most=len(lines))
            lines = []
        if folder != before:
            page.section(folder or "Root")
        before = folder
        lines.append(_line(page, facts, path))
    page.items(lines, most=len(lines))
    others = others_of(facts, chapter)
    if others:
        page.section("Other files")
        page.table(("Folder", "Kind", "Files"),
                   [(code(folder), kind, count) for folder, kind, count in others])  # fmt: skip
    page.see(KEY, "repository-map")


def _line(page: Page, facts: Facts, path: str) -> Md:
    size = size_of(facts, path)
    key = module_of(facts, path)
    told = [page.link(key, module_name(facts, key))] if key else [Md("test")]
    if size.lines:
        told.append(md("{} lines", f"{size.lines:,}"))
    names = public_names(facts, path)
    if not names:
        return md("{} ({})", page.cite(Place(path)), joined(told))
    shown = joined([code(name, 60) for name in names[:NAMES_MAX]])
    left = len(names) - NAMES_MAX
    end = md(", {} more", left) if left > 0 else Md("")
    return md("{} ({}): {}{}", page.cite(Place(path)), joined(told), shown, end)

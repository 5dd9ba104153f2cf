"""One page for each module: what it is for, what is in it, who uses it, where to change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.about import about_file, about_module, plain
from stationmaster.wiki.facts.graph import (
    Use,
    importers,
    key_files,
    packages_of,
    used_by,
    uses,
)
from stationmaster.wiki.facts.history import churn_of_module
from stationmaster.wiki.facts.inside import Held, inside
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import Module, module, module_name, module_names
from stationmaster.wiki.facts.sizes import Size, size_of, size_of_module
from stationmaster.wiki.facts.symbols import Known, key_symbols, public_count, public_of
from stationmaster.wiki.facts.tests import of_module
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import Diagram, Edge, neighbours
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
FILES_MAX = 12
FILE_NAMES_MAX = 60
"""Of a folder whose files are only named."""
NAMES_MAX = 12
MORE_NAMES = 1.25
"""So many times the key symbols there are public names, for a table of them to tell more."""
PACKAGES_MAX = 12
TESTS_MAX = 15
INSIDE_MAX = 30


def plan(facts: Facts) -> Iterator[Planned]:
    for each in module_names(facts):
        if is_worth_a_page(facts, each.key):
            yield Planned(each.key, each.name, _write, each.key)


def is_worth_a_page(facts: Facts, key: str) -> bool:
    """Is there enough to tell of a module?"""
    found = len(module(facts, key).files) + len(uses(facts, key)) + len(used_by(facts, key))
    return found >= FACTS_MIN or found + public_count(facts, key) + len(inside(facts, key)) > (
        FACTS_MIN
    )


def _write(page: Page, facts: Facts, key: str) -> None:
    this, size = module(facts, key), size_of_module(facts, key)
    using, users = uses(facts, key), used_by(facts, key)
    page.summary(*_summary(page, facts, this, size, users))
    _glance(page, facts, this, size, using, users)
    _files(page, facts, this)
    _symbols(page, key_symbols(facts, key), public_count(facts, key))
    if public_count(facts, key) > MORE_NAMES * len(key_symbols(facts, key)):
        _surface(page, facts, this)
    _inside(page, inside(facts, key))
    _around(page, facts, key, using, users)
    _packages(page, packages_of(facts, key))
    _tests(page, of_module(facts, key))
    _change(page, facts, this, users)
    page.see("architecture")


def _summary(
    page: Page, facts: Facts, this: Module, size: Size, users: Sequence[Use]
) -> Iterator[Md]:
    said = about_module(facts, this.key)
    if said is not None:
        yield md("“{}” ({})", said.words, page.cite(said.place))
    files = md("{} {} in {}", len(this.files), _files_word(size, len(this.files)), code(this.path))
    if len(this.files) == 1:
        language = size.languages[0] if size.languages else "source"
        files = md("one {} file, {}", language, code(this.path))
    if users:
        names = [page.link(each.key) for each in users[:3]]
        yield md(
            "It is {} with {} lines; {} it{}.", files, f"{size.lines:,}",
            md("{} use", joined(names, last=None if len(users) > 3 else " and "))
            if len(users) > 1 else md("{} uses", names[0]),
            md(", as do {} more modules", len(users) - 3) if len(users) > 3 else Md(""),
        )  # fmt: skip
    else:
        yield md("It is {} with {} lines; no other module imports it.", files, f"{size.lines:,}")


def _files_word(size: Size, count: int) -> str:
    language = f"{size.languages[0]} " if len(size.languages) == 1 else ""
    return f"{language}file{'' if count == 1 else 's'}"


def _glance(
    page: Page, facts: Facts, this: Module, size: Size, using: Sequence[Use], users: Sequence[Use]
) -> None:
    churn = churn_of_module(facts, this.key)
    tests = of_module(facts, this.key)
    page.glance([
        ("Path", code(this.path)),
        ("Built with", code(this.unit) if this.unit != "." else None),
        ("Size", f"{counted(len(this.files), 'file')}, {counted(size.lines, 'line')}"),
        ("Languages", ", ".join(size.languages)),
        ("Public names", public_count(facts, this.key) or None),
        ("Uses", counted(len(using), "module") if using else None),
        ("Used by", counted(len(users), "module") if users else None),
        ("Test files that reach it", len(tests) or None),
        ("Commits", churn.commits or None),
        ("Last change", churn.until),
    ])  # fmt: skip


def around(facts: Facts, key: str, using: Sequence[Use], users: Sequence[Use]) -> Diagram | None:
    """A module among those that it uses and that use it."""
    edges = [Edge(key, each.key, str(each.files), each.weight) for each in using]
    edges += [Edge(each.key, key, str(each.files), each.weight) for each in users]
    names = {each: module_name(facts, each) for each in {key, *(u.key for u in (*using, *users))}}
    caption = f"{names[key]} and its nearest modules; numbers count importing files"
    return neighbours(caption, key, names, edges)


def _files(page: Page, facts: Facts, this: Module) -> None:
    if len(this.files) < 2:
        return
    page.section("Key files")
    rows = []
    shown = key_files(facts, this.key)[:FILES_MAX]
    for path in shown:
        names = [each.name for each in public_of(facts, path)]
        rows.append((
            page.cite(Place(path)), size_of(facts, path).lines, importers(facts, path) or "",
            about_file(facts, path) or _names(names, 4),
        ))  # fmt: skip
    page.table(("File", "Lines", "Imported by", "What it holds"), rows)
    others = [path for path in this.files if path not in shown]
    if others:
        page.text("The others by folder:")
        page.items(_folders(others))


def _folders(paths: Sequence[str]) -> Iterator[Md]:
    """Folders with the names of files in them."""
    for folder, inside_ in groupby(sorted(paths, key=_place), folder_of):
        yield md(
            "{}: {}", code(folder), _names([_place(path)[1] for path in inside_], FILE_NAMES_MAX)
        )


def _place(path: str) -> tuple[str, str]:
    return folder_of(path), path.rpartition("/")[2]


def _symbols(page: Page, known: Sequence[Known], count: int) -> None:
    if not known:
        return
    page.section("Key symbols")
    page.table(
        ("Symbol", "Kind", "Used in", "What it says", "Where"),
        [
            (code(each.symbol.qualified), each.symbol.kind,
             counted(each.users, "file") if each.users else "",
             plain(each.symbol.doc), page.cite(Place(each.path, each.symbol.line, each.symbol.end)))
            for each in known
        ],
    )  # fmt: skip
    if count > len(known):
        page.text(md("{} of {} public names.", len(known), count))


def _surface(page: Page, facts: Facts, this: Module) -> None:
    """All public names, file by file."""
    rows = []
    for path in this.files:
        found = public_of(facts, path)
        if found:
            rows.append((page.cite(Place(path, found[0].line)), len(found), _names(
                [each.name for each in found], NAMES_MAX)))  # fmt: skip
    if len(rows) > 1:
        page.section("Public names")
        page.table(("File", "Count", "Names"), rows)


def in_short(facts: Facts, key: str) -> Md:
    """What a module says of itself, else its key symbols."""
    said = about_module(facts, key)
    return text(said.words) if said else _names(
        [each.symbol.name for each in key_symbols(facts, key)[:3]], 3)  # fmt: skip


def _names(names: Sequence[str], most: int) -> Md:
    shown = [code(each, 60) for each in names[:most]]
    left = len(names) - len(shown)
    return joined([*shown, md("{} more", left)] if left > 0 else shown)


def _inside(page: Page, held: Sequence[Held]) -> None:
    if not held:
        return
    page.section("Ways in, settings and data")
    page.table(
        ("Kind", "Name", "Where"),
        [(page.link(each.key, each.kind), code(each.name), page.cite(each.place))
         for each in held[:INSIDE_MAX]],
    )  # fmt: skip
    if len(held) > INSIDE_MAX:
        keys = dict.fromkeys(each.key for each in held)
        page.text(md("{} of {}.", INSIDE_MAX, len(held)))
        page.see(*keys)


def _around(page: Page, facts: Facts, key: str, using: Sequence[Use], users: Sequence[Use]) -> None:
    """A picture of the nearest modules, and tables of all of them."""
    drawn = around(facts, key, using, users)
    if drawn is not None:
        page.section("Neighbours")
        page.diagram(drawn._replace(alternative=[]))
    for title, found in (("Uses", using), ("Used by", users)):
        if found:
            page.section(title, 3)
            page.table(
                ("Module", "Importing files", "Imported files", "For example"),
                [
                    (page.link(each.key, module_name(facts, each.key)), each.files, each.targets,
                     page.cite(Place(each.path, each.line)))
                    for each in found
                ],
            )  # fmt: skip


def _packages(page: Page, found: Sequence[tuple[str, int]]) -> None:
    if found:
        page.section("Packages from outside")
        told = [md("{} ({})", code(name), count) for name, count in found[:PACKAGES_MAX]]
        left = len(found) - len(told)
        end = md(" and {} more", left) if left > 0 else Md("")
        page.text(md("With the number of files that import them: {}{}.", joined(told), end))


def _tests(page: Page, found: Sequence[str]) -> None:
    if found:
        page.section("Tests")
        page.items((page.cite(Place(path)) for path in found), TESTS_MAX)
        page.see("testing")


def _change(page: Page, facts: Facts, this: Module, users: Sequence[Use]) -> None:
    known = [each for each in key_symbols(facts, this.key) if each.users > 1][:3]
    lines = [
        md("{} is named in {} files outside of its own ({}).", code(each.symbol.qualified),
           each.users, page.cite(Place(each.path, each.symbol.line)))
        for each in known
    ]  # fmt: skip
    tests = of_module(facts, this.key)[:3]
    if tests:
        told = [page.cite(Place(path)) for path in tests]
        lines.append(md("Run {} first: they reach it and little else.", joined(told, last=" and ")))
    elif users:
        lines.append(md("No test file reaches it by imports."))
    if len(lines) > 1:
        page.section("Where to change it")
        page.items(lines)

"""One page for each module: what it is for, what is in it, who uses it, where to change it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.wiki.facts.code.comments import comment, lines_of
from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.graph import Use, key_files, used_by, uses
from stationmaster.wiki.facts.code.inside import components, inside
from stationmaster.wiki.facts.code.modules import Module, module, module_name, module_names
from stationmaster.wiki.facts.code.sizes import size_of, size_of_module
from stationmaster.wiki.facts.code.symbols import (
    TYPES,
    Known,
    entered_types,
    key_symbols,
    large_types,
    public_count,
    public_of,
    shared,
)
from stationmaster.wiki.facts.extending.registering import is_past
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.subjects.concepts import concepts_of
from stationmaster.wiki.facts.texts.about import about_file, about_module
from stationmaster.wiki.facts.texts.meanings import kind_of, meaning
from stationmaster.wiki.facts.tooling.tests import of_module
from stationmaster.wiki.pages.explaining import shown
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block, quoted

FACTS_MIN = 5
FILES_MAX, NAMES_MAX = 12, 4
"""Of a module, and of what one of them declares."""
TYPES_MAX = 5
EXAMPLE_MAX = 40
"""Lines of a function that is an example."""
CONCEPTS_MAX = 6
"""Subjects in which a module takes part."""
LETTERS_MIN = 5
"""Of a name that says nothing beside that of its file."""
STATIONS_MIN = 3
"""Functions of a module through which a flow goes that is said to lead through it."""
_ASIDE = re.compile(r"(?i)(?:warning|note|todo|fixme|deprecated|this (?:file|package|module) is)\b")
MORE_WORDS = 1.3
"""So many times its first sentence a comment is long that is quoted beside it."""


def plan(facts: Facts) -> Iterator[Planned]:
    for each in module_names(facts):
        if is_worth_a_page(facts, each.key):
            yield Planned(each.key, each.name, _write, each.key, version=4)


def is_worth_a_page(facts: Facts, key: str) -> bool:
    """Is there more to tell of a module than files and where programs begin, and enough?"""
    declared = sum(count for page, count in inside(facts, key).items() if page != "architecture")
    held = public_count(facts, key) + declared
    around = len(uses(facts, key)) + len(used_by(facts, key))
    found = len(module(facts, key).files) + around
    is_linked_only = held == declared and not around and about_module(facts, key) is None
    return held > 0 and not is_linked_only and (found >= FACTS_MIN or found + held > FACTS_MIN)


def _write(page: Page, facts: Facts, key: str) -> None:
    this = module(facts, key)
    using, users = uses(facts, key), used_by(facts, key)
    page.summary(*_summary(page, facts, this))
    known = [each for each in key_symbols(facts, key) if not is_past(each.path)]
    explained = {
        spot: it for spot in _explained(facts, key, known) if (it := shown(page, facts, spot))
    }
    page.fill("module", quote=_own_words(page, facts, key), types=[*explained.values()])
    alike = shared(facts, key)
    others = [each for each in known if Spot(each.path, each.symbol.qualified) not in explained
              and each.symbol.qualified not in alike]  # fmt: skip
    _contract(page, facts, this, alike)
    page.section("Components")
    page.items(_folders(components(facts, key)))
    _symbols(page, facts, others, is_rest=bool(explained))
    _files(page, facts, this, is_alike=bool(alike))
    _around(page, facts, using, users)
    _change(page, facts, this)
    page.see(*_ways(facts, this), *_concepts(facts, this), *inside(facts, key), "architecture")


def _explained(facts: Facts, key: str, known: Sequence[Known]) -> list[Spot]:
    """The types that are entered from outside, the large ones, and those that most files use."""
    large = large_types(facts, key)
    entered = entered_types(facts, key)
    used = [
        Spot(each.path, each.symbol.qualified) for each in known
        if each.symbol.kind in TYPES and each.symbol.end > each.symbol.line
    ]  # fmt: skip
    found = [it for it in dict.fromkeys([*entered, *large, *used]) if not is_past(it.path)]
    return found[: max(TYPES_MAX, len({*entered, *large}) + 2)]


def _own_words(page: Page, facts: Facts, key: str) -> Md:
    """The comment of the file that speaks for the module."""
    said = about_module(facts, key)
    found = comment(facts, said.place.path, "") if said else None
    if said is None or found is None or len(found.words) < MORE_WORDS * len(said.words):
        return Md("")
    return page.sourced(quoted(found.words), found.place)


def _concepts(facts: Facts, this: Module) -> list[str]:
    """Those to which most of its files belong, at most CONCEPTS_MAX."""
    counts = Counter(each for path in this.files for each in concepts_of(facts, path))
    return sorted(counts, key=lambda each: (-counts[each], each))[:CONCEPTS_MAX]


def _ways(facts: Facts, this: Module) -> list[str]:
    """The flows that go through several of its functions."""
    files = {*this.files}
    counts = {
        key: sum(it.spot.path in files for it in flow(facts, key).stations) for key in flows(facts)
    }
    most = sorted(counts, key=lambda key: (-counts[key], key))[:CONCEPTS_MAX]
    return [key for key in most if counts[key] >= STATIONS_MIN]


def _summary(page: Page, facts: Facts, this: Module) -> Iterator[Md]:
    said = about_module(facts, this.key)
    if said is not None and said.is_whole:
        yield md("“{}” ({}).", said.words, page.cite(said.place))
    if not size_of_module(facts, this.key).lines:
        yield md("Its files in {} are in languages that are not read.", code(this.path))
    elif len(this.files) == 1:
        yield md("Its code is {}.", code(this.files[0]))
    elif any(is_below(it.path, this.path) and it.key != this.key for it in module_names(facts)):
        below = Md("") if this.path == "." else md(" below {}", code(this.path))
        words = "Its code is {}{} that belong to no other module."
        yield md(words, counted(len(this.files), "file"), below)
    elif this.path != this.name:
        yield md("Its code is in {}.", code(this.path))


def _contract(page: Page, facts: Facts, this: Module, alike: Mapping[str, int]) -> None:
    """The functions that most files of a module declare, as one of them does."""
    if not alike:
        return
    declared = {path: {it.qualified: it for it in public_of(facts, path)} for path in this.files}
    whole = [path for path in this.files if alike.keys() <= declared[path].keys()]
    if not whole:
        return
    ordered = sorted(whole, key=lambda path: (size_of(facts, path).lines, path))
    path = ordered[len(ordered) // 2]
    page.section("What its files have in common")
    files, place = counted(len(this.files), "file"), page.cite(Place(path))
    is_whole = {*alike.values()} == {len(this.files)}
    names = [
        code(name) if is_whole else md("{} ({})", code(name), counted(count, "file"))
        for name, count in alike.items()
    ]
    most = "All" if is_whole else "Most of the"
    page.text(md("{} {} declare {}, as {} does:", most, files, joined(names, last=" and "), place))
    for symbol in sorted((declared[path][name] for name in alike), key=lambda it: it.line):
        lines = "\n".join(lines_of(facts, path)[symbol.line - 1 : symbol.end][:EXAMPLE_MAX])
        page.block(block(lines, facts.records[path].language.lower()))


def _files(page: Page, facts: Facts, this: Module, *, is_alike: bool) -> None:
    """The files that matter most with what they hold; of files that are alike the names alone."""
    if len(this.files) < 2:
        return
    page.section("Files" if is_alike else "Key files")
    rows = []
    said = about_module(facts, this.key)
    public = {path: {it.name: None for it in public_of(facts, path)} for path in this.files}
    declared = Counter(name for names in public.values() for name in names)
    for path in () if is_alike else key_files(facts, this.key)[:FILES_MAX]:
        stem = _letters(path.rpartition("/")[2].rpartition(".")[0])
        own = (name for name in public.get(path, ()) if declared[name] == 1)
        names = [code(name, 60) for name in own if not _is_called(name, stem)]
        about = about_file(facts, path)
        is_new = about and (said is None or about != said.words)
        holds = about if is_new else among(names[:NAMES_MAX], len(names))
        rows.append((page.cite(Place(path)), holds))
    page.table(("File", "What it holds"), rows)
    page.items(_folders(this.files) if is_alike else ())


def _is_called(name: str, stem: str) -> bool:
    """Does the name of a file say that of what it holds, or of the interface of that?"""
    own = _letters(name)
    return own in (stem, f"i{stem}") or (len(own) >= LETTERS_MIN and own in stem)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


def _folders(paths: Sequence[str]) -> Iterator[Md]:
    """Folders with the names of files in them."""
    for folder, inside_ in groupby(sorted(paths, key=_place), folder_of):
        yield md("{}: {}", code(folder), joined([code(_place(path)[1]) for path in inside_]))


def _place(path: str) -> tuple[str, str]:
    return folder_of(path), path.rpartition("/")[2]


def _symbols(page: Page, facts: Facts, known: Sequence[Known], *, is_rest: bool) -> None:
    """Those with a comment."""
    page.section("Other central names" if is_rest else "Central names")
    page.table(
        ("Name", "Kind", "What it says", "Where"),
        [
            (code(it.symbol.qualified), kind_of(it.symbol), meaning(facts, it.symbol),
             page.cite(Place(it.path, it.symbol.line, it.symbol.end)))
            for it in known if meaning(facts, it.symbol)
        ],
    )  # fmt: skip


def purpose(facts: Facts, key: str) -> Md:
    """What a module says of itself."""
    said = about_module(facts, key)
    if said is None or not said.is_whole or _ASIDE.match(said.words):
        return Md("")
    return text(said.words)


def _around(page: Page, facts: Facts, using: Sequence[Use], users: Sequence[Use]) -> None:
    for title, found in (("Uses", using), ("Used by", users)):
        page.section(title)
        page.table(
            ("Module", "For example"),
            [
                (page.link(it.key, module_name(facts, it.key)), page.cite(Place(it.path, it.line)))
                for it in found
            ],
        )


def _change(page: Page, facts: Facts, this: Module) -> None:
    tests = of_module(facts, this.key)
    if tests:
        few = tests[:3]
        cited = joined([page.cite(Place(path)) for path in few], last=" and ")
        words = "{} {} it, or {} beside it or in a folder of its name{}: {}."
        others = ", among them those with the fewest other imports" if len(tests) > 3 else ""
        verbs = ("imports", "lies") if len(tests) == 1 else ("import", "lie")
        page.section("When you change it")
        page.text(md(words, counted(len(tests), "test file"), *verbs, others, cited))

"""A page for each concept: its documents, where it begins, what runs, what is stored, its code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from stationmaster.reading.code.explaining import EXCERPT_MAX
from stationmaster.wiki.facts.code.comments import excerpt, only_statement, symbol_of
from stationmaster.wiki.facts.code.flows import Flow, flow, flows
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.code.programs import started
from stationmaster.wiki.facts.code.starts import CALL
from stationmaster.wiki.facts.code.vocabulary import stems_of
from stationmaster.wiki.facts.code.work import Work
from stationmaster.wiki.facts.guarding.filters import before
from stationmaster.wiki.facts.interfaces.routes import Endpoint, endpoints_in
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.subjects.belonging import Beginning
from stationmaster.wiki.facts.subjects.composing import Concept, handler
from stationmaster.wiki.facts.subjects.concepts import (
    begun_at,
    concept,
    concept_titles,
    concepts_of,
    says,
)
from stationmaster.wiki.facts.subjects.explained import explained, explained_at
from stationmaster.wiki.facts.subjects.naming import words_in
from stationmaster.wiki.facts.texts.examples import uses
from stationmaster.wiki.facts.texts.guides import guide_of
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.facts.texts.passages import Passage, words_of
from stationmaster.wiki.facts.tooling.tests import of_module
from stationmaster.wiki.pages.explaining import METHODS_MAX, Shown, shown
from stationmaster.wiki.pages.interfaces.configuration import setting_table
from stationmaster.wiki.pages.interfaces.guards import declared_at
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.steps.functions import steps
from stationmaster.wiki.text.inline import Md, Place, among, code, joined, md, text
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import block, quoted

ROWS_MAX, COLUMNS_MAX = 16, 16
"""Of routes, tables and settings that a page has, and of columns of a table."""
NAMES_MAX, WORDS_MAX = 3, 120
"""Symbols that a summary names, and letters of their comments."""
FILES_MAX = 5
"""That a summary names."""
STARTS_MAX, OTHERS_MAX = 5, 8
"""Functions at which the steps of a subject begin, and with others those that are named with links
to the pages that explain them."""
MORE_WORDS, QUOTED_WITH = 1.5, 120
"""So many times its first sentence, and letters of its place, the comment of a function is long
that is quoted besides its steps."""
BELOW_MAX = 24
"""Types that are named as built on those of a concept."""
TESTS_MAX = 8
QUOTE_MAX = 3_000
"""Letters of a section that is quoted."""
CONCEPTS_MAX = 6
"""That a flow's page leads to."""
_PAGES = (("routes", "api/http"), ("jobs", "jobs-and-events"), ("commands", "cli"),
          ("tables", "data-model"), ("settings", "configuration"))  # fmt: skip
"""The pages that list all of a kind."""
_JOBS = {"schedule": "scheduled job", "queue": "queued job", "event": "handler of"}
_Item = TypeVar("_Item")


class Quote(NamedTuple):
    title: str
    words: Md
    place: Md


def plan(facts: Facts) -> Iterator[Planned]:
    titles = concept_titles(facts)
    for key, title in titles:
        yield Planned(key, title, _write, key, version=5)
    for key in flows(facts):
        if key not in dict(titles) and explained(facts, key).flows:
            yield Planned(key, _title(flow(facts, key)), _write_flow, key, version=2)


def _title(this: Flow) -> str:
    """Of a flow, by what begins it: a request, or a program, command or job."""
    if this.kind == CALL:
        return f"How {this.name} works"
    if this.kind:
        return f"How the {this.kind} {this.name} works"
    method, _, path = this.name.partition(" ")
    return f"How {f'a request to {path}' if method == 'ANY' else this.name} is answered"


def _write(page: Page, facts: Facts, key: str) -> None:
    this = concept(facts, key)
    quotes = [quote for passage in this.passages if (quote := _quote(page, facts, passage)).words]
    modules = _modules(facts, this.files)
    page.summary(*_summary(page, facts, this))
    page.fill("concept", asked=this.asked, quotes=quotes)
    _beginnings(page, facts, this)
    own = dict.fromkeys((*this.starts[:STARTS_MAX], *this.functions))
    steps(page, facts, explained(facts, key), [*own][:OTHERS_MAX])
    _stored(page, this)
    types = [it for spot in this.types if (it := shown(page, facts, spot, METHODS_MAX))]
    page.fill("symbols", types=types, functions=list(_functions(page, facts, this)))
    _below(page, facts, this)
    _tests(page, facts, modules, this)
    near = dict.fromkeys(it for path in this.files for it in concepts_of(facts, path) if it != key)
    lists = (where for kind, where in _PAGES if getattr(this.belongings, kind))
    documents = dict.fromkeys(guide_of(facts, passage.path) for passage in this.passages)
    page.see(*filter(None, documents), *list(near)[:CONCEPTS_MAX], *lists, "architecture",
             *modules[:5])  # fmt: skip


def _functions(page: Page, facts: Facts, this: Concept) -> Iterator[Shown]:
    """Its functions with their words, or with their lines where no page explains them."""
    for spot in this.functions:
        function, symbol = shown(page, facts, spot), symbol_of(facts, spot.path, spot.name)
        if function is None or symbol is None:
            continue
        if explained_at(facts, spot.path, spot.name) is not None:
            # Its first sentence stands with its steps.
            if len(function.quote) > MORE_WORDS * len(meaning(facts, symbol)) + QUOTED_WITH:
                yield function
            continue
        if not function.quote and not only_statement(facts, spot.path, spot.name):
            lines = excerpt(facts, spot.path, spot.name, EXCERPT_MAX)
            function = function._replace(
                quote=block(lines.text, lines.language) if lines else Md("")
            )
        if function.quote:
            yield function


def _summary(page: Page, facts: Facts, this: Concept) -> Iterator[Md]:
    if words := about(page, facts, this):
        yield md("{}.", words)
    if files := [page.cite(Place(path)) for path in _first_files(this)]:
        yield md("Begin reading at {}.", joined(files, last=" and "))


def _first_files(this: Concept) -> Sequence[str]:
    """Those to begin reading at: none that has only a function of its name and is not called so
    itself, where there are types or tables of it."""
    counts = Counter(spot.path for spot in this.functions)
    held = {spot.path for spot in this.types} | {it.path for it in this.belongings.tables}
    main = [
        path
        for path in this.files
        if path in held
        or counts[path] != 1
        or {*this.words} <= {*words_in(path.rpartition("/")[2].partition(".")[0])}
    ]
    return (main if held and main else this.files)[:FILES_MAX]


def about(page: Page, facts: Facts, this: Concept) -> Md:
    """What a concept is in the words of a document or comment, else its code with the comments of
    that."""
    return sentence(page, facts, this.key) or _doing(facts, this)


def _doing(facts: Facts, this: Concept) -> Md:
    """The types and functions called after a concept, with their comments."""
    lines: dict[str, Md] = {}
    for spot in (*this.types[:2], *this.functions[:3]):
        symbol = symbol_of(facts, spot.path, spot.name)
        words = meaning(facts, symbol) if symbol and {*this.words} == {*words_in(spot.name)} else ""
        is_whole = len(words) <= WORDS_MAX and words.endswith(".")
        if is_whole and spot.name not in lines:
            lines[spot.name] = md("{} (“{}”)", code(spot.name), words[:-1])
    return joined(list(lines.values())[:NAMES_MAX], last=" and ")


def sentence(page: Page, facts: Facts, key: str) -> Md:
    """What a concept is in the words of a document or comment, with its place."""
    passage = says(facts, key)
    return md("“{}” ({})", passage.words, page.cite(passage.place)) if passage else Md("")


def _beginnings(page: Page, facts: Facts, this: Concept) -> None:
    """The requests, jobs and commands of a concept, with what they run and who may send them."""
    own = this.belongings.beginnings
    if not own:
        return
    page.section("Where it begins")
    rows = []
    for item in _first(page, own):
        spot = handler(facts, item.handler_path, item.handler_line)
        keys = [key for key in _flows_of(facts, item) if explained(facts, key).flows]
        links = [page.link(key, "all its steps") for key in keys]
        step = explained_at(facts, spot.path, spot.name) if spot else None
        if step and step.key == page.key:
            links.append(md("step {} below", step.number) if step.number else md("below"))
        elif step and not keys:
            links.append(page.link(step.key))
        guards = [code(it.words) for it in item.guards] if isinstance(item, Endpoint) else []
        place = Place(spot.path, item.handler_line) if spot else Place(item.path, item.line)
        runs = md("{} {}", code(spot.name if spot else item.handler), page.cite(place))
        rows.append([*_called(item), runs, joined(guards), joined(links)])
    page.table(("What", "When or why", "Runs", "Guards", "Steps"), rows)


def _called(item: Beginning) -> tuple[Md, Md]:
    """What something begins with, and when it does or its description."""
    if isinstance(item, Endpoint):
        return code(f"{' '.join(item.methods)} {item.route}"), Md("")
    if isinstance(item, Work):
        return md("{} {}", _JOBS.get(item.kind, item.kind), code(item.name)), code(item.trigger)
    return md("command {}", code(" ".join(item.words) or item.program)), text(item.help, 160)


def _flows_of(facts: Facts, item: Beginning) -> list[str]:
    begun = begun_at(facts, item.path, item.line)
    if not isinstance(item, Endpoint):
        return [key for key, _ in begun]
    names = [f"{method} {item.route}" for method in (*item.methods, "ANY")]
    return [key for key, name in begun if name in names]


def _below(page: Page, facts: Facts, this: Concept) -> None:
    """The types that build on those of a concept."""
    symbols = [(spot, symbol_of(facts, spot.path, spot.name)) for spot in this.below[:BELOW_MAX]]
    page.section("What builds on them")
    if len(this.below) > BELOW_MAX:
        page.text(md("These are the first {} of {}.", BELOW_MAX, len(this.below)))
    page.table(("Type", "What it says", "Declared"), [
        (code(spot.name), meaning(facts, symbol),
         page.cite(Place(spot.path, symbol.line, symbol.end)))
        for spot, symbol in symbols if symbol is not None
    ])  # fmt: skip


def _stored(page: Page, this: Concept) -> None:
    """What is stored, and what is configured."""
    own = this.belongings
    if own.tables:
        page.section("What is stored")
        page.table(("Table", "Columns", "Refers to", "Declared"), [
            (code(it.name),
             among([code(column.name) for column in it.columns[:COLUMNS_MAX]], len(it.columns)),
             joined([*dict.fromkeys(code(column.references) for column in it.columns
                                    if column.references)]),
             page.cite(Place(it.path, it.line, it.end)))
            for it in _first(page, own.tables)
        ])  # fmt: skip
    if own.settings:
        page.section("Settings")
        setting_table(page, _first(page, own.settings))


def _first(page: Page, some: Sequence[_Item]) -> Sequence[_Item]:
    """As many as a page has, with a note of how many there are."""
    if len(some) > ROWS_MAX:
        page.text(md("These are the first {} of {}.", ROWS_MAX, len(some)))
    return some[:ROWS_MAX]


def _quote(page: Page, facts: Facts, passage: Passage) -> Quote:
    title = f"{passage.chapter}: {passage.title}" if passage.chapter else passage.title
    words = quoted(words_of(facts, passage), QUOTE_MAX)
    return Quote(title, words, page.cite(Place(passage.path, passage.line, passage.end)))


def _write_flow(page: Page, facts: Facts, key: str) -> None:
    this = flow(facts, key)
    same = started(facts).get(this.start, ())[1:]
    also = md(", also called {},", joined([code(it) for it in same], last=" and ")) if same else ""
    place = page.cite(Place(this.path, this.line))
    page.summary(
        _begins(facts, this, place) or md("{}{} begins at {}.", code(this.name), also, place),
        *_before(page, facts, this),
    )
    steps(page, facts, explained(facts, key))
    paths = dict.fromkeys([this.start.path, *(step.end.path for step in this.steps)])
    near = [name for path in paths for name in concepts_of(facts, path)]
    page.see(*list(dict.fromkeys(near))[:CONCEPTS_MAX], "architecture",
             *_modules(facts, paths)[:5])  # fmt: skip


def _begins(facts: Facts, this: Flow, place: Md) -> Md:
    """What users of a library call, with the example of a document."""
    use = next((use for use in uses(facts) if use.spot == this.start), None)
    if this.kind != CALL or use is None:
        return Md("")
    if use.is_by_itself:
        words = "{} runs when {} itself is called, such as by a server; its users make one in {}."
        return md(words, code(this.name), code(this.name.rpartition(".")[0]), place)
    if use.kind == "method":
        holder, _, name = this.name.rpartition(".")
        return md("{} is a method of {}, which users of the library make as in {}.", code(name),
                  code(holder), place)  # fmt: skip
    return md("{} is what users of the library call, as in {}.", code(this.name), place)


def _before(page: Page, facts: Facts, this: Flow) -> Iterator[Md]:
    """What lets a request pass, or runs before its handler."""
    routed = [
        it
        for it in endpoints_in(facts, this.path)
        if this.name.endswith(f" {it.route}")
        and this.name.partition(" ")[0] in it.methods
        and not this.kind
    ]
    guards = [it for it in routed[0].guards if not it.is_own] if routed else []
    spot = this.start
    if routed and spot.path.endswith(".rb"):
        holder, _, action = spot.name.rpartition(".")
        guards = [*before(facts, spot.path, holder, action)]
    names = []
    for guard in guards:
        end, name = declared_at(facts, guard), code(guard.words)
        place = end[1] if end else guard.lines if " at " not in guard.name else None
        names.append(md("{} ({})", name, page.cite(place)) if place else name)
    if names:
        yield md("A request first passes {}.", joined(names, last=" and "))


def _modules(facts: Facts, paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, (module_of(facts, path) for path in paths))))


def _tests(page: Page, facts: Facts, modules: Sequence[str], this: Concept) -> None:
    """Those that by their names are on the concept, then on its files where they name a symbol."""
    files = {path.rpartition("/")[2].partition(".")[0].lower() for path in this.files}
    symbols = {spot.name.rpartition(".")[2] for spot in (*this.types, *this.functions)}
    names = symbols | {f"New{name}" for name in symbols}
    paths = dict.fromkeys(path for key in modules for path in of_module(facts, key))
    on_it = [path for path in paths if {*stems_of(this.title)} <= {*stems_of(path)}]
    on_files = [
        it
        for it in paths
        if any(name in it.rpartition("/")[2].lower() for name in files if len(name) > 3)
        and not names.isdisjoint(re.findall(r"\w+", facts.tree.text(it)))
    ]
    page.section("Tests")
    named = [page.cite(Place(it)) for it in list(dict.fromkeys(on_it + on_files))[:TESTS_MAX]]
    page.text(joined(named))

"""A page for each concept: what documents say of it, the code behind it, what runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from stationmaster.reading.projects.documents import first_sentence
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.flows import Flow, flow, flows
from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.interfaces.guards import before, declared_at
from stationmaster.wiki.facts.interfaces.routes import endpoints
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.facts.texts.concepts import (
    Concept,
    concept,
    concept_titles,
    concepts_of,
    imports_among,
)
from stationmaster.wiki.facts.texts.passages import Passage, words_of
from stationmaster.wiki.facts.tooling.tests import of_module
from stationmaster.wiki.pages.explaining import METHODS_MAX, shown
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.steps import steps
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.quoting import quoted


class Quote(NamedTuple):
    title: str
    words: Md
    place: Md


def plan(facts: Facts) -> Iterator[Planned]:
    titles = concept_titles(facts)
    for key, title in titles:
        yield Planned(key, title, _write, key)
    for key in flows(facts):
        if key not in dict(titles):
            yield Planned(key, _title(flow(facts, key)), _write_flow, key)


def _title(this: Flow) -> str:
    """Of a flow, by what begins it: a request, or a program, command or job."""
    if this.kind:
        return f"How the {this.kind} {this.name} works"
    method, _, path = this.name.partition(" ")
    return f"How {f'a request to {path}' if method == 'ANY' else this.name} is answered"


def _write(page: Page, facts: Facts, key: str) -> None:
    this = concept(facts, key)
    quotes = [each for passage in this.passages if (each := _quote(page, facts, passage)).words]
    modules = _modules(facts, this.files)
    page.summary(*_summary(page, facts, this))
    types = [it for spot in this.types if (it := shown(page, facts, spot, METHODS_MAX))]
    functions = [it for spot in this.functions if (it := shown(page, facts, spot))]
    page.fill("concept", asked=this.asked, quotes=quotes, types=types, functions=functions,
              modules=list(map(page.link, modules)))  # fmt: skip
    steps(page, facts, this.flows)
    _files(page, facts, this)
    _tests(page, facts, modules, this)
    page.see("architecture", *modules[:5])


def _summary(page: Page, facts: Facts, this: Concept) -> Iterator[Md]:
    for passage in this.passages[:1]:
        words = words_of(facts, passage)
        sentence = first_sentence(words)
        # Without its markup it would be another sentence than the document's.
        if sentence and sentence in " ".join(words.split()):
            place = Place(passage.path, passage.line, passage.end)
            yield md("“{}” ({})", sentence, page.cite(place))
    for spot in (*this.types, *this.functions):
        symbol = symbol_of(facts, spot.path, spot.name)
        if symbol is not None and symbol.doc and not this.passages:
            yield md("{}: “{}” ({})", code(spot.name), plain(symbol.doc),
                     page.cite(Place(spot.path, symbol.line)))  # fmt: skip
            break
    named = list(dict.fromkeys(code(spot.name) for spot in (*this.types, *this.functions)))[:3]
    if named:
        files = joined([page.cite(Place(path)) for path in this.files[:3]], last=" and ")
        left = len(this.files) - 3
        more = Md(f" and {counted(left, 'other file')}") if left > 0 else Md("")
        yield md("Start reading at {}; the code is in {}{}.", joined(named, last=" and "), files,
                 more)  # fmt: skip


def _quote(page: Page, facts: Facts, passage: Passage) -> Quote:
    title = f"{passage.chapter}: {passage.title}" if passage.chapter else passage.title
    words = quoted(words_of(facts, passage))
    return Quote(title, words, page.cite(Place(passage.path, passage.line, passage.end)))


def _write_flow(page: Page, facts: Facts, key: str) -> None:
    found = flow(facts, key)
    page.summary(
        md("{} begins at {}.", code(found.name), page.cite(Place(found.path, found.line))),
        *_before(page, facts, found),
        "These are functions that it may go through, each below the first one that leads to it.",
    )
    steps(page, facts, [found])
    paths = dict.fromkeys([found.start.path, *(step.end.path for step in found.steps)])
    page.see("architecture", *[each for path in paths for each in concepts_of(facts, path)][:4],
             *_modules(facts, paths)[:5])  # fmt: skip


def _before(page: Page, facts: Facts, this: Flow) -> Iterator[Md]:
    """What lets a request pass, or runs before its handler."""
    routed = [
        each
        for each in endpoints(facts)
        if each.path == this.path
        and this.name.endswith(f" {each.route}")
        and this.name.partition(" ")[0] in each.methods
        and not this.kind
    ]
    guards = [*routed[0].guards] if routed else []
    spot = this.start
    if routed and spot.path.endswith(".rb"):
        holder, _, action = spot.name.rpartition(".")
        guards = [*before(facts, spot.path, holder, action)]
    told = []
    for guard in guards:
        end, name = declared_at(facts, guard), code(guard.name)
        told.append(md("{} ({})", name, page.cite(end[1])) if end else name)
    if told:
        yield md("A request first passes {}.", joined(told, last=" and "))


def _modules(facts: Facts, paths: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, (module_of(facts, path) for path in paths))))


def _files(page: Page, facts: Facts, this: Concept) -> None:
    edges = _imports(facts, this.key)
    if len(edges) < 2:
        return
    page.section("How the files depend on each other")
    names = {path: path.rpartition("/")[2] for path in this.files}
    double = [name for name in names.values() if list(names.values()).count(name) > 1]
    labels = {
        path: "/".join(path.split("/")[-2:]) if name in double else name
        for path, name in names.items()
    }
    drawn = flowchart("An arrow leads from a file to one that it imports", labels,
                      [Edge(*edge) for edge in edges])  # fmt: skip
    page.diagram(drawn._replace(alternative=[]) if drawn else None)


@query
def _imports(facts: Facts, key: str) -> tuple[tuple[str, str], ...]:
    return tuple(imports_among(facts, concept(facts, key).files))


def _tests(page: Page, facts: Facts, modules: Sequence[str], this: Concept) -> None:
    stems = {path.rpartition("/")[2].partition(".")[0].lower() for path in this.files}
    paths = [
        path for key in modules for path in of_module(facts, key)
        if any(stem in path.rpartition("/")[2].lower() for stem in stems if len(stem) > 3)
    ]  # fmt: skip
    page.section("Tests")
    page.items(page.cite(Place(path)) for path in dict.fromkeys(paths))

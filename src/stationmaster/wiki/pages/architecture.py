"""How the product is built: where it begins, its modules, and which of them build on which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from stationmaster.reading.projects.test_files import is_benchmark, is_test
from stationmaster.wiki.facts.code import work
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.graph import Way, edges
from stationmaster.wiki.facts.code.modules import ModuleName, module_names
from stationmaster.wiki.facts.code.overview import Part, are_crates, parts
from stationmaster.wiki.facts.code.programs import is_declared
from stationmaster.wiki.facts.code.work import Begin
from stationmaster.wiki.facts.extending.exported import offers
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.subjects.central import ERROR
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.facts.texts.meanings import meaning
from stationmaster.wiki.pages.documents import explained
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.modules import purpose
from stationmaster.wiki.text.diagrams import NODES_MAX, Edge, flowchart
from stationmaster.wiki.text.inline import Md, Place, code, joined, md
from stationmaster.wiki.text.page import Page
from stationmaster.wiki.text.pruning import EDGES_MAX

MODULES_MIN, DRAWN_MIN = 2, 4
"""Modules that a page lists, and that a picture has."""
OFFERED_MAX = 5
"""Of what a library offers."""


def plan(facts: Facts) -> Iterator[Planned]:
    if len(module_names(facts)) >= MODULES_MIN or len(parts(facts)) >= MODULES_MIN:
        yield Planned("architecture", "Architecture", _write, version=8)


def _write(page: Page, facts: Facts, _: None) -> None:
    names = {module_name.key: module_name for module_name in module_names(facts)}
    explained(page, facts)
    _begins(page, facts)
    _modules(page, facts, names, edges(facts))
    _parts(page, facts)
    page.see("dependencies", "data-model", "extension-points")


def _begins(page: Page, facts: Facts) -> None:
    """Where the product's programs begin, or what the users of a library call."""
    every = work.begins(facts)
    scripts = [it for it in every if it.kind == "script" and it.path.endswith(".go")]
    own_paths = {it.path for it in every if is_declared(facts, it.path) or not is_aside(it.path)}
    own = [it for it in every if it.path in own_paths and it not in scripts]
    if offered := _offered(page, facts):  # What only builds a library has a beginning, too.
        own = [it for it in own if is_declared(facts, it.path)]
        every = tuple(own)
    page.section("Where it begins")
    page.table(
        ("Name", "What it says", "Where"),
        [
            *offered,
            *((code(it.name), plain(it.doc), page.cite(Place(it.path, it.line, it.end)))
              for it in own),
        ],
    )  # fmt: skip
    aside = [it for it in every if it not in own and not is_benchmark(it.path)]
    if aside:
        named = joined([_named(page, it) for it in aside], last=" and ")
        page.text(md("Scripts outside the product are {}.", named))


def _offered(page: Page, facts: Facts) -> list[tuple[Md, str, Md]]:
    """The types and functions of a library that its documents use first."""
    if {kind for part in parts(facts) for kind in part.kinds} != {"library"}:
        return []
    shown = [it for it in offers(facts) if len(it.example) == 1 and not is_test(it.path)]
    shown.sort(key=lambda it: (not it.path.lower().startswith("readme"), it.path, it.line))
    rows = []
    for offer in shown:
        symbol = symbol_of(facts, offer.spot.path, offer.spot.name) if offer.spot else None
        if offer.spot is not None and symbol is not None and not ERROR.search(symbol.name):
            place = Place(offer.spot.path, symbol.line, symbol.end)
            rows.append((code(offer.name), meaning(facts, symbol), page.cite(place)))
    return rows[:OFFERED_MAX]


def _named(page: Page, this: Begin) -> Md:
    return md("{} ({})", code(this.name), page.cite(Place(this.path, this.line, this.end)))


def _modules(
    page: Page, facts: Facts, names: Mapping[str, ModuleName], found: Sequence[Way]
) -> None:
    """All of them in a picture unless there are few, and by path in a table."""
    page.section("Modules")
    drawn = len(names) >= DRAWN_MIN and flowchart(
        "Modules; an arrow leads from a module to one that it uses and is dashed where only types "
        "are imported, imports run inside functions, or names are used without an import of their "
        "file",
        {key: it.name for key, it in names.items()},
        [Edge(it.start, it.end, "", it.weight, it.is_firm) for it in found],
        groups=_groups(names),
    )
    if drawn and len(names) <= NODES_MAX and len(found) <= EDGES_MAX:
        drawn = drawn._replace(alternative=[])
    page.diagram(drawn or None)
    uses = {key: [] if drawn else [it.end for it in found if it.start == key] for key in names}
    page.table(
        ("Module", "Purpose", "Uses", "Where"),
        [
            (page.link(key, it.name), purpose(facts, key),
             joined([page.link(end, names[end].name) for end in uses[key]]), code(it.path))
            for key, it in names.items()
        ],
    )  # fmt: skip


def _groups(names: Mapping[str, ModuleName]) -> Mapping[str, list[str]]:
    """Modules by what they are built with, where that is more than one thing."""
    units: dict[str, list[str]] = {}
    for key, it in names.items():
        units.setdefault(it.unit, []).append(key)
    return units if len(units) > 1 else {}


def _parts(page: Page, facts: Facts) -> None:
    found = parts(facts)
    if len(found) < 2:
        return
    page.section("Crates" if are_crates(facts) else "Parts that are built separately")
    names = {each.path: each.name for each in found}
    page.table(
        ("Part", "Kind", "Language", "Description", "Depends on"),
        [
            (_part(page, each), ", ".join(each.kinds), ", ".join(each.languages[:1]),
             plain(each.description).partition(". ")[0],
             ", ".join(names[other] for other in each.uses if other in names))
            for each in found
        ],
    )  # fmt: skip
    for said, others in (
        ("Optional", {each.path: each.may_use for each in found}),
        ("For development alone", {each.path: each.develops_with for each in found}),
    ):
        page.items(
            md("{}: {} needs {}.", said, names[path], joined(needed, last=" and "))
            for path, ends in others.items()
            if (needed := [md("{}", names[other]) for other in ends if other in names])
        )


def _part(page: Page, this: Part) -> Md:
    """The name of a part, and its first manifest, else its folder."""
    where = page.cite(Place(this.manifests[0])) if this.manifests else code(this.path)
    return md("{} ({})", this.name, where)

"""How the code falls into modules, and which of them build on which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.wiki.facts.code import work
from stationmaster.wiki.facts.code.graph import Way, circles, edges
from stationmaster.wiki.facts.code.modules import ModuleName, module_names
from stationmaster.wiki.facts.code.overview import layers, parts, shared
from stationmaster.wiki.facts.code.sizes import size_of_module
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.texts.about import plain
from stationmaster.wiki.pages.documents import explained
from stationmaster.wiki.pages.index import part_link
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.modules import in_short
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page

MODULES_MIN = 2


def plan(facts: Facts) -> Iterator[Planned]:
    if len(module_names(facts)) >= MODULES_MIN or len(parts(facts)) >= MODULES_MIN:
        yield Planned("architecture", "Architecture", _write, version=3)


def _write(page: Page, facts: Facts, _: None) -> None:
    names = {module_name.key: module_name for module_name in module_names(facts)}
    found = edges(facts)
    _summary(page, names, found)
    explained(page, facts)
    page.section("Modules and their imports")
    page.diagram(flowchart(
        "Modules; an arrow leads from the importing module to the imported one and is dashed where "
        "only types are imported, or only inside functions",
        {key: each.name for key, each in names.items()},
        [Edge(each.start, each.end, "", each.weight, each.is_firm) for each in found],
        groups=_groups(names),
    ))  # fmt: skip
    _layers(page, facts, names)
    _shared(page, facts, names)
    _begins(page, facts)
    _modules(page, facts, names, found)
    _circles(page, facts, names)
    _parts(page, facts)
    page.see("dependencies", "data-model", "extension-points")


def _summary(page: Page, names: Mapping[str, ModuleName], found: Sequence[Way]) -> None:
    users: dict[str, int] = defaultdict(int)
    for each in found:
        users[each.end] += 1
    summary = [md("The source code forms {}, found by its folders and build files.",
                  counted(len(names), "module"))]  # fmt: skip
    best = sorted(users, key=lambda key: (-users[key], names[key].name))[:3]
    if best:
        counts = [counted(users[best[0]], "module"), *(str(users[key]) for key in best[1:])]
        told = [
            md("{} (by {})", page.link(key, names[key].name), count)
            for key, count in zip(best, counts, strict=True)
        ]
        summary.append(md("Most used {} {}.", "is" if len(best) == 1 else "are",
                          joined(told, last=" and ")))  # fmt: skip
    page.summary(*summary)


def _groups(names: Mapping[str, ModuleName]) -> Mapping[str, list[str]]:
    """Modules by what they are built with, where that is more than one thing."""
    units: dict[str, list[str]] = defaultdict(list)
    for key, each in names.items():
        units[each.unit].append(key)
    return units if len(units) > 1 else {}


def _layers(page: Page, facts: Facts, names: Mapping[str, ModuleName]) -> None:
    found = layers(facts)
    if len(found) < 3:
        return
    page.section("Layers")
    page.text("A module imports only modules of lower layers, apart from those with which it forms "
              "a circle.")  # fmt: skip
    rows = []
    for number, keys in reversed(list(enumerate(found, 1))):
        rows.append((number, joined([page.link(key, names[key].name) for key in keys])))
    page.table(("Layer", "Modules"), rows)


def _shared(page: Page, facts: Facts, names: Mapping[str, ModuleName]) -> None:
    page.section("Used nearly everywhere")
    page.items(
        md("{}: imported by {}", page.link(key, names[key].name), counted(count, "module"))
        for key, count in shared(facts)
    )


def _circles(page: Page, facts: Facts, names: Mapping[str, ModuleName]) -> None:
    page.section("Circles", intro="Files of these modules import each other in a circle.")
    lines = []
    for circle in circles(facts):
        links = [page.link(key, names[key].name) for key in circle.members]
        start, end, count = circle.cuts[0]
        lines.append(md("{}; the weakest link is from {} to {}, with {}",
                        joined(links, last=" and "), names[start].name, names[end].name,
                        counted(count, "import")))  # fmt: skip
    page.items(lines)


def _begins(page: Page, facts: Facts) -> None:
    """Where programs begin."""
    page.section("Where it begins")
    page.table(
        ("Name", "What it says", "Where", "Calls first"),
        [(code(each.name), plain(each.doc), page.cite(Place(each.path, each.line, each.end)),
          joined([code(name) for name in each.first])) for each in work.begins(facts)],
    )  # fmt: skip


def _parts(page: Page, facts: Facts) -> None:
    found = parts(facts)
    if len(found) < 2:
        return
    page.section("Parts that are built separately")
    names = {each.path: each.name for each in found}
    page.table(
        ("Part", "Path", "Kind", "Language", "Depends on"),
        [
            (part_link(page, each), code(each.path), ", ".join(each.kinds),
             ", ".join(each.languages[:1]),
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


def _modules(
    page: Page, facts: Facts, names: Mapping[str, ModuleName],
    found: Sequence[Way],
) -> None:  # fmt: skip
    """All of them, by path."""
    out: dict[str, int] = defaultdict(int)
    into: dict[str, int] = defaultdict(int)
    for each in found:
        out[each.start] += 1
        into[each.end] += 1
    page.section("All modules")
    page.table(
        ("Module", "Files", "Uses", "Used by", "Contents"),
        [
            (page.link(key, names[key].name), size_of_module(facts, key).files, out[key] or "",
             into[key] or "", in_short(facts, key)
             or (code(names[key].path) if names[key].path != names[key].name else ""))
            for key in names
        ],
    )  # fmt: skip

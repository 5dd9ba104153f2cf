"""How the code falls into modules, and which of them build on which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from stationmaster.wiki.facts.graph import Way, circles, edges, packages_of
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import ModuleName, module_names
from stationmaster.wiki.facts.overview import central, layers, parts, shared
from stationmaster.wiki.facts.sizes import size_of_module
from stationmaster.wiki.pages.index import part_link
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.pages.modules import in_short
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import code, counted, joined, md
from stationmaster.wiki.text.page import ROWS_MAX, Page

MODULES_MIN = 2
SHARED_MAX = 8
PACKAGES_MAX = 15
LAYER_MAX = 30


def plan(facts: Facts) -> Iterator[Planned]:
    if len(module_names(facts)) >= MODULES_MIN or len(parts(facts)) >= MODULES_MIN:
        yield Planned("architecture", "Architecture", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    names = {each.key: each for each in module_names(facts)}
    found = edges(facts)
    _summary(page, facts, names, found)
    drawn = flowchart(
        "Modules; an arrow leads from who imports to what is imported, a dashed one stands for "
        "types and imports inside functions alone",
        {key: each.name for key, each in names.items()},
        [Edge(each.start, each.end, "", each.weight, each.is_firm) for each in found],
        groups=_groups(names),
    )
    if drawn is not None:
        page.section("Modules and their imports")
        page.diagram(drawn)
    _layers(page, facts, names)
    _shared(page, facts, names)
    _circles(page, facts)
    _parts(page, facts)
    _outside(page, facts, names)
    _modules(page, facts, names, found)
    page.see("repository-map", "cycles", "entry-points", "dependencies", "data-model",
             "extension-points")  # fmt: skip


def _summary(
    page: Page, facts: Facts, names: Mapping[str, ModuleName],
    found: Sequence[Way],
) -> None:  # fmt: skip
    users: dict[str, int] = defaultdict(int)
    for each in found:
        users[each.end] += 1
    pairs = md("; {} pairs of them import each other's files", len(found)) if found else ""
    summary = [md("The source falls into {} modules, told from its folders{}.", len(names), pairs)]
    best = [key for key in central(facts) if users[key]][:3]
    if best:
        told = [
            md(
                "{} ({})",
                page.link(key, names[key].name),
                f"{users[key]} modules use it" if users[key] > 1 else "one module uses it",
            )
            for key in best
        ]
        summary.append(md("Most builds on {}.", joined(told, last=" and ")))
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
    page.text("By imports alone: a module uses those of layers below it, and those of its own "
              "circle.")  # fmt: skip
    rows = []
    for number, keys in reversed(list(enumerate(found, 1))):
        links = [page.link(key, names[key].name) for key in keys[:LAYER_MAX]]
        left = len(keys) - len(links)
        rows.append((number, joined([*links, md("{} more", left)] if left > 0 else links)))
    page.table(("Layer", "Modules"), rows)


def _shared(page: Page, facts: Facts, names: Mapping[str, ModuleName]) -> None:
    found = shared(facts)[:SHARED_MAX]
    if found:
        page.section("Used nearly everywhere")
        page.items(
            md("{}: imported by {}", page.link(key, names[key].name), counted(count, "module"))
            for key, count in found
        )


def _circles(page: Page, facts: Facts) -> None:
    found = circles(facts)
    if found:
        page.section("Circles")
        page.text(md(
            "Some modules import each other in a circle: {}, the largest of {} modules. See {}.",
            counted(len(found), "group"), len(found[0].members),
            page.link("cycles"),
        ))  # fmt: skip


def _parts(page: Page, facts: Facts) -> None:
    found = parts(facts)
    if len(found) < 2:
        return
    page.section("Parts that are built by themselves")
    names = {each.path: each.name for each in found}
    page.table(
        ("Part", "Path", "Kind", "Language", "Depends on"),
        [
            (part_link(page, facts, each), code(each.path), ", ".join(each.kinds),
             ", ".join(each.languages[:1]),
             ", ".join(names[other] for other in each.uses if other in names))
            for each in found
        ],
    )  # fmt: skip


def _outside(page: Page, facts: Facts, names: Mapping[str, ModuleName]) -> None:
    users: dict[str, list[str]] = defaultdict(list)
    for key in names:
        for name, _ in packages_of(facts, key):
            users[name].append(key)
    order = sorted(users, key=lambda name: (-len(users[name]), name))[:PACKAGES_MAX]
    if len(order) > 2:
        page.section("Packages from outside")
        page.table(
            ("Package", "Modules", "Among them"),
            [
                (code(name), len(users[name]),
                 joined([page.link(key, names[key].name) for key in users[name][:4]]))
                for name in order
            ],
        )  # fmt: skip


def _modules(
    page: Page, facts: Facts, names: Mapping[str, ModuleName],
    found: Sequence[Way],
) -> None:  # fmt: skip
    """All of them, by what they are built with or by their first folder where there are many."""
    out: dict[str, int] = defaultdict(int)
    into: dict[str, int] = defaultdict(int)
    for each in found:
        out[each.start] += 1
        into[each.end] += 1
    page.section("All modules")
    for title, keys in _chapters(names).items():
        if title:
            page.section(title, 3)
        page.table(
            ("Module", "Files", "Uses", "Used by", "What it is or holds"),
            [
                (page.link(key, names[key].name), size_of_module(facts, key).files, out[key] or "",
                 into[key] or "", in_short(facts, key) or code(names[key].path))
                for key in keys
            ],
        )  # fmt: skip


def _chapters(names: Mapping[str, ModuleName]) -> Mapping[str, list[str]]:
    if len(names) <= ROWS_MAX:
        return {"": list(names)}
    chapters: dict[str, list[str]] = defaultdict(list)
    for key, each in names.items():
        chapters[each.name.partition("/")[0]].append(key)
    few = [title for title, keys in chapters.items() if len(keys) < 3]
    found = {title: keys for title, keys in sorted(chapters.items()) if title not in few}
    others = [key for title in sorted(few) for key in chapters[title]]
    for start in range(0, len(others), ROWS_MAX):
        found[f"Others {start // ROWS_MAX + 1}" if len(others) > ROWS_MAX else "Others"] = others[
            start : start + ROWS_MAX
        ]
    return found

"""One page for each application and each package, where the repository holds several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts import tasks
from stationmaster.wiki.facts.about import about_folder
from stationmaster.wiki.facts.inside import Held, inside
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.modules import ModuleName, module_names
from stationmaster.wiki.facts.overview import Part, part, part_keys, parts
from stationmaster.wiki.facts.sizes import size_of_module
from stationmaster.wiki.facts.symbols import public_count
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Md, Place, code, counted, joined, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
HELD_MAX = 25
MODULES_MAX = 40


def plan(facts: Facts) -> Iterator[Planned]:
    for key in part_keys(facts):
        found = part(facts, key)
        own = _modules(facts, found)
        users = [each for each in parts(facts) if found.path in each.uses]
        count = len(own) + len(found.uses) + len(users) + len(found.manifests)
        count += sum(len(inside(facts, each.key)) for each in own) + len(_tasks(facts, found))
        count += any(public_count(facts, each.key) for each in own) + bool(found.description)
        if count >= FACTS_MIN:
            yield Planned(key, found.name, _write, key)


def _write(page: Page, facts: Facts, key: str) -> None:
    this = part(facts, key)
    own = _modules(facts, this)
    users = [each for each in parts(facts) if this.path in each.uses]
    held = [each for name in own for each in inside(facts, name.key)]
    said = about_folder(facts, this.path)
    kind = " and ".join(this.kinds) or "part"
    page.summary(
        md("“{}” ({})", said.words, page.cite(said.place)) if said else "",
        md("{} is a {} in {}.", this.name, kind, code(this.path)),
    )
    page.glance([
        ("Kind", ", ".join(this.kinds)),
        ("Languages", ", ".join(this.languages)),
        ("Manifests", joined([page.cite(Place(path)) for path in this.manifests[:4]])),
        ("Size", counted(sum(size_of_module(facts, each.key).lines for each in own), "line")),
        ("Depends on", _links(page, facts, this.uses)),
        ("Depended on by", _links(page, facts, [each.path for each in users])),
    ])  # fmt: skip
    _entries(page, held)
    _commands(page, _tasks(facts, this))
    _contents(page, facts, own)
    _held(page, held)
    page.see("architecture", "entry-points", "configuration", "deployment", "dependencies")


def _modules(facts: Facts, this: Part) -> list[ModuleName]:
    return [each for each in module_names(facts) if each.unit == this.path]


def _tasks(facts: Facts, this: Part) -> Sequence[tasks.Task]:
    return next((list(found.values()) for folder, found in tasks.by_folder(facts)
                 if folder == this.path), [])  # fmt: skip


def _links(page: Page, facts: Facts, paths: Sequence[str]) -> Md:
    keys = {part(facts, key).path: key for key in part_keys(facts)}
    names = {each.path: each.name for each in parts(facts)}
    return joined([
        page.link(keys[path], names[path]) if path in keys else md("{}", names.get(path, path))
        for path in paths
    ])  # fmt: skip


def _entries(page: Page, held: Sequence[Held]) -> None:
    found = [each for each in held if each.kind == "Entry point"]
    if found:
        page.section("Where it begins")
        page.items(md("{} at {}", code(each.name), page.cite(each.place)) for each in found)


def _commands(page: Page, found: Sequence[tasks.Task]) -> None:
    if found:
        page.section("Commands")
        page.table(("Command", "From"),
                   [(code(each.text), page.cite(each.place)) for each in found])  # fmt: skip


def _contents(page: Page, facts: Facts, own: Sequence[ModuleName]) -> None:
    if own:
        page.section("Modules")
        page.table(
            ("Module", "Path", "Files", "Public names"),
            [
                (page.link(each.key, each.name), code(each.path),
                 size_of_module(facts, each.key).files, public_count(facts, each.key))
                for each in own
            ],
        )  # fmt: skip


def _held(page: Page, held: Sequence[Held]) -> None:
    found = [each for each in held if each.kind != "Entry point"]
    found.sort(key=lambda each: (each.kind, each.name, each.place))
    if found:
        page.section("Ways in, settings and data")
        page.table(
            ("Kind", "Name", "Where"),
            [(page.link(each.key, each.kind), code(each.name), page.cite(each.place))
             for each in found[:HELD_MAX]],
        )  # fmt: skip
        if len(found) > HELD_MAX:
            page.text(md("{} of {}.", HELD_MAX, len(found)))

"""What is set up for watching, for safety, and for what people see: where, and never how well."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts import concerns
from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.parting import parts, sheets
from stationmaster.wiki.pages.contents import module_link
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.inline import Place, code, joined, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5


def plan(facts: Facts) -> Iterator[Planned]:
    screens, folders = concerns.screens(facts), concerns.components(facts)
    if len(screens) + len(folders) + _places(facts, "ui") >= FACTS_MIN and (screens or folders):
        yield Planned("ui", "User interface", _ui)
    if _places(facts, "observability") + len(concerns.health_routes(facts)) >= FACTS_MIN:
        yield Planned("observability", "Observability", _observability)
    told = len(concerns.guards(facts)) + len(concerns.policies(facts))
    if _places(facts, "security") + told >= FACTS_MIN:
        yield Planned("security", "Security", _security)


def _places(facts: Facts, page: str) -> int:
    return sum(1 + len(each.places) for each in concerns.set_up(facts, page))


def _observability(page: Page, facts: Facts, _: None) -> None:
    _packages(page, facts, "observability", "What the code imports to tell how it is doing")
    health = concerns.health_routes(facts)
    if health:
        page.section("Routes that tell how it is")
        page.table(("Route", "Declared"), [
            (code(route), page.cite(Place(path, line))) for route, path, line in health
        ])  # fmt: skip
    page.see("configuration", "deployment", "api/http")


def _security(page: Page, facts: Facts, _: None) -> None:
    _packages(page, facts, "security", "Mechanisms of security that the code imports")
    guards = concerns.guards(facts)
    if guards:
        page.section("Guards of routes")
        page.table(("Guard", "Routes", "First at"), [
            (code(name), count, page.cite(Place(path, line))) for name, count, path, line in guards
        ])  # fmt: skip
    found = concerns.policies(facts)
    if found:
        page.section("Policies")
        page.items(page.cite(Place(path)) for path in found)
    page.see("api/http", "configuration", "contributing")


def _packages(page: Page, facts: Facts, key: str, what: str) -> None:
    found = concerns.set_up(facts, key)
    topics = list(dict.fromkeys(each.topic for each in found))
    told = joined([md("{}", topic.lower()) for topic in topics], last=" and ")
    page.summary(md("{}: {}.", what, told) if topics else "",
                 "This tells what is there, and is no verdict.")  # fmt: skip
    for topic in topics:
        page.section(topic)
        page.table(("Package", "Files", "Imported at"), [
            (code(each.package), each.count,
             joined([page.cite(Place(path, line)) for path, line in each.places]))
            for each in found
            if each.topic == topic
        ])  # fmt: skip


def _ui(page: Page, facts: Facts, _: None) -> None:
    screens = concerns.screens(facts)
    folders = concerns.components(facts)
    counted = sum(count for _, count in folders)
    frameworks = joined([md("{}", name) for name in sorted({e.framework for e in screens})])
    page.summary(
        md("{} screens lie in files, by the rules of {}.", len(screens), frameworks)
        if screens else "",
        md("{} files of components lie in {} {}.", counted, len(folders),
           "folder" if len(folders) == 1 else "folders") if folders else "",
    )  # fmt: skip
    made = parts(screens, lambda e: "/" + e.route.split("/")[1], lambda e: e.route, "Screens")
    for sheet in sheets(made, set()):
        for part in sheet.parts:
            page.section(part.title)
            page.table(("Address", "File", "Module"), [
                (code(each.route), page.cite(Place(each.path)), module_link(page, facts, each.path))
                for each in part.items
            ])  # fmt: skip
    if folders:
        page.section("Components")
        page.table(("Folder", "Files"), [(code(folder), count) for folder, count in folders])
    for topic in concerns.TOPICS["ui"]:
        found = [each for each in concerns.set_up(facts, "ui") if each.topic == topic]
        if found:
            page.section(f"{topic} by package" if topic == "Components" else topic)
            page.table(("Package", "Files", "Imported at"), [
                (code(each.package), each.count,
                 joined([page.cite(Place(path, line)) for path, line in each.places]))
                for each in found
            ])  # fmt: skip
    page.see("architecture", "api/http", "api/graphql")

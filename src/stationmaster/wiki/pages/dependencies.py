"""The packages of others that the product builds on, and how its own packages build on each
other."""

from __future__ import annotations

from collections.abc import Iterator

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import dependencies
from stationmaster.wiki.facts.tooling.dependencies import Package
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Md, Place, among, code, counted, joined, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
USERS_MAX, PLACES_MAX = 3, 2
COPIED_MAX = 40
_ECOSYSTEMS = {
    "npm": "npm",
    "deno": "Deno",
    "python": "Python",
    "go": "Go",
    "rust": "Rust",
    "maven": "Maven",
    "gradle": "Gradle",
    "dotnet": ".NET",
    "ruby": "Ruby",
    "php": "PHP",
    "swift": "Swift",
    "cpp": "C and C++",
    "elixir": "Elixir",
    "scala": "Scala",
    "dart": "Dart",
    "haskell": "Haskell",
    "terraform": "Terraform",
    "other": "Other",
}

_SCOPES = (
    ("runtime", "For the product"),
    ("optional", "Optional"),
    ("development", "For development"),
)


def plan(facts: Facts) -> Iterator[Planned]:
    if len(dependencies.packages(facts)) + len(dependencies.copied(facts)) >= FACTS_MIN:
        yield Planned("dependencies", "Dependencies", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    updater = dependencies.updater(facts)
    if updater is not None:
        page.text(md("{} proposes newer versions: {}.", updater[0], page.cite(updater[1])))
    page.text(*(
        md("Exact versions of {} packages are in {}.", _ECOSYSTEMS[kind],
           joined([page.cite(Place(path)) for path in paths], last=" and "))
        for kind, paths in dependencies.locks(facts).items()
    ))  # fmt: skip
    _inside(page, facts)
    for scope, title in _SCOPES:
        _scope(page, facts, scope, title)
    _copied(page, facts)
    page.see("architecture", "getting-started", "ci-and-tooling")


def _copied(page: Page, facts: Facts) -> None:
    copied = dependencies.copied(facts)
    shown = [
        code(path) if count == 1 else md("{} ({})", code(path), counted(count, "file"))
        for path, count in copied[:COPIED_MAX]
    ]
    page.section("Copied into the repository")
    page.text(
        md("Code of others that this wiki does not describe: {}.", among(shown, len(copied)))
        if shown
        else ""
    )


def _inside(page: Page, facts: Facts) -> None:
    names, pairs = dependencies.inside(facts)
    page.section("Packages of the repository")
    page.diagram(
        flowchart(
            "Packages of the repository by their manifests; an arrow leads to one that is needed",
            dict(names),
            [Edge(start, end) for start, end in pairs],
        )
    )


def _scope(page: Page, facts: Facts, scope: str, title: str) -> None:
    page.section(title)
    page.table(
        ("Package", "Version", "Extra", "Imported by", "Asked for in"),
        [
            (
                code(package.name),
                joined([code(version) for version in package.versions]),
                joined([code(extra) for extra in package.extras]),
                _users(page, facts, package),
                among(
                    [page.cite(place) for place in package.places[:PLACES_MAX]], len(package.places)
                ),
            )
            for package in dependencies.of_scope(facts, scope)
        ],
    )


def _users(page: Page, facts: Facts, package: Package) -> Md:
    keys = dependencies.users(facts, package.ecosystem, package.name)
    if not keys and dependencies.tested_with(facts, package.ecosystem, package.name):
        return Md("tests")
    return among([page.link(key) for key in keys[:USERS_MAX]], len(keys))

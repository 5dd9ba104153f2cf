"""The packages of others that the product builds on, and how its own packages build on each
other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from stationmaster.wiki.facts.model import Facts
from stationmaster.wiki.facts.tooling import dependencies
from stationmaster.wiki.facts.tooling.dependencies import Asking, Package
from stationmaster.wiki.pages.model import Planned
from stationmaster.wiki.text.diagrams import Edge, flowchart
from stationmaster.wiki.text.inline import Md, Place, among, code, joined, md
from stationmaster.wiki.text.page import Page

FACTS_MIN = 5
FAMILY_MIN = 5
USERS_MAX, PLACES_MAX, VERSIONS_MAX = 3, 2, 2
_ECOSYSTEMS = {
    "npm": "npm", "deno": "Deno", "python": "Python", "go": "Go", "rust": "Rust", "maven": "Maven",
    "gradle": "Gradle", "dotnet": ".NET", "ruby": "Ruby", "php": "PHP", "swift": "Swift",
    "cpp": "C and C++", "elixir": "Elixir", "scala": "Scala", "dart": "Dart",
    "haskell": "Haskell",
    "terraform": "Terraform", "other": "Other",
}  # fmt: skip

_SCOPES = (
    ("runtime", "For the product"), ("optional", "Optional"), ("development", "For development"),
)  # fmt: skip


def plan(facts: Facts) -> Iterator[Planned]:
    if len(dependencies.packages(facts)) >= FACTS_MIN:
        yield Planned("dependencies", "Dependencies", _write)


def _write(page: Page, facts: Facts, _: None) -> None:
    told = dependencies.asking(facts)
    page.summary(*_summary(told))
    updater = dependencies.updater(facts)
    if updater is not None:
        page.text(md("{} proposes newer versions: {}.", updater[0], page.cite(updater[1])))
    _ecosystems(page, told)
    _inside(page, facts)
    for scope, title in _SCOPES:
        _scope(page, facts, scope, title)
    page.see("architecture", "getting-started", "ci-and-tooling")


def _summary(told: Sequence[Asking]) -> Iterator[Md]:
    runtime = sum(each.runtime for each in told)
    development = sum(each.development for each in told)
    names = joined([md("{}", _ECOSYSTEMS[each.ecosystem]) for each in told], last=" and ")
    yield md("Manifests of {} ask for {} packages of others by name: {} for the product and {}"
             " for working on it.", names, runtime + development, runtime, development)  # fmt: skip


def _ecosystems(page: Page, told: Sequence[Asking]) -> None:
    page.section("At a glance")
    rows = [
        (_ECOSYSTEMS[each.ecosystem], each.manifests, each.runtime, each.development,
         joined([page.cite(Place(path)) for path in each.locks[:PLACES_MAX]]) or "none found")
        for each in told
    ]  # fmt: skip
    page.table(("Ecosystem", "Manifests", "For the product", "For development", "Lock file"), rows)


def _inside(page: Page, facts: Facts) -> None:
    names, pairs = dependencies.inside(facts)
    page.section("Packages of the repository")
    page.diagram(flowchart(
        "Dependencies between packages of the repository, according to their manifests",
        dict(names), [Edge(start, end) for start, end in pairs],
    ))  # fmt: skip


def _scope(page: Page, facts: Facts, scope: str, title: str) -> None:
    page.section(title)
    page.table(("Package", "Version", "Imported by", "Asked for in"), [
        (_name(each), _versions(each), _users(page, facts, each), _asked(page, each))
        for each in _families(dependencies.of_scope(facts, scope))
    ])  # fmt: skip


def _families(found: Sequence[Package]) -> list[list[Package]]:
    """Many packages of one publisher are told as one, where the first of them stands."""
    counts = Counter(map(_publisher, found))
    families: dict[str, list[Package]] = {}
    for each in found:
        publisher = _publisher(each)
        is_many = publisher and counts[publisher] >= FAMILY_MIN
        families.setdefault(publisher if is_many else each.name, []).append(each)
    return list(families.values())


def _publisher(package: Package) -> str:
    """The scope of an npm package, the group of one of Maven, whoever a path of Go names."""
    name = package.name
    if name.startswith("@") or package.ecosystem == "php":
        return name.partition("/")[0] if "/" in name else ""
    if ":" in name:
        return name.partition(":")[0]
    return "/".join(name.split("/")[:2]) if package.ecosystem == "go" else ""


def _name(family: Sequence[Package]) -> Md:
    if len(family) == 1:
        return code(family[0].name)
    return md("{} and {} more of {}", code(family[0].name), len(family) - 1,
              code(_publisher(family[0])))  # fmt: skip


def _users(page: Page, facts: Facts, family: Sequence[Package]) -> Md:
    keys = list(
        dict.fromkeys(
            key for each in family for key in dependencies.users(facts, each.ecosystem, each.name)
        )
    )
    return among([page.link(key) for key in keys[:USERS_MAX]], len(keys))


def _versions(family: Sequence[Package]) -> Md:
    versions = list(dict.fromkeys(version for each in family for version in each.versions))
    return among([code(each) for each in versions[:VERSIONS_MAX]], len(versions))


def _asked(page: Page, family: Sequence[Package]) -> Md:
    places = list(dict.fromkeys(place for each in family for place in each.places))
    return among([page.cite(each) for each in places[:PLACES_MAX]], len(places))

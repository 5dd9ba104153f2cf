"""The repository as a whole: its parts, languages and kinds of files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from stationmaster.reading.projects.model import App, DependencyScope
from stationmaster.reading.projects.references import References
from stationmaster.reading.projects.test_files import in_tests
from stationmaster.wiki.facts.model import Facts, query

_SCOPES: tuple[DependencyScope, ...] = ("runtime", "optional", "development")


class Part(msgspec.Struct, frozen=True):
    """An application or library that is built by itself: `kinds` are `service`, `cli`, ...; `uses`
    the paths of the others that its own manifests name, `may_use` of those that are optional,
    `develops_with` of those that only its tests and tools need."""

    path: str
    name: str
    description: str
    kinds: tuple[str, ...]
    languages: tuple[str, ...]
    manifests: tuple[str, ...]
    uses: tuple[str, ...]
    may_use: tuple[str, ...] = ()
    develops_with: tuple[str, ...] = ()


@query
def parts(facts: Facts) -> tuple[Part, ...]:
    """The parts by path."""
    needs = _needs(facts)
    return tuple(
        Part(
            app.path, app.name.rpartition(":")[2], app.description, tuple(sorted(app.kinds)),
            tuple(app.languages)[:4], _manifests(app),
            *(tuple(sorted(needs[app.path, scope])) for scope in _SCOPES),
        )
        for app in facts.tree.project.apps
    )  # fmt: skip


@query
def are_crates(facts: Facts) -> bool:
    """Are the parts members of one workspace of Cargo, which builds them together?"""
    folders = {app.path for app in facts.tree.project.apps}
    workspaces = facts.tree.project.workspaces
    return any(it.tool == "cargo" and folders <= {*it.members} for it in workspaces)


def _manifests(app: App) -> tuple[str, ...]:
    """The paths of manifests, those in the part's own folder first, then the least deep ones."""
    manifests = sorted(
        app.manifests, key=lambda it: (it.folder != app.path, it.path.count("/"), it.path)
    )
    return tuple(manifest.path for manifest in manifests)


def _needs(facts: Facts) -> Mapping[tuple[str, DependencyScope], set[str]]:
    """The parts that a part needs directly, each once with the strongest scope."""
    references = References(facts.tree.project.manifests)
    owners = _owners(facts.tree.project.apps)
    needs: dict[tuple[str, DependencyScope], set[str]] = defaultdict(set)
    for start, ends in references.direct.items():
        for end in ends:
            one, other = owners.get(start), owners.get(end)
            scope = references.scopes.get((start, end), "runtime")
            scope = "development" if scope == "runtime" and in_tests(start) else scope
            if one is not None and other is not None and one != other:
                needs[one, scope].add(other)
    for path in set(owners.values()):
        seen: set[str] = set()
        for scope in _SCOPES:
            needs[path, scope] -= seen
            seen |= needs[path, scope]
    return needs


def _owners(apps: Sequence[App]) -> Mapping[str, str]:
    """The part that a folder belongs to. A library of several parts belongs to none of them."""
    claims: dict[str, set[str]] = defaultdict(set)
    for app in apps:
        for folder in (*app.parts, *(manifest.folder for manifest in app.manifests)):
            claims[folder].add(app.path)
    shared = {folder: min(paths) for folder, paths in claims.items() if len(paths) == 1}
    return shared | {app.path: app.path for app in apps}

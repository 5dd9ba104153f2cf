"""The repository as a whole: its central modules, its layers, its parts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from stationmaster.reading.projects.model import App, DependencyScope
from stationmaster.reading.projects.references import References
from stationmaster.reading.projects.test_files import in_tests
from stationmaster.wiki.facts.code.graph import edges
from stationmaster.wiki.facts.code.modules import modules
from stationmaster.wiki.facts.code.ranks import page_rank
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.text.pruning import in_circles

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
def central(facts: Facts) -> tuple[str, ...]:
    """All modules, those first that others build on which others build on in turn."""
    keys = [module.key for module in modules(facts)]
    numbers = {key: number for number, key in enumerate(keys)}
    out: list[list[tuple[int, float]]] = [[] for _ in keys]
    for way in edges(facts):
        out[numbers[way.start]].append((numbers[way.end], way.weight or 1))
    score = dict(zip(keys, page_rank(out), strict=True))
    return tuple(sorted(score, key=lambda key: (-score[key], key)))


@query
def layers(facts: Facts) -> tuple[tuple[str, ...], ...]:
    """Modules by how far they build on others, the lowest first: by imports that run when a file is
    loaded each uses those of lower layers alone, those of its own circle apart. Modules without
    such imports are in none."""
    pairs = [(edge.start, edge.end) for edge in edges(facts) if edge.is_firm]
    group = in_circles(pairs)
    below: dict[str, set[str]] = defaultdict(set)
    for start, end in pairs:
        one, other = group.get(start, start), group.get(end, end)
        below[other] |= set()
        if one != other:
            below[one].add(other)
    levels = _levels(below)
    found: dict[int, list[str]] = defaultdict(list)
    for key in sorted({each for pair in pairs for each in pair}):
        found[levels[group.get(key, key)]].append(key)
    return tuple(tuple(found[level]) for level in sorted(found))


def _levels(below: Mapping[str, set[str]]) -> Mapping[str, int]:
    """The longest way down from each node of a graph without circles."""
    above: dict[str, list[str]] = defaultdict(list)
    waiting = Counter({node: len(ends) for node, ends in below.items()})
    for node, ends in below.items():
        for end in ends:
            above[end].append(node)
    levels = {node: 0 for node in below if not below[node]}
    ready = sorted(levels)
    while ready:
        node = ready.pop()
        for start in above[node]:
            levels[start] = max(levels.get(start, 0), levels[node] + 1)
            waiting[start] -= 1
            if not waiting[start]:
                ready.append(start)
    return levels


@query
def shared(facts: Facts) -> tuple[tuple[str, int], ...]:
    """Modules that at least a third of all others use, and how many do."""
    users = Counter(edge.end for edge in edges(facts))
    least = max(3, len(modules(facts)) / 3)
    return tuple(
        (key, count)
        for key, count in sorted(users.items(), key=lambda each: (-each[1], each[0]))
        if count >= least
    )


@query
def parts(facts: Facts) -> tuple[Part, ...]:
    """By path."""
    needs = _needs(facts)
    return tuple(
        Part(
            app.path, app.name.rpartition(":")[2], app.description, tuple(sorted(app.kinds)),
            tuple(app.languages)[:4], _manifests(app),
            *(tuple(sorted(needs[app.path, scope])) for scope in _SCOPES),
        )
        for app in facts.tree.project.apps
    )  # fmt: skip


def _manifests(app: App) -> tuple[str, ...]:
    """Their paths, those in the part's own folder first, then those least deep."""
    found = sorted(
        app.manifests, key=lambda each: (each.folder != app.path, each.path.count("/"), each.path)
    )
    return tuple(manifest.path for manifest in found)


def _needs(facts: Facts) -> Mapping[tuple[str, DependencyScope], set[str]]:
    """The parts that each part needs directly, once, by the strongest scope."""
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


@query
def languages(facts: Facts) -> tuple[tuple[str, int, int], ...]:
    """Of source and tests: a language, its files and lines, the most lines first."""
    files: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for path in facts.code:
        language = facts.records[path].language
        files[language] += 1
        lines[language] += facts.heads[path].lines
    order = sorted(lines.items(), key=lambda each: (-each[1], each[0]))
    return tuple((language, files[language], count) for language, count in order)


@query
def classes(facts: Facts) -> tuple[tuple[str, int], ...]:
    """All files by what kind they are, the most first."""
    counts = Counter(record.file_class for record in facts.records.values())
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

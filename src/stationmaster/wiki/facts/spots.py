"""Where work piles up: files that are large and change often, modules that few people change,
files that nothing was seen to use, remarks about work to do."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import msgspec

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts import history
from stationmaster.wiki.facts.links import links_to
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.modules import module_of, modules
from stationmaster.wiki.text.inline import Place

SPOTS_MAX = 20
LARGE_MIN = 1_000
"""Lines of a source file that is called large."""
MARKS_MAX = 200
COMMITS_MIN = 20
SHARE_MIN = 0.8
_ALONE_SHARE_MAX = 0.1
_FOLLOWED = frozenset({"Python", "JavaScript", "TypeScript", "TSX"})
"""Languages whose files are of use only where something imports them."""
_STARTED = re.compile(
    r"(?:.*/)?(?:__init__|__main__|main|manage|wsgi|asgi|setup|conf|conftest|noxfile|fabfile|tasks"
    r"|index|server|app|cli|settings|urls|admin|apps|signals|middleware|[\w.-]+\.config|[\w.-]+\.d"
    r"|_?app|_document|page|layout|route|loading|error|\+[\w.-]+|\[[\w.-]+\])\.\w+"
)
"""Names of files that something else starts or finds by its name."""
_FOUND = re.compile(
    r"(?:^|/)(?:migrations?|versions|management/commands|templatetags|bin|scripts?|tools|examples?"
    r"|pages|app|routes|plugins?|stories|docs?|public|static|seeds?|fixtures|benchmarks?|commands"
    r"|views|components|hooks|api|workers?|jobs|e2e|types)(?:/|$)"
)


class Spot(msgspec.Struct, frozen=True):
    path: str
    commits: int
    lines: int
    module: str


class Few(msgspec.Struct, frozen=True):
    """A module of whose changes one person made the `share`; `people` is how many took part."""

    module: str
    commits: int
    people: int
    share: float


class Remark(msgspec.Struct, frozen=True):
    word: str
    text: str
    place: Place


@query
def spots(facts: Facts) -> tuple[Spot, ...]:
    """Source files by commits times lines."""
    churns = history.churns(facts)
    found = [
        Spot(path, churns[path], lines, module_of(facts, path))
        for path, lines in _lines(facts).items()
        if path in churns and lines
    ]
    found.sort(key=lambda each: (-each.commits * each.lines, each.path))
    return tuple(found[:SPOTS_MAX])


@query
def few(facts: Facts) -> tuple[Few, ...]:
    """Modules that one person mostly changes, those with the most commits first."""
    found = []
    for module in modules(facts):
        counts = history.authors_of_module(facts, module.key)
        commits = sum(counts)
        if commits >= COMMITS_MIN and counts[0] >= SHARE_MIN * commits:
            found.append(Few(module.key, commits, len(counts), round(counts[0] / commits, 2)))
    return tuple(sorted(found, key=lambda each: (-each.commits, each.module))[:SPOTS_MAX])


@query
def large(facts: Facts) -> tuple[tuple[str, int], ...]:
    """Source files of many lines, the largest first."""
    found = [each for each in _lines(facts).items() if each[1] >= LARGE_MIN]
    return tuple(sorted(found, key=lambda each: (-each[1], each[0]))[:SPOTS_MAX])


@query
def remark_counts(facts: Facts) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    """How many remarks of each word there are, by module or folder, the most first."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for path, said in facts.code.items():
        for each in said.marks:
            counts[module_of(facts, path) or folder_of(path)][each.word] += 1
    told = [(key, tuple(sorted(words.items()))) for key, words in counts.items()]
    return tuple(sorted(told, key=lambda each: (-sum(n for _, n in each[1]), each[0])))


@query
def remarks(facts: Facts) -> tuple[Remark, ...]:
    """In the order of files and lines, those of the product before those of tests."""
    found = [
        (
            facts.records[path].file_class == "test",
            Remark(each.word, each.text, Place(path, each.line)),
        )
        for path, said in facts.code.items()
        for each in said.marks
    ]
    found.sort(key=lambda each: (each[0], each[1].place.path, each[1].place.line or 0))
    return tuple(each for _, each in found[:MARKS_MAX])


@query
def alone(facts: Facts) -> tuple[str, ...]:
    """Source files that no other file was seen to import, and that nothing is known to start or to
    find by name. () where there are so many that it is the imports which were not understood."""
    asked = [
        path
        for path, each in facts.records.items()
        if path in facts.code and each.file_class == "source" and each.language in _FOLLOWED
    ]
    found = [path for path in asked if _is_alone(facts, path)]
    return tuple(found) if len(found) <= _ALONE_SHARE_MAX * len(asked) else ()


def _lines(facts: Facts) -> dict[str, int]:
    """Of source files, by path."""
    return {
        path: head.lines
        for path, head in facts.heads.items()
        if facts.records[path].file_class == "source"
    }


def _is_alone(facts: Facts, path: str) -> bool:
    said = facts.code[path]
    if (
        said.entries
        or said.routes
        or said.commands
        or said.jobs
        or said.entities
        or said.status != "ok"
    ):
        return False
    if not said.symbols or _STARTED.fullmatch(path) or _FOUND.search(folder_of(path)):
        return False
    return not links_to(facts, path)

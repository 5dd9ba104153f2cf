"""Where the types that build on another one are named together: the place where a new one is made
known."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from stationmaster.wiki.facts.code.comments import lines_of
from stationmaster.wiki.facts.code.symbols import suites
from stationmaster.wiki.facts.extending.extensions import Point, declared, extension_points
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.text.inline import Place

NAMES_MIN, SHARE_MIN = 3, 0.6
"""Of the types that build on one, that stand together."""
PLACES_MAX = 2
KNOWN_SHARE_MIN = 0.75
"""Of the names in a table, that lead to something."""
_LINE_MAX = 400
_GAP_MAX = 5
"""Lines between two of them."""
_HEAD_LINES = 12
_WORD = re.compile(r"[A-Za-z_]\w{2,100}")
_IMPORT = re.compile(r"\s*(?:import|use|from|using|require|(?:pub )?mod|pub use|export \*)\b")
_SPOKEN = re.compile(
    r"\s*(?://|#|\*|/\*|type\b"
    r"|(?:(?:export|abstract|final|public|pub) ){0,3}(?:class|struct|trait)\b)"
)
"""Lines that declare or speak of a name."""
_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|//.*")
_FOREIGN = re.compile(r"(?i)\b\d{1,3}\.\d{1,3}\.\d{1,3}\b")
_OWNED = re.compile(r"(?i)\(c\)|copyright|licen[cs]e|@preserve")
_PAST = re.compile(r"(?i)(?:^|/)(?:db/)?(?:migrations?|migrate|upgrades?|upgrade[_-]\w{1,40})/")


class Registered(msgspec.Struct, frozen=True, array_like=True):
    """`names` are how many of the types a place names."""

    place: Place
    names: int


class Entry(NamedTuple):
    """`end` is what `key` leads to; None where nobody knows."""

    key: str
    place: Place
    end: Spot | None


def is_past(path: str) -> bool:
    """True for what changes data of earlier versions: nobody adds to it."""
    return _PAST.search(path) is not None


@query
def is_bundled(facts: Facts, path: str) -> bool:
    """Does a comment at the top name the version and the owner of a library of others?"""
    if not path.endswith((".js", ".mjs", ".cjs")):
        return False
    head = "\n".join(line[:300] for line in lines_of(facts, path)[:_HEAD_LINES])
    comment = head[: head.find("*/")] if head.lstrip().startswith("/*") else ""
    return bool(_FOREIGN.search(comment) and _OWNED.search(comment))


@query
def registered(facts: Facts) -> Mapping[str, tuple[Registered, ...]]:
    """By file and name of the extension point, with a colon between them."""
    points = extension_points(facts)
    lines = _naming_lines(facts, {it.name for each in points for _, it in each.implementations})
    taken: list[Registered] = []
    registered = {}
    for point in points:
        made = _together(facts, point, lines)
        new = tuple(it for it in made if not any(_is_same(it, other) for other in taken))
        taken += new
        registered[f"{point.path}:{point.symbol.qualified}"] = new
    return registered


def _is_same(one: Registered, other: Registered) -> bool:
    """Do two say the same? The point with more types comes first."""
    return one.place.path == other.place.path and not (
        (one.place.end or 0) < (other.place.line or 0)
        or (other.place.end or 0) < (one.place.line or 0)
    )


def _naming_lines(facts: Facts, names: set[str]) -> Mapping[str, Sequence[tuple[str, int]]]:
    """The lines of the product that name one of the types, by it."""
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for path in facts.code:
        if facts.records[path].file_class != "source" or is_past(path) or path in suites(facts):
            continue
        is_import = False
        text = facts.tree.text(path)
        is_naming = any(name in text for name in names)
        for number, line in enumerate(lines_of(facts, path) if is_naming else (), 1):
            bare = _QUOTED.sub("", line[:_LINE_MAX])
            is_import = is_import or _IMPORT.match(bare) is not None
            if not is_import and not _SPOKEN.match(bare):
                for name in names.intersection(_WORD.findall(bare)):
                    places[name].append((path, number))
            # Imports in brackets go on over lines.
            is_import = is_import and (
                ("(" in bare or "{" in bare or bare.rstrip().endswith(","))
                and not bare.rstrip().endswith((")", "}", ";"))
            )
    return places


def _together(
    facts: Facts, point: Point, lines: Mapping[str, Sequence[tuple[str, int]]]
) -> Iterator[Registered]:
    """Runs of lines that name most of the types, and no others of their names; those with most of
    them first."""
    by_path: dict[str, list[tuple[int, str]]] = defaultdict(list)
    names = {it.name for _, it in point.implementations}
    own = {
        (path, number)
        for path, it in point.implementations
        for number in range(it.line, it.end + 1)
    }
    spots = {Spot(path, it.qualified) for path, it in point.implementations}
    for name in names:
        for path, number in lines.get(name, ()):
            if (path, number) not in own and declared(facts, path, name) in spots:
                by_path[path].append((number, name))
    least = max(NAMES_MIN, SHARE_MIN * len(names))
    runs = [
        Registered(Place(path, run[0][0], run[-1][0]), len({name for _, name in run}))
        for path, named in by_path.items()
        for run in _runs(sorted(named))
    ]
    best = [run for run in runs if run.names >= least]
    best.sort(key=lambda it: (-it.names, it.place))
    yield from best[:PLACES_MAX]


def _runs(named: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    run: list[tuple[int, str]] = []
    for each in named:
        if run and each[0] - run[-1][0] > _GAP_MAX:
            yield run
            run = []
        run.append(each)
    if run:
        yield run

"""What a model may read: bounded slices of documents and code, chosen by what the graph says of
them. Sections that explain, the symbols of concepts and flows, those of files that matter most, and
what all of these call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from stationmaster.reading.code.model import Symbol
from stationmaster.wiki import secrets
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.flows import flow, flows
from stationmaster.wiki.facts.code.names import called, users_of
from stationmaster.wiki.facts.code.ranks import by_importance
from stationmaster.wiki.facts.code.stations import calls_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.model import Facts, Spot
from stationmaster.wiki.facts.subjects.concepts import concept, concept_titles
from stationmaster.wiki.facts.texts.about import about_repository
from stationmaster.wiki.facts.texts.passages import passages
from stationmaster.wiki.making.steering import Wanted

SECTIONS_MAX, SYMBOLS_MAX = 100, 200
FILES_MAX = 60
SYMBOLS_PER_FILE = 3
NEAR_MAX = 6
LINES_MAX = 90
LINE_MAX = 300
_LINES_MIN = 3


class Slice(msgspec.Struct, frozen=True):
    """Lines of a document or of code from `line` on. `name` tells it from all others of a commit;
    `near` are the names of those that it calls, or holds."""

    name: str
    path: str
    line: int
    title: str
    lines: tuple[str, ...]
    near: tuple[str, ...] = ()


class Material(msgspec.Struct, frozen=True):
    """`about` is what the repository says of itself, `asked` the pages that its settings want."""

    repository: str
    about: str
    slices: tuple[Slice, ...]
    asked: tuple[Wanted, ...] = ()


def material(facts: Facts) -> Material:
    """Without secrets, the most central first among documents and among code."""
    said = about_repository(facts)
    sections: dict[str, Slice] = {}
    for each in passages(facts)[:SECTIONS_MAX]:
        name = f"{each.path}#{each.title}"
        found = _slice(facts, name, each.title, Spot(each.path, ""), each.line, each.end)
        if found is not None:
            sections.setdefault(name, found)
    return Material(
        facts.commit.name, said.words if said else "", (*sections.values(), *_of_code(facts)),
        facts.steering.pages,
    )  # fmt: skip


def _of_code(facts: Facts) -> Iterator[Slice]:
    """Those that the graph names first, then what they call, as far as the calls are certain."""
    waiting = deque(dict.fromkeys(_central(facts)))
    seen = set(waiting)
    count = 0
    while waiting and count < SYMBOLS_MAX:
        spot = waiting.popleft()
        symbol = symbol_of(facts, spot.path, spot.name)
        if symbol is None:
            continue
        near = list(dict.fromkeys(_near(facts, spot, symbol)))[:NEAR_MAX]
        found = _slice(facts, _name(spot), symbol.signature or spot.name, spot, symbol.line,
                       symbol.end, tuple(map(_name, near)))  # fmt: skip
        if found is not None:
            count += 1
            yield found
            waiting += [each for each in near if each not in seen]
            seen.update(near)


def _central(facts: Facts) -> Iterator[Spot]:
    for key in flows(facts):
        walked = flow(facts, key)
        yield from (*(each.spot for each in walked.stations), *(step.end for step in walked.steps))
    for key, _ in concept_titles(facts):
        this = concept(facts, key)
        yield from (*this.types, *this.functions)
    sources = [path for path in facts.code if facts.records[path].file_class == "source"]
    for path in by_importance(facts, sources)[:FILES_MAX]:
        users = users_of(facts, path)
        outer = [each for each in facts.code[path].symbols if not each.container]
        outer.sort(key=lambda each: (-users.get(each.qualified, 0), each.line - each.end))
        yield from (Spot(path, each.qualified) for each in outer[:SYMBOLS_PER_FILE])


def _near(facts: Facts, spot: Spot, symbol: Symbol) -> Iterator[Spot]:
    """The longest methods of a type that is too long for a slice; what its methods, or a function,
    call."""
    own = sorted(
        methods_of(facts, spot.path, spot.name), key=lambda each: each[1].line - each[1].end
    )
    inside = [Spot(path, each.qualified) for path, each in own]
    if symbol.end - symbol.line >= LINES_MAX:
        yield from inside
    for start in (spot, *inside):
        for call in calls_of(facts, start):
            end = called(facts, start.path, call)
            if (
                end is not None and end != spot and end not in inside
                and facts.records[end.path].file_class == "source"
            ):  # fmt: skip
                yield end


def _name(spot: Spot) -> str:
    return f"{spot.path}::{spot.name}"


def _slice(
    facts: Facts, name: str, title: str, spot: Spot, line: int, end: int,
    near: tuple[str, ...] = (),
) -> Slice | None:  # fmt: skip
    """None for what is too short to say anything, and for what a secret reaches over lines of."""
    whole = facts.tree.text(spot.path).split("\n")[line - 1 : min(end, line + LINES_MAX - 1)]
    lines = secrets.masked("\n".join(whole)).split("\n")
    if len(lines) != len(whole) or sum(bool(each.strip()) for each in lines) < _LINES_MIN:
        return None
    return Slice(name, spot.path, line, secrets.masked(" ".join(title.split()))[:LINE_MAX],
                 tuple(map(_visible, lines)), near)  # fmt: skip


def _visible(line: str) -> str:
    """A line without what a reader cannot see."""
    return "".join(filter(str.isprintable, line.expandtabs(4))).rstrip()[:LINE_MAX]

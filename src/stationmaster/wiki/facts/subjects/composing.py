"""A subject with what belongs to it: its symbols, files, routes and settings, and what runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.catalogue import lists
from stationmaster.reading.code.model import FileFacts
from stationmaster.wiki.facts.code.flows import Flow, walk
from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.code.names import types as types_of
from stationmaster.wiki.facts.code.steps.weights import weight
from stationmaster.wiki.facts.code.symbols import is_made_for_tests, methods_of
from stationmaster.wiki.facts.code.vocabulary import kind_of, vocabulary
from stationmaster.wiki.facts.data.entities import stored
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects import central
from stationmaster.wiki.facts.subjects.belonging import Belongings
from stationmaster.wiki.facts.subjects.naming import Key, bare, own_key, words_in
from stationmaster.wiki.facts.texts.passages import Passage

FOLDER = "concepts"
TYPES_MAX, FUNCTIONS_MAX = 4, 6
TOLD_TYPES = 2
"""Types of a concept of whose methods it is said what they do."""
STARTS_MAX, STARTS_KEPT, SPOTS_MAX = 4, 10, 24
"""Functions at which a concept begins, those that may where others explain the first, and those
they are chosen of."""
FILES_MAX = 10
BEGINNINGS_MAX = 200
"""Routes and jobs of a concept whose functions are compared."""
_BEGINS_WORTH, _ON_OTHERS_WORTH, _USES_WORTH, _APART_WORTH = 2.0, 0.7, 0.5, 0.3
"""What it counts that a function answers a request or is run as a job, that it does so of something
else by its name or ends what there is, that it uses what others build on, and that a step is in
none of its files."""
_UNDOING = lists.words("undoing-verb")
_ENDING = lists.words("ending-name")
SHARED_MIN = 8
"""Types that build on one whose methods are about none of them."""


class Concept(msgspec.Struct, frozen=True):
    """`asked` is what the repository's settings say that the page is for, if they ask for it;
    symbols are the best first. `below` are types that build on them or implement them. `starts` are
    the most central of their functions, and of those that answer what belongs to it; the first lead
    to so many `steps`."""

    key: str
    title: str
    words: Key
    passages: tuple[Passage, ...]
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    starts: tuple[Spot, ...]
    steps: int
    files: tuple[str, ...]
    belongings: Belongings
    below: tuple[Spot, ...] = ()
    asked: str = ""


class Subject(msgspec.Struct, frozen=True):
    """What may be explained: a name, sections on it, and the code that is called so. The higher its
    `score`, the more there is to say of it; so many kinds of evidence are `agreeing` that it is
    something of the product."""

    key: Key
    title: str
    passages: Sequence[Passage] = ()
    types: tuple[Spot, ...] = ()
    functions: tuple[Spot, ...] = ()
    paths: tuple[str, ...] = ()
    belongings: Belongings = Belongings()
    score: float = 0
    agreeing: int = 0
    asked: str = ""


def composed(facts: Facts, subject: Subject) -> Concept:
    """A subject with the symbols that explain it, the best first."""
    inside = _inside(facts, subject.paths)
    types = dict.fromkeys((*subject.types, *(it for it, kind in inside if kind == "type")))
    types = dict.fromkeys([*types][:TYPES_MAX])
    below = dict.fromkeys(it for spot in types for it in central.below(facts, spot))
    held = {(spot.path, spot.name) for spot in (*types, *below)}
    functions = (it for it, kind in inside if kind != "type")
    apart = [
        it
        for it in dict.fromkeys((*subject.functions, *functions))
        if it not in types and (it.path, it.name.rpartition(".")[0]) not in held and it not in below
    ]
    apart.sort(key=lambda spot: not any(central.chooses(facts, spot, it) for it in apart))
    files = dict.fromkeys((*subject.paths, *(spot.path for spot in (*types, *apart))))
    own = subject.belongings
    begins = _begins(facts, subject)
    users = {*central.users_of(facts, [spot for spot in types if central.below(facts, spot)])}
    spots = dict.fromkeys((*_methods(facts, [*types]), *apart[:SPOTS_MAX], *begins, *users))
    worths = dict.fromkeys(users - begins.keys(), _USES_WORTH) | begins
    return Concept(
        f"{FOLDER}/{slug(subject.title)}",
        subject.title,
        subject.key,
        tuple(subject.passages),
        tuple(types),
        tuple(apart[:FUNCTIONS_MAX]),
        *_walked(facts, spots, worths, {*files}),
        tuple(files)[:FILES_MAX],
        own,
        tuple(it for it in below if it not in types),
        subject.asked,
    )


def _begins(facts: Facts, subject: Subject) -> dict[Spot, float]:
    """The functions that answer requests or run as jobs of a subject, those first in which most
    happens, with what they count."""
    handlers = (
        handler(facts, it.handler_path, it.handler_line)
        for it in subject.belongings.beginnings[:BEGINNINGS_MAX]
    )
    others = (_stored_words(facts) | _UNDOING).difference(subject.key)
    worths = dict[Spot, float]()
    for spot in filter(None, handlers):
        *_, holder, name = ("", *spot.name.split("."))
        is_other = not others.isdisjoint((*words_in(holder), *words_in(name)))
        worths[spot] = _ON_OTHERS_WORTH if is_other else _BEGINS_WORTH
    ranked = sorted(worths, key=lambda it: (-worths[it] * weight(facts, it), it))
    return {spot: worths[spot] for spot in ranked[:SPOTS_MAX]}


@query
def _stored_words(facts: Facts) -> frozenset[str]:
    """The names, of one word each, of what is stored."""
    keys = (own_key(facts, bare(it.model) or it.name) for it in stored(facts))
    return frozenset("".join(key) for key in keys if len(key) == 1)


def _inside(facts: Facts, paths: Sequence[str]) -> list[tuple[Spot, str]]:
    """What files of a subject declare, with its kind, in the order of these, of each file what
    explains most."""
    by_path: dict[str, list[tuple[Spot, str]]] = {path: [] for path in paths[:FILES_MAX]}
    for spot, symbol in vocabulary(facts).symbols:
        kind = kind_of(symbol) or "type"
        if spot.path in by_path and (kind != "type" or symbol.is_public):
            by_path[spot.path].append((spot, kind))

    def worth(row: tuple[Spot, str]) -> float:
        return -len(methods_of(facts, *row[0])) if row[1] == "type" else -weight(facts, row[0])

    return [it for rows in by_path.values() for it in sorted(rows, key=worth)]


def _methods(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """Those of the first types of a concept, without what these inherit from a base of many."""
    for spot in types[:TOLD_TYPES]:
        for path, name in types_of(facts).methods(spot)[:SPOTS_MAX]:
            base = Spot(path, name.rpartition(".")[0])
            if base in types or len(types_of(facts).below(base)) < SHARED_MIN:
                yield Spot(path, name)


@query
def handler(facts: Facts, path: str, line: int) -> Spot | None:
    """The function at a line that answers a request or runs for a job; None where nobody knows
    it."""
    said = facts.code[path] if path in facts.code else FileFacts()
    named = (symbol for symbol in said.symbols if symbol.line == line)
    return next((Spot(path, symbol.qualified) for symbol in named), None)


def _walked(
    facts: Facts, spots: Iterable[Spot], worths: Mapping[Spot, float], files: Set[str]
) -> tuple[tuple[Spot, ...], int]:
    """The functions that lead to most of what is the concept's own, and to how many others the
    first of them do."""

    def worth(way: Flow) -> float:
        own = (
            weight(facts, it.spot) * (1 if it.spot.path in files else _APART_WORTH)
            for it in way.stations
        )
        return sum(own) * worths.get(way.start, 1)

    leading = (it for it in spots if weight(facts, it) and not is_made_for_tests(it.path))
    walks = [walk(facts, spot.name, spot, 0) for spot in leading]
    worth_of = {way.start: worth(way) for way in walks}
    for spot in [*worth_of]:  # What chooses one of several comes before them.
        chosen_of = [worth_of[it] for it in worth_of if central.chooses(facts, spot, it)]
        worth_of[spot] = max([worth_of[spot], *(1.1 * it for it in chosen_of)])
    ranked = sorted(
        (_ends(spot.name), -round(it, 6), spot.path, spot.name) for spot, it in worth_of.items()
    )
    starts = [Spot(path, name) for _, _, path, name in ranked]
    first = (way.stations for way in walks if way.start in starts[:STARTS_MAX])
    return tuple(starts[:STARTS_KEPT]), len({it.spot for stations in first for it in stations})


def _ends(name: str) -> bool:
    """Does a function only end what others do, by its name?"""
    last = name.rpartition(".")[2].replace("_", "").lower()
    return last.removesuffix("async").removesuffix("all") in _ENDING

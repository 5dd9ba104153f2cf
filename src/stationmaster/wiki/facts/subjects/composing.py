"""A subject with what belongs to it: its symbols, files, routes and settings, and what runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.reading.code import naming
from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.projects.paths import folder_of, is_below
from stationmaster.wiki.facts.code.flows import Flow, walk
from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.code.names import types as types_of
from stationmaster.wiki.facts.code.steps.weights import weight
from stationmaster.wiki.facts.code.symbols import is_made_for_tests, methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, kind_of
from stationmaster.wiki.facts.data import uses as data_uses
from stationmaster.wiki.facts.data.entities import Stored
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects import central, topics
from stationmaster.wiki.facts.subjects.seeds import PASSAGES_MAX, README, Seed
from stationmaster.wiki.facts.subjects.topics import Belongings
from stationmaster.wiki.facts.texts.passages import Passage

FOLDER = "concepts"
TYPES_MAX, FUNCTIONS_MAX = 4, 6
TOLD_TYPES = 2
"""Types of a concept of whose methods it is said what they do."""
STARTS_MAX, STARTS_KEPT, SPOTS_MAX = 4, 10, 24
"""Functions at which a concept's flows begin, those that may where others explain the first, and
those they are chosen of."""
FILES_MAX = 10
_BEGINS_WORTH, _USES_WORTH, _APART_WORTH = 2.0, 0.5, 0.3
"""What it counts that a function answers a request or is run as a job, that it uses what others
build on, and that a step has not the words of its concept."""
STEPS_MAX, STEPS_EACH = 16, 6
"""Functions that a concept shows, and of them those behind one beginning."""
BELOW_MAX = 24
"""Types that are named as built on those which lead a subject."""


class Concept(msgspec.Struct, frozen=True):
    """`asked` is what the repository's settings say that the page is for, if they ask for it;
    symbols are the best first. `below` are types that build on them or implement them. `starts` are
    the most central of their functions, and of those that answer what belongs to it; `steps` what
    the first of them lead to."""

    key: str
    title: str
    passages: tuple[Passage, ...]
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    starts: tuple[Spot, ...]
    steps: tuple[Spot, ...]
    files: tuple[str, ...]
    belongings: Belongings
    below: tuple[Spot, ...] = ()
    asked: str = ""


def composed(facts: Facts, seed: Seed, hits: Sequence[Hit]) -> Concept:
    """A concept of a subject and the symbols that it leads to, the best first."""
    passages = seed.passages
    if not seed.asked:
        hits = central.touching(facts, hits, seed.names)
        passages = tuple(it for it in passages if _is_on(it, hits))
    hits = central.leading(facts, seed.title, hits)
    held = {hit.spot for hit in hits[:1] if methods_of(facts, hit.spot.path, hit.spot.name)}
    types = [hit.spot for hit in hits if kind_of(hit.symbol) == "type" or hit.spot in held]
    types = types[:TYPES_MAX]
    below = dict.fromkeys(
        it for spot in types for it in central.below(facts, spot) if it not in types
    )
    others = [hit for hit in hits if kind_of(hit.symbol) != "type" and hit.spot not in held]
    inside = {f"{spot.path}:{spot.name}" for spot in (*types, *below)}
    apart = [
        other.spot for other in others
        if f"{other.spot.path}:{other.spot.name.rpartition('.')[0]}" not in inside
    ]  # fmt: skip
    apart = sorted(
        apart, key=lambda spot: not any(central.chooses(facts, spot, it) for it in apart)
    )
    files = dict.fromkeys((*seed.paths, *(spot.path for spot in (*types, *apart))))
    # A heading may have words that no code has: what has the others may be about something else.
    own = topics.belongings(facts, topics.telling(seed.title, seed.stems))
    paths = {hit.spot.path for hit in hits}
    own = _of_code(facts, seed.title, own, paths)
    handlers = (
        handler(facts, it.handler_path, it.handler_line) for it in own.beginnings[:SPOTS_MAX]
    )
    begins = {spot for spot in handlers if spot}
    users = {*central.users_of(facts, [spot for spot in types if central.below(facts, spot)])}
    spots = dict.fromkeys((*_methods(facts, types), *apart[:SPOTS_MAX], *begins, *users))
    worths = dict.fromkeys(users - begins, _USES_WORTH) | dict.fromkeys(begins, _BEGINS_WORTH)
    return Concept(
        f"{FOLDER}/{slug(seed.title)}", seed.title, passages[:PASSAGES_MAX], tuple(types),
        tuple(apart[:FUNCTIONS_MAX]), *_walked(facts, spots, worths, {*seed.stems}),
        tuple(files)[:FILES_MAX], own, tuple(below)[:BELOW_MAX], seed.asked,
    )  # fmt: skip


def _is_on(passage: Passage, hits: Sequence[Hit]) -> bool:
    """Is a section on some code? The README of a folder is on what lies below that, or names it."""
    folder = folder_of(passage.path)
    if folder == "." or not README.search(passage.path) or folder in naming.DOCUMENTS:
        return True
    names = {name.strip("()").rpartition(".")[2] for name in passage.names}
    return any(is_below(hit.spot.path, folder) or hit.symbol.name in names for hit in hits)


def _of_code(facts: Facts, title: str, own: Belongings, paths: Set[str]) -> Belongings:
    """Without what only shares a word with a subject: what other code runs, stores or reads, and
    settings that are not called after it."""
    near = {*paths, *central.linked(facts, paths)}

    def is_run(path: str) -> bool:
        name = path.rpartition("/")[2].partition(".")[0]
        return not path or path in near or topics.has_words(name, title)

    def is_kept(table: Stored) -> bool:
        # Of a table of SQL of which no code is known, its name alone tells.
        uses = [it.path for it in data_uses.uses(facts, table.key)]
        places = [table.model_path, *uses, *([table.path] if table.model or uses else [])]
        return topics.is_named_so(table.model or table.name, title) or any(
            map(is_run, filter(None, places) if table.model or uses else [""])
        )

    return msgspec.structs.replace(
        own,
        routes=tuple(
            it for it in own.routes
            if is_run(it.handler_path) or topics.is_done_so(it.handler.rpartition(".")[2], title)
        ),
        jobs=tuple(it for it in own.jobs if is_run(it.handler_path or it.path)),
        tables=tuple(filter(is_kept, own.tables)),
        settings=tuple(
            it for it in own.settings
            if topics.is_called_after(facts, it.name, title, is_stored=bool(own.tables))
            and (any(is_run(path) for path, _ in it.reads) or ("." in it.name and not it.reads))
        ),
    )  # fmt: skip


def _methods(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """Those of the first types of a concept."""
    for spot in types[:TOLD_TYPES]:
        for path, name in types_of(facts).methods(spot)[:SPOTS_MAX]:
            yield Spot(path, name)


@query
def handler(facts: Facts, path: str, line: int) -> Spot | None:
    """The function at a line that answers a request or runs for a job; None where nobody knows
    it."""
    said = facts.code[path] if path in facts.code else FileFacts()
    named = (symbol for symbol in said.symbols if symbol.line == line)
    return next((Spot(path, symbol.qualified) for symbol in named), None)


def _walked(
    facts: Facts, spots: Iterable[Spot], worths: Mapping[Spot, float], stems: Set[str]
) -> tuple[tuple[Spot, ...], tuple[Spot, ...]]:
    """The functions that lead to most of what is the concept's own, and what the first lead to."""

    def worth(way: Flow) -> float:
        own = (
            weight(facts, it.spot) * (1 if stems & central.words_of(it.spot) else _APART_WORTH)
            for it in way.stations
        )
        return sum(own) * worths.get(way.start, 1)

    leading = (it for it in spots if weight(facts, it) and not is_made_for_tests(it.path))
    walks = [walk(facts, spot.name, spot, 0) for spot in leading]
    worth_of = {way.start: worth(way) for way in walks}
    for spot in [*worth_of]:  # What chooses one of several comes before them.
        chosen_of = [worth_of[it] for it in worth_of if central.chooses(facts, spot, it)]
        worth_of[spot] = max([worth_of[spot], *(1.1 * it for it in chosen_of)])
    ranked = sorted((-round(it, 6), spot.path, spot.name) for spot, it in worth_of.items())
    starts = [Spot(path, name) for _, path, name in ranked]
    steps: dict[Spot, None] = {}
    begun = 0
    for spot in starts:
        left = min(STEPS_MAX - len(steps), STEPS_EACH)
        if spot not in steps and left > 0 and begun < STARTS_MAX:
            begun += 1
            way = walk(facts, spot.name, spot, 0, left, steps.keys())
            steps |= dict.fromkeys(station.spot for station in way.stations)
    return tuple(starts[:STARTS_KEPT]), tuple(steps)

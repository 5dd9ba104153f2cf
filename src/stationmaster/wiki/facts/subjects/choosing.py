"""Which subjects a wiki explains: as many as the size of the product allows, each of code of its
own."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from stationmaster.catalogue import lists
from stationmaster.reading.projects.paths import is_below
from stationmaster.wiki.facts.code.names import users_of
from stationmaster.wiki.facts.code.ranks import BUCKETS, importance
from stationmaster.wiki.facts.code.sizes import size_of_source
from stationmaster.wiki.facts.code.vocabulary import kind_of, stems_of, vocabulary
from stationmaster.wiki.facts.extending.offered import is_aside
from stationmaster.wiki.facts.model import Facts, Spot, query
from stationmaster.wiki.facts.subjects.belonging import Belongings, belongings
from stationmaster.wiki.facts.subjects.central import below
from stationmaster.wiki.facts.subjects.composing import FILES_MAX, Concept, Subject, composed
from stationmaster.wiki.facts.subjects.documented import (
    README,
    depth,
    heading_on,
    headings_of,
    mentions,
    named,
    sections,
    with_parts,
)
from stationmaster.wiki.facts.subjects.naming import (
    Key,
    bare,
    forms_in,
    is_general,
    own_key,
    words_in,
    written,
)
from stationmaster.wiki.facts.subjects.units import HELPING, Unit, functions_of, length, units
from stationmaster.wiki.facts.texts.documents import on_parts
from stationmaster.wiki.facts.texts.guides import contents, explaining
from stationmaster.wiki.facts.texts.passages import Passage, passages

CONCEPTS_MAX, FEWEST, LINES_PER_CONCEPT, RANKED_MAX = 24, 6, 800, 120
"""A repository has one concept for so many lines, and a few more, of so many that are looked at."""
ASKED_MAX = 40
AGREEING_MIN = _SURE = 2
"""Evidence of a subject that is one of more than a few, and what it counts that a chapter of the
documents is on it, or that it is stored."""
LINES_MIN, LINES_ALONE, LINES_MANY = 50, 150, 250
SMALL_LINES, SMALL_SHARE = 8_000, 0.2
"""Of the code of a subject, of a type that nothing else agrees with, and of what only files are
called, or any program may have; fewer in a smaller product, at least such a share."""
MENTIONED_MIN, COMMANDS_MIN, USERS_MIN, BELOW_MIN = 3, 2, 5, 3
"""Places of documents that have a name, commands that begin with it, files that use a type, and
types that build on one."""
_NO_IDEA = lists.words("no-idea")
_ENTERED = {("command",), ("controller",)}
"""How types end of which other pages list what is entered there."""
COVERED_MAX = 0.6
"""Of the lines of a subject those that earlier ones may have."""
STEPS_MIN = 2
"""Of a page that explains enough."""
_TYPE_WORTH = 0.5
"""What it counts that a type is called so."""


@query
def concepts(facts: Facts) -> Mapping[str, Concept]:
    """By key: what the settings ask for, then what documents and much of the code are about."""
    chosen: dict[str, Concept] = {}
    for subject in _asked(facts):
        this = composed(facts, subject)
        chosen.setdefault(this.key, this)
    most = min(CONCEPTS_MAX, FEWEST + size_of_source(facts).lines // LINES_PER_CONCEPT)
    taken: set[str | Spot] = set()
    ranked = sorted(_subjects(facts), key=lambda it: (-it.agreeing * it.score, it.title))
    for subject in (_with_file(it, ranked) for it in ranked):
        if len(chosen) >= (most if subject.agreeing >= AGREEING_MIN else FEWEST):
            continue
        if _covered(facts, subject, taken) <= COVERED_MAX:
            this = composed(facts, subject)
            if this.key not in chosen and _explains(facts, this):
                chosen[this.key] = this
                taken |= {*subject.paths[:FILES_MAX], *subject.types, *subject.functions}
    return chosen


def _with_file(this: Subject, others: Iterable[Subject]) -> Subject:
    """A subject of one file, with all of that file where another one is the file itself."""
    paths = {spot.path for spot in this.types} if not this.paths else set()
    whole = next((it for it in others if len(paths) == 1 and {*it.paths} == paths), None)
    return this if whole is None else msgspec.structs.replace(this, paths=whole.paths)


def _asked(facts: Facts) -> Iterator[Subject]:
    """The pages that the repository's settings ask for, by their words."""
    words = vocabulary(facts)
    for page in facts.steering.pages[:ASKED_MAX]:
        stems = (*stems_of(page.title), *stems_of(page.purpose))
        fitting = sorted(
            (it for it in passages(facts) if {*stems} & {*stems_of(it.title)}),
            key=lambda it: (-len({*stems} & {*stems_of(it.title)}), it.path, it.line),
        )
        hits = words.find(stems, [name for it in fitting[:3] for name in it.names])[:24]
        types = tuple(spot for spot, symbol in hits if kind_of(symbol) == "type")
        functions = tuple(spot for spot, symbol in hits if kind_of(symbol) != "type")
        if hits or fitting:
            key = own_key(facts, page.title)
            yield Subject(key, page.title, tuple(fitting[:3]), types, functions, asked=page.purpose)


def _subjects(facts: Facts) -> Iterator[Subject]:
    """Units of code with the sections on them, then documents with the code that they name."""
    every = units(facts)
    on = sections(facts)
    ranked = sorted(every, key=lambda name: (-every[name].score, name))
    documented = [name for name in ranked if _on(facts, every[name])]
    held = set()
    for name in dict.fromkeys((*documented, *ranked[:RANKED_MAX])):
        held |= {name, "".join(words_in(every[name].name))}
        if subject := _of_unit(facts, every[name]):
            yield subject
    placed = contents(facts)
    for name, some in on.items():
        first = some[0]
        is_whole = depth(first) == 0 and (first.path in placed or not README.search(first.path))
        if name not in held and (is_whole or first in explaining(facts)):
            yield from _of_document(facts, name)


def _on(facts: Facts, unit: Unit) -> tuple[Passage, ...]:
    """The sections with the name of a unit as their heading. A part of the product, such as a
    plugin, means by a word what the documents on that part do."""
    names = dict.fromkeys(("".join(unit.key), "".join(words_in(unit.name))))
    some = dict.fromkeys(it for name in names for it in sections(facts).get(name, ()))
    by_path = on_parts(facts)
    paths = {*unit.paths, *(spot.path for spot in unit.types)}
    own = {part for part in by_path.values() if part and any(is_below(it, part) for it in paths)}
    is_of_part = bool(own) and all(any(is_below(it, part) for part in own) for it in paths)
    return tuple(
        it for it in some if (by_path[it.path] in own if it.path in by_path else not is_of_part)
    )


def _of_unit(facts: Facts, unit: Unit) -> Subject | None:
    some = _on(facts, unit)
    if not HELPING.isdisjoint(words_in(unit.name)) and not some:
        return None
    own = belongings(facts, unit.key, unit.types, unit.paths)
    agreeing = _agreeing(facts, unit.key, some, own)
    agreeing += (unit.is_typed and bool(unit.paths)) + _is_central(facts, unit.types)
    is_sure = agreeing >= AGREEING_MIN
    is_named = unit.is_typed or not unit.is_folder or bool(some) or is_sure
    if is_general(unit.key):
        is_sure = bool(own.tables) or any(depth(it) < 2 for it in some)
        is_named = unit.is_typed and (is_sure or not _NO_IDEA.issuperset(words_in(unit.name)))
    is_alone = unit.is_typed and not is_general(unit.key)
    least = LINES_MIN if is_sure else LINES_ALONE if is_alone else LINES_MANY
    ends = {words_in(bare(spot.name))[-1:] for spot in unit.types}
    is_listed = bool(ends) and ends <= _ENTERED and not is_sure
    if unit.lines < _scaled(facts, least) or not is_named or is_listed:
        return None
    titles = [title for it in some if depth(it) < 2 for title in headings_of(facts, it)]
    titles += [it.model for it in own.tables if own_key(facts, it.model) == unit.key]
    title = next((it for it in titles if words_in(it) in (unit.key, words_in(unit.name))), "")
    return Subject(
        unit.key,
        title or _called(facts, unit),
        with_parts(facts, some),
        unit.types,
        unit.functions,
        unit.paths,
        own,
        unit.score * (1 + _TYPE_WORTH * unit.is_typed),
        agreeing if is_sure else 1,
    )


def _agreeing(facts: Facts, key: Key, some: Collection[Passage], own: Belongings) -> int:
    """How many kinds of evidence there are that the product has something of this name: documents
    on it, their words, what is stored, what begins with it, and what is set."""
    works = len(own.routes) + len(own.jobs) + len(own.commands) // COMMANDS_MIN
    return sum((
        _SURE * any(depth(it) < 2 for it in some),
        any(it in explaining(facts) or it.path in contents(facts) for it in some),
        mentions(facts)["".join(key)] >= MENTIONED_MIN,
        _SURE * bool(own.tables),
        works > 0,
        bool(own.settings),
    ))  # fmt: skip


def _is_central(facts: Facts, types: Collection[Spot]) -> bool:
    """Do many files use a type, or several types build on it?"""
    users = sum(users_of(facts, it.path).get(it.name, 0) for it in types)
    return users >= USERS_MIN or any(len(below(facts, it)) >= BELOW_MIN for it in types)


def _called(facts: Facts, unit: Unit) -> str:
    """What a unit is called without a heading: as its type, else in words."""
    is_type = unit.is_typed and unit.name[:1].isupper() and unit.name.isalnum()
    return (
        unit.name if is_type else written(facts, unit.key if unit.is_typed else forms_in(unit.name))
    )


def _of_document(facts: Facts, name: str) -> Iterator[Subject]:
    """A document whose code is not called so, but has a word of it."""
    some = with_parts(facts, sections(facts)[name])
    title = heading_on(facts, name, some)
    key = own_key(facts, title)
    found = dict.fromkeys(named(facts, key, some))
    symbols = {spot: symbol for spot, symbol in vocabulary(facts).symbols if spot in found}
    declared = (it for it in found if it in symbols)  # Elsewhere only methods are added to a type.
    spots = sorted(declared, key=lambda it: not {*key} <= {*words_in(bare(it.name))})
    if is_general(key) or not spots:
        return
    types = [spot for spot in spots if kind_of(symbols[spot]) == "type"]
    others = [spot for spot in spots if spot not in types]
    lines = {spot: length(facts, spot) for spot in types}
    lines |= {spot: symbols[spot].end - symbols[spot].line for spot in others}
    if sum(lines.values()) >= _scaled(facts, LINES_MIN):
        weighed = sum(count * importance(facts, it.path) for it, count in lines.items()) / BUCKETS
        own = belongings(facts, key, types, ())
        row = tuple(types), tuple(others), (), own, round(math.log1p(weighed), 6)
        yield Subject(key, title, some, *row, 1 + _agreeing(facts, key, some, own))


def _covered(facts: Facts, subject: Subject, taken: Collection[str | Spot]) -> float:
    """What part of the lines of a subject earlier ones have."""

    def held(path: str) -> int:
        if path in taken:
            return lines[path]
        spots = (it for it in taken if isinstance(it, Spot) and it.path == path)
        return sum(length(facts, it) for it in spots)

    lines = {path: functions_of(facts).get(path, 0) for path in subject.paths}
    spots = [it for it in subject.types if it.path not in lines] if subject.types else []
    own = [(held(path), count) for path, count in lines.items()]
    own += [
        (length(facts, it) if it in taken or it.path in taken else 0, length(facts, it))
        for it in spots
    ]
    own = own or [(it in taken or it.path in taken, 1) for it in subject.functions]
    whole = sum(count for _, count in own)
    return sum(count for count, _ in own) / whole if whole else 0


def _explains(facts: Facts, this: Concept) -> bool:
    """Is there more to explain than names, and of the product?"""
    if this.files and all(map(is_aside, this.files)):
        return False
    lines = sum(length(facts, spot) for spot in (*this.types, *this.below))
    return this.steps >= STEPS_MIN or lines >= _scaled(facts, LINES_MIN)


def _scaled(facts: Facts, lines: int) -> float:
    """So many lines of a product of its size."""
    return lines * min(1.0, max(SMALL_SHARE, size_of_source(facts).lines / SMALL_LINES))

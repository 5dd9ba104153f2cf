"""What there is to explain: what the program offers, does and stores, the subjects of the project's
own documents and the types that do most, each with the sections, symbols, routes, jobs, tables and
settings that belong to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

import msgspec

from stationmaster.reading.code.model import FileFacts
from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.comments import symbol_of
from stationmaster.wiki.facts.code.flows import Flow, flow, flows, walk
from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.code.names import Spot, types as types_of
from stationmaster.wiki.facts.code.stations import weight
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of, vocabulary
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import central, subjects, topics
from stationmaster.wiki.facts.texts.about import Said, plain
from stationmaster.wiki.facts.texts.passages import Passage, opening
from stationmaster.wiki.facts.texts.references import resolved
from stationmaster.wiki.facts.texts.subjects import PASSAGES_MAX, Seed
from stationmaster.wiki.facts.texts.topics import Belongings
from stationmaster.wiki.text.inline import Place

FOLDER = "concepts"
CONCEPTS_MAX, TOPICS_MAX, LISTED_MAX = 28, 22, 14
FEWEST, FILES_PER_CONCEPT = 6, 4
"""A repository has one concept for so many source files, and a few more."""
TYPES_MAX, FUNCTIONS_MAX = 4, 6
TOLD_TYPES = 2
"""Types of a concept of whose methods it is said what they do."""
STARTS_MAX, SPOTS_MAX = 4, 24
"""Functions at which a concept's flows begin, and those they are chosen of."""
HITS_MIN, LOOKED_AT_MAX = 2, 100
FILES_MAX = 10
_SCORE_MIN = 1.2
"""Of the best symbol: less is a chance likeness of words."""
OFFERED_FEW = 3
"""So many routes, jobs, commands and tables that an earlier concept has, too, are a part of it."""
_SAME = 0.8
"""Of its symbols, and of its steps, what a concept may share with an earlier one."""
METHODS_MIN = 5
"""Of a type that tells enough of its own."""
TOLD_BY = 5
"""Symbols by which two concepts are the same."""
TYPES_LEAST, TYPES_ENOUGH = 4, 14
"""Pages of types beside other concepts, and concepts beside which there are no more."""
_BEGINS_WORTH, _USES_WORTH, _APART_WORTH, _LENGTH_WORTH = 2.0, 0.5, 0.3, 0.25
"""What it counts that a function answers a request or is run as a job, that it uses what others
build on, that a step has not the words of its concept, and that the methods of a type are long."""
OFFERED_MIN, KINDS_MIN = 2, 3
"""Routes, jobs, commands and tables, and types of its kind, by which a subject tells enough where
nothing says what it is."""
FIRST_WITHIN = 15
"""Lines within which the first section of a document begins."""
BEGINNING_WORDS = 6
"""Of a sentence of a section, among which are words of the subject that it says something of."""
STEPS_MIN, STEPS_MAX, STEPS_EACH = 2, 16, 6
"""Functions that a concept shows, and of them those behind one beginning."""
BELOW_MAX = 24
"""Types that are named as built on those which lead a subject."""
_POINTING = re.compile(
    r"(?i:this|these|that|those|it|they|here|see|note|todo|default|also|and|as|at|but|by|for|from|if|in|of|on"
    r"|or|then|to|when|where|while|with)\b|\W|[a-z]+[A-Z_]|.*(?:--|\|)"
)
"""How sentences begin that are understood only where they stand, and what is drawn."""
_NAMING = re.compile(r"^(?:Class|Interface|Trait) [\w\\]+(?:\.$| (?=[A-Z]))")
"""The beginning of a comment that repeats what it is the comment of."""


class Concept(msgspec.Struct, frozen=True):
    """`asked` is what the repository's settings say that the page is for, if they ask for it;
    symbols are the best first. `below` are types that build on them or implement them. `flows`
    begin at the most central of their functions, and of those that answer what belongs to it."""

    key: str
    title: str
    passages: tuple[Passage, ...]
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    flows: tuple[Flow, ...]
    files: tuple[str, ...]
    belongings: Belongings
    below: tuple[Spot, ...] = ()
    asked: str = ""


@query
def concept_titles(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Keys and titles of the concepts that have a page."""
    return tuple((item.key, item.title) for item in _concepts(facts).values())


@query
def concept(facts: Facts, key: str) -> Concept:
    return _concepts(facts)[key]


@query
def unanswered(facts: Facts) -> tuple[str, ...]:
    """Titles of pages that the settings ask for, and of which nothing is known."""
    titles = {title for _, title in concept_titles(facts)}
    return tuple(page.title for page in facts.steering.pages if page.title not in titles)


@query
def concepts_of(facts: Facts, path: str) -> tuple[str, ...]:
    """The keys of the concepts to which a file belongs."""
    return tuple(item.key for item in _concepts(facts).values() if path in item.files)


@query
def begun_at(facts: Facts, path: str, line: int) -> tuple[tuple[str, str], ...]:
    """The keys and names of the flows that have a page and begin with what is declared there."""
    ways = (flow(facts, key) for key in flows(facts))
    return tuple((way.key, way.name) for way in ways if (way.path, way.line) == (path, line))


@query
def says(facts: Facts, key: str) -> Said | None:
    """The sentence of a document, else of a comment, that says what a concept is."""
    return _said(facts, concept(facts, key))


def _said(facts: Facts, this: Concept) -> Said | None:
    for passage in this.passages:
        is_on_it = topics.is_named_so(subjects.without_own_name(facts, passage.title), this.title)
        sentence = opening(facts, passage) if is_on_it else ""
        begin = " ".join(sentence.split()[:BEGINNING_WORDS])
        is_first = not passage.chapter and passage.line <= FIRST_WITHIN
        is_about_it = is_first or {*stems_of(this.title)} & {*stems_of(begin)}
        if sentence and is_about_it and not _POINTING.match(sentence):
            return Said(sentence, Place(passage.path, passage.line, passage.end))
    is_word = this.title.capitalize() == this.title
    named = [spot for spot in this.types if spot.name == this.title
             or (is_word and topics.is_named_so(spot.name, this.title)
                 and not central.ERROR.search(spot.name))]  # fmt: skip
    for spot in sorted(named, key=lambda spot: len(stems_of(spot.name))):
        symbol = symbol_of(facts, spot.path, spot.name)
        words = plain(resolved(facts, spot.path, symbol.doc)) if symbol else ""
        words = _NAMING.sub("", words)
        if symbol is not None and words and not _POINTING.match(words):
            return Said(words, Place(spot.path, symbol.line))
    return None


@query
def _concepts(facts: Facts) -> Mapping[str, Concept]:
    words = vocabulary(facts)
    concepts: dict[str, Concept] = {}
    for seed in subjects.asked(facts):
        _add(facts, concepts, seed, words.find(seed.stems, seed.names))
    most = min(CONCEPTS_MAX, FEWEST + words.size // FILES_PER_CONCEPT)
    documented = list(subjects.documented(facts, words))
    of_topics = list(_of_topics(facts, documented, words))
    told = [pair for pair in of_topics if pair[0].bonus]
    _add_different(facts, concepts, _listed(facts, documented, words), most)
    _add_different(facts, concepts, told, min(TOPICS_MAX, most - len(concepts)))
    titles = [stems_of(item.title) for item in concepts.values()]
    others = (
        seed for seed in documented
        if not any({*stems} <= {*stems_of(seed.title)} for stems in titles)
        and (len(titles) < TYPES_ENOUGH or not seed.passages[0].chapter)
    )  # fmt: skip
    _add_different(facts, concepts, _scored(facts, others, words), most - len(concepts))
    _add_different(facts, concepts, of_topics, FEWEST - len(concepts))
    _add_types(facts, concepts, max(TYPES_LEAST, min(most, TYPES_ENOUGH) - len(concepts)))
    return concepts


def _listed(
    facts: Facts, documented: Sequence[Seed], words: Vocabulary
) -> list[tuple[Seed, Sequence[Hit]]]:
    """The parts that sections on how the product works are about, then the strongest subjects that
    the documentation's table of contents lists, each in its order."""
    parts = _scored(facts, subjects.explained(facts, documented, words), words)
    listed = (seed for seed in documented if seed.place is not None)
    both = [*parts, *_scored(facts, listed, words)[:LISTED_MAX]]
    return sorted(both, key=lambda pair: pair[0].place or 0)


def _of_topics(
    facts: Facts, documented: Sequence[Seed], words: Vocabulary
) -> Iterator[tuple[Seed, Sequence[Hit]]]:
    """What the program is about by what it does, with the symbols that have all its words, first
    those that do more than to hold values."""

    def weighed(hit: Hit) -> Hit:
        own = (symbol for _, symbol in methods_of(facts, hit.spot.path, hit.spot.name))
        length = math.log1p(sum(symbol.end - symbol.line for symbol in own))
        return hit._replace(score=round(hit.score * (1 + _LENGTH_WORTH * length), 6))

    for seed in subjects.of_topics(facts, documented, words):
        hits = central.having(words, seed.stems)[:LOOKED_AT_MAX]
        if len(hits) >= HITS_MIN:
            yield seed, central.near(facts, seed.title, map(weighed, hits))


def _add_different(
    facts: Facts, concepts: dict[str, Concept], scored: Iterable[tuple[Seed, Sequence[Hit]]],
    most: int,
) -> None:  # fmt: skip
    """Add so many subjects, none with the words or most of the symbols of an earlier one."""
    titles = {topics.subject_of(item.title) for item in concepts.values()}
    taken = [frozenset((*item.types, *item.functions)[:TOLD_BY]) for item in concepts.values()]
    room = len(concepts) + most
    for seed, hits in scored:
        spots = frozenset(hit.spot for hit in hits[:TOLD_BY])
        stems = topics.subject_of(seed.title)
        is_same = any(len(spots & other) > _SAME * len(spots) for other in taken)
        if len(concepts) < room and stems not in titles and not is_same:
            titles.add(stems)
            taken.append(spots)
            _add(facts, concepts, seed, hits)


def _add_types(facts: Facts, concepts: dict[str, Concept], room: int) -> None:
    """Add so many of the types that do most and that no page describes."""
    words = vocabulary(facts)
    titles = {topics.subject_of(item.title) for item in concepts.values()}
    for seed, spot in subjects.central(facts, words):
        stems = {*seed.stems}
        is_told = any(
            spot in item.types[:TOLD_TYPES] and stems & {*stems_of(item.title)}
            for item in concepts.values()
        )
        if room and not is_told and topics.subject_of(seed.title) not in titles:
            room -= 1
            titles.add(topics.subject_of(seed.title))
            own = [hit for hit in words.find(seed.stems, (seed.title,)) if hit.spot == spot]
            near = central.near(facts, seed.title, words.find(seed.stems, seed.names))
            others = (
                hit for hit in near if hit.spot != spot and central.uses(facts, spot, hit.spot)
            )
            _add(facts, concepts, seed, [*own, *others])


def _scored(
    facts: Facts, seeds: Iterable[Seed], words: Vocabulary
) -> list[tuple[Seed, Sequence[Hit]]]:
    """Subjects to which enough of the code belongs, the strongest first."""
    scored: list[tuple[float, str, Seed, Sequence[Hit]]] = []
    for seed in seeds:
        named = any(map(words.meant, seed.names))
        if not named and 2 * len(seed.stems) <= len(topics.telling(seed.title, ())):
            continue  # Most words of the heading are none of the code's.
        if not named and len(seed.stems) == 1 and not _is_name(words, seed.title):
            continue  # Code that shares a word alone may be about something else.
        hits = words.find(seed.stems, seed.names) if named else central.having(words, seed.stems)
        hits = central.near(facts, seed.title, hits)
        is_type = any(
            methods_of(facts, hit.spot.path, hit.spot.name)
            for hit in hits[:1] if topics.is_named_so(hit.spot.name, seed.title)
        )  # fmt: skip
        is_type |= seed.place is not None and any(kind_of(it.symbol) == "type" for it in hits[:1])
        is_enough = len(hits) >= HITS_MIN or is_type
        if is_enough and hits[0].score >= _SCORE_MIN:
            strength = sum(hit.score for hit in hits[:5])
            strength += min(seed.bonus, 20) + 2 * len(seed.passages)
            scored.append((-round(strength, 6), seed.title, seed, hits))
    scored.sort(key=lambda row: row[:2])
    return [(seed, hits) for _, _, seed, hits in scored]


def _is_name(words: Vocabulary, title: str) -> bool:
    """Is a type or a file called by a title of one word?"""
    return any(
        topics.is_named_so(name, title)
        for spot, symbol, _ in words.symbols if kind_of(symbol) == "type"
        for name in (symbol.name, spot.path.rpartition("/")[2].partition(".")[0])
    )  # fmt: skip


def _add(facts: Facts, concepts: dict[str, Concept], seed: Seed, hits: Sequence[Hit]) -> None:
    key = f"{FOLDER}/{slug(seed.title)}"
    if key in concepts or not (hits or seed.passages):
        return
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
    files = dict.fromkeys(spot.path for spot in (*types, *apart))
    # A heading may have words that no code has: what has the others may be about something else.
    own = topics.belongings(facts, topics.telling(seed.title, seed.stems))
    handlers = (
        handler(facts, it.handler_path, it.handler_line) for it in own.beginnings[:SPOTS_MAX]
    )
    begins = {spot for spot in handlers if spot}
    users = {*central.users_of(facts, [spot for spot in types if central.below(facts, spot)])}
    spots = dict.fromkeys((*_methods(facts, types), *apart[:SPOTS_MAX], *begins, *users))
    worths = dict.fromkeys(users - begins, _USES_WORTH) | dict.fromkeys(begins, _BEGINS_WORTH)
    this = Concept(
        key, seed.title, seed.passages[:PASSAGES_MAX], tuple(types), tuple(apart[:FUNCTIONS_MAX]),
        _walked(facts, spots, worths, {*seed.stems}), tuple(files)[:FILES_MAX], own,
        tuple(below)[:BELOW_MAX], seed.asked,
    )  # fmt: skip
    if _explains(facts, this, concepts.values()):
        concepts[key] = this


def _explains(facts: Facts, this: Concept, earlier: Iterable[Concept]) -> bool:
    """Is there more to tell than names, and something else than on the page of an earlier concept,
    such as a type with many methods? What is named after a word alone stands on the pages of
    routes, commands, tables and so on."""
    if not (this.asked or _is_told(facts, this)):
        return False
    if this.asked or this.passages or this.below:
        return True
    steps, own = _steps(this), _offered(this)
    if len(steps) < STEPS_MIN or (not own and topics.tells_nothing(this.title)):
        return False
    large = {it for it in this.types if len(methods_of(facts, it.path, it.name)) >= METHODS_MIN}
    return not any(
        (large <= {*other.types} and len(steps & _steps(other)) > _SAME * len(steps))
        or (0 < len(own) <= OFFERED_FEW and own <= _offered(other))
        for other in earlier
    )


def _is_told(facts: Facts, this: Concept) -> bool:
    """Does anything say what a subject is: a section, a folder or a type of its name, several types
    that are one of its kind, a sentence, or what is offered or stored?"""
    own, stems = this.belongings, stems_of(this.title)
    headings = (subjects.without_own_name(facts, subjects.titled(it.title)) for it in this.passages)
    folders = (folder_of(path).rpartition("/")[2] for path in this.files)
    public = [it.name for it in this.types if not it.name.startswith("_")]
    kinds = [name for name in public if stems_of(name)[-1:] == stems]
    return (
        len(own.beginnings) + len(own.tables) >= OFFERED_MIN
        or len(kinds) >= KINDS_MIN
        or this.title in public
        or stems in map(stems_of, folders)
        or any(topics.is_named_so(heading, this.title) for heading in headings)
        or _said(facts, this) is not None
    )


def _offered(this: Concept) -> Set[tuple[str, int]]:
    """Where the routes, jobs, commands and tables of a concept are declared."""
    own = this.belongings
    return {(item.path, item.line) for item in (*own.beginnings, *own.tables)}


def _steps(this: Concept) -> Set[Spot]:
    return {station.spot for way in this.flows for station in way.stations}


def _methods(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """Those of the first types of a concept."""
    for spot in types[:TOLD_TYPES]:
        for path, name in types_of(facts).methods((spot.path, spot.name))[:SPOTS_MAX]:
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
) -> tuple[Flow, ...]:
    """From the functions that lead to most of what is the concept's own, each function once."""

    def worth(way: Flow) -> float:
        own = (
            weight(facts, it.spot) * (1 if stems & central.words_of(it.spot) else _APART_WORTH)
            for it in way.stations
        )
        return sum(own) * worths.get(way.start, 1)

    walks = [walk(facts, spot.name, spot, 0) for spot in spots if weight(facts, spot)]
    ranked = sorted((-round(worth(way), 6), way.start.path, way.start.name) for way in walks)
    shown: dict[Spot, None] = {}
    chosen: list[Flow] = []
    for _, path, name in ranked:
        left, spot = min(STEPS_MAX - len(shown), STEPS_EACH), Spot(path, name)
        if spot not in shown and left > 0 and len(chosen) < STARTS_MAX:
            chosen.append(walk(facts, name, spot, 0, left, shown))
            shown.update(dict.fromkeys(station.spot for station in chosen[-1].stations))
    return tuple(chosen)

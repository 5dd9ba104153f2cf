"""What there is to explain: the subjects of the project's own documents and the types that do most,
each with the sections and symbols that belong to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from stationmaster.wiki.facts.code.flows import STATIONS_MAX, Flow, walk
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.modules import slug
from stationmaster.wiki.facts.code.names import Spot, types as types_of
from stationmaster.wiki.facts.code.stations import weight
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of, vocabulary
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.facts.texts import subjects
from stationmaster.wiki.facts.texts.passages import Passage
from stationmaster.wiki.facts.texts.subjects import PASSAGES_MAX, Seed

FOLDER = "concepts"
CONCEPTS_MAX = 24
FEWEST, FILES_PER_CONCEPT = 6, 4
"""A repository has one concept for so many source files, and a few more."""
TYPES_MAX, FUNCTIONS_MAX = 4, 6
TOLD_TYPES = 2
"""Types of a concept of whose methods it is said what they do."""
STARTS_MAX, SPOTS_MAX = 4, 24
"""Functions at which a concept's flows begin, and those they are chosen of."""
HITS_MIN = 2
FILES_MAX = 10
_SCORE_MIN = 1.2
"""Of the best symbol: less is a chance likeness of words."""
_NEAR = 0.4
"""Of the best score what another symbol must have."""
_SAME = 0.8
"""Of its symbols what a concept may share with an earlier one."""
TOLD_BY = 5
"""Symbols by which two concepts are the same."""
TYPES_LEAST, TYPES_ENOUGH = 6, 14
"""Pages of types beside documented concepts, and concepts beside which there are no more."""


class Concept(msgspec.Struct, frozen=True):
    """`asked` is what the repository's settings say that the page is for, if they ask for it;
    symbols are the best first. `flows` begin at the most central of their functions."""

    key: str
    title: str
    passages: tuple[Passage, ...]
    types: tuple[Spot, ...]
    functions: tuple[Spot, ...]
    flows: tuple[Flow, ...]
    files: tuple[str, ...]
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
def _concepts(facts: Facts) -> Mapping[str, Concept]:
    words = vocabulary(facts)
    concepts: dict[str, Concept] = {}
    for seed in subjects.asked(facts):
        _add(facts, concepts, seed, words.find(seed.stems, seed.names))
    most = min(CONCEPTS_MAX, FEWEST + words.size // FILES_PER_CONCEPT)
    _add_different(facts, concepts, _scored(facts, subjects.documented(facts, words), words), most)
    _add_types(facts, concepts, max(TYPES_LEAST, min(most, TYPES_ENOUGH) - len(concepts)))
    if len(concepts) < FEWEST:
        room = FEWEST - len(concepts)
        _add_different(facts, concepts, _scored(facts, subjects.shared(facts, words), words), room)
    return concepts


def _add_different(
    facts: Facts, concepts: dict[str, Concept], scored: Iterable[tuple[Seed, Sequence[Hit]]],
    most: int,
) -> None:  # fmt: skip
    """Add so many subjects, none with the words or most of the symbols of an earlier one."""
    titles = {tuple(sorted(stems_of(item.title))) for item in concepts.values()}
    taken: list[frozenset[Spot]] = []
    for seed, hits in scored:
        spots = frozenset(hit.spot for hit in hits[:TOLD_BY])
        stems = tuple(sorted(seed.stems))
        is_same = any(len(spots & other) > _SAME * len(spots) for other in taken)
        if len(taken) < most and stems not in titles and not is_same:
            titles.add(stems)
            taken.append(spots)
            _add(facts, concepts, seed, hits)


def _add_types(facts: Facts, concepts: dict[str, Concept], room: int) -> None:
    """Add so many of the types that do most and that no page describes."""
    words = vocabulary(facts)
    for seed, spot in subjects.central(facts, words):
        if not any(spot in item.types[:TOLD_TYPES] for item in concepts.values()) and room:
            room -= 1
            own = [hit for hit in words.find(seed.stems, (seed.title,)) if hit.spot == spot]
            near = _near(words.find(seed.stems, seed.names))
            _add(facts, concepts, seed, [*own, *(hit for hit in near if hit.spot != spot)])


def _scored(
    facts: Facts, seeds: Iterable[Seed], words: Vocabulary
) -> list[tuple[Seed, Sequence[Hit]]]:
    """Subjects to which enough of the code belongs, the strongest first."""
    scored: list[tuple[float, str, Seed, Sequence[Hit]]] = []
    for seed in seeds:
        hits = _near(words.find(seed.stems, seed.names))
        is_near = len(hits) >= HITS_MIN and hits[0].score >= _SCORE_MIN
        if is_near and subjects.is_about(facts, words, seed, hits[:TOLD_BY]):
            strength = sum(hit.score for hit in hits[:5])
            strength += min(seed.bonus, 20) + 2 * len(seed.passages)
            scored.append((-round(strength, 6), seed.title, seed, hits))
    scored.sort(key=lambda row: row[:2])
    return [(seed, hits) for _, _, seed, hits in scored]


def _add(facts: Facts, concepts: dict[str, Concept], seed: Seed, hits: Sequence[Hit]) -> None:
    key = f"{FOLDER}/{slug(seed.title)}"
    if key in concepts or not (hits or seed.passages):
        return
    held = {hit.spot for hit in hits[:1] if methods_of(facts, hit.spot.path, hit.spot.name)}
    types = [hit.spot for hit in hits if kind_of(hit.symbol) == "type" or hit.spot in held]
    types = types[:TYPES_MAX]
    others = [hit for hit in hits if kind_of(hit.symbol) != "type" and hit.spot not in held]
    inside = {f"{spot.path}:{spot.name}" for spot in types}
    apart = [
        other.spot for other in others
        if f"{other.spot.path}:{other.spot.name.rpartition('.')[0]}" not in inside
    ]  # fmt: skip
    files = dict.fromkeys(spot.path for spot in (*types, *apart))
    concepts[key] = Concept(
        key, seed.title, seed.passages[:PASSAGES_MAX], tuple(types), tuple(apart[:FUNCTIONS_MAX]),
        _walked(facts, [*_methods(facts, types), *(other.spot for other in others[:SPOTS_MAX])]),
        tuple(files)[:FILES_MAX], seed.asked,
    )  # fmt: skip


def _methods(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """Those of the first types of a concept."""
    for spot in types[:TOLD_TYPES]:
        for path, name in types_of(facts).methods((spot.path, spot.name))[:SPOTS_MAX]:
            yield Spot(path, name)


def _walked(facts: Facts, spots: Iterable[Spot]) -> tuple[Flow, ...]:
    """From the functions that lead to most, each function once, in the order of the source."""
    walks = {spot: walk(facts, spot.name, spot, 0) for spot in spots if weight(facts, spot)}
    worth = {
        spot: sum(weight(facts, station.spot) for station in flow.stations)
        for spot, flow in walks.items()
    }
    shown: dict[Spot, None] = {}
    chosen: list[Flow] = []
    for spot in sorted(walks, key=lambda start: (-worth[start], start.path, start.name)):
        left = STATIONS_MAX - len(shown)
        if spot not in shown and left and len(chosen) < STARTS_MAX:
            chosen.append(walk(facts, spot.name, spot, 0, left, shown))
            shown.update(dict.fromkeys(station.spot for station in chosen[-1].stations))
    return tuple(sorted(chosen, key=lambda flow: (flow.start.path, flow.start.name)))


def _near(hits: Sequence[Hit]) -> list[Hit]:
    """Those that come near the best."""
    return [hit for hit in hits if hit.score >= _NEAR * hits[0].score][:60]


def imports_among(facts: Facts, paths: Sequence[str]) -> list[tuple[str, str]]:
    """Which of some files import which others of them. For questions."""
    return [
        (link.start, link.end) for path in paths
        for link in all_links(facts).out.get(path, ()) if link.end in paths
    ]  # fmt: skip

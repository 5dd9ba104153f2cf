"""Which symbols a subject is about first: those that have its words, those that others build on,
and what stands near these."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import lru_cache

from stationmaster.reading.projects.paths import folder_of
from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.code.modules import FACES, module_of
from stationmaster.wiki.facts.code.names import types as types_of
from stationmaster.wiki.facts.code.stations import callers_of
from stationmaster.wiki.facts.code.symbols import methods_of
from stationmaster.wiki.facts.code.vocabulary import Hit, Vocabulary, kind_of, stems_of
from stationmaster.wiki.facts.model import Facts, Spot

CALLERS_MAX = 24
"""Of one method."""
BELOW_MIN = 2
"""Types that build on one which leads its subject."""
_NEAR = 0.4
"""Of the best score what another symbol must have."""
_WHOLE_WORTH, _ERROR_WORTH, _BEGINNING_MIN = 2.0, 0.5, 4
"""What it counts that a name has all words of a title, or is an error's; letters of a beginning."""
ERROR = re.compile(r"(?:Error|Exception)s?$")


def having(words: Vocabulary, stems: Collection[str], mentioned: Iterable[str] = ()) -> list[Hit]:
    """The symbols whose names, with those of their files, have a word, or two of several: one alone
    is a chance likeness, as that of a class of tags with `Docker tags`."""
    wanted = {*map(words.known, stems)}
    return [
        hit
        for hit in words.find(stems, mentioned)
        if len(wanted.intersection(map(words.known, words_of(hit.spot)))) >= min(2, len(wanted))
    ]


def below(facts: Facts, spot: Spot) -> tuple[Spot, ...]:
    """The types that build on one which several do."""
    found = types_of(facts).below(spot)
    is_leading = len(found) >= BELOW_MIN and not ERROR.search(spot.name)
    return tuple(Spot(*it) for it in found) if is_leading else ()


def leading(facts: Facts, title: str, hits: Sequence[Hit]) -> list[Hit]:
    """First what has all words of a title of several; of types first those that others build on,
    and of these none, which are told together."""
    within = {it for hit in hits for it in below(facts, hit.spot) if hit.spot != it}
    whole = _whole(hits, title)
    first = [hit for hit in hits if hit.spot in whole]
    aside = {*whole, *within}
    return [*first, *(hit for hit in hits if hit.spot not in aside)]


def _whole(hits: Sequence[Hit], title: str) -> Set[Spot]:
    """What has all words of a title in its name, or their beginnings, as `BasicAuth` those of
    `Basic authentication`; for a title of one word the one type that has no other."""
    wanted = stems_of(title)

    def is_whole(hit: Hit) -> bool:
        own = stems_of(hit.spot.name)
        long = tuple(stem for stem in own if len(stem) >= _BEGINNING_MIN)
        is_type = hit.symbol.is_public and kind_of(hit.symbol) == "type"
        is_near = len(wanted) > 1 or (len(own) == 1 and is_type)
        return is_near and all(it in own or it.startswith(long) for it in wanted)

    whole = {hit.spot for hit in hits if is_whole(hit)}
    return whole if len(wanted) > 1 or len(whole) == 1 else set()


def uses(facts: Facts, one: str, other: str) -> bool:
    """Does one of two files belong to the module of the other, or import it?"""
    return module_of(facts, one) == module_of(facts, other) or other in _linked(facts, one)


def chooses(facts: Facts, one: Spot, other: Spot) -> bool:
    """Does the file of one of two functions of the same name import that of the other?"""
    if one.name != other.name:
        return False
    return any(link.end == other.path for link in all_links(facts).out.get(one.path, ()))


def _linked(facts: Facts, path: str) -> Set[str]:
    links = all_links(facts)
    ends = {link.end for link in links.out.get(path, ())}
    return ends | {link.start for link in links.into.get(path, ())}


def linked(facts: Facts, paths: Collection[str]) -> Set[str]:
    """The files that some import or are imported by, also in Go those of their folders: not those
    of a whole namespace of which nothing tells which are meant."""
    links = all_links(facts)
    found = {
        end
        for path in paths
        for link in (*links.out.get(path, ()), *links.into.get(path, ()))
        for end in (link.start, link.end)
        if not link.is_whole
    }
    folders = {folder_of(path) for path in paths if path.endswith(".go")}
    return found | {it for it in facts.code if it.endswith(".go") and folder_of(it) in folders}


def touching(facts: Facts, hits: Sequence[Hit], names: Collection[str] = ()) -> list[Hit]:
    """The symbols of the strongest group whose files use each other, as a word may mean several
    things; besides those that documents name, and those of files whose imports are not known."""
    worth: dict[str, float] = defaultdict(float)
    for hit in hits:
        worth[hit.spot.path] += hit.score
    left = {path for path in worth if _linked(facts, path)}
    apart = {*worth} - left
    groups: list[set[str]] = []
    while left:
        group, waiting = set[str](), [min(left)]
        while waiting:
            path = waiting.pop()
            group.add(path)
            near = {other for other in left - group if uses(facts, path, other)}
            left -= {path, *near}
            waiting += sorted(near)
        groups.append(group)
    groups.sort(key=lambda group: (-round(sum(map(worth.__getitem__, group)), 6), min(group)))
    kept = {*apart, *(groups[0] if groups else ())}
    named = {*names}
    return [
        hit for hit in hits if hit.spot.path in kept or named & {hit.symbol.name, hit.spot.name}
    ]


def users_of(facts: Facts, types: Sequence[Spot]) -> Iterator[Spot]:
    """The functions that call methods of types, whichever type below stands for them."""
    for spot in types:
        for path, method in methods_of(facts, spot.path, spot.name):
            for caller, _ in callers_of(facts, path, method.qualified)[:CALLERS_MAX]:
                yield caller


@lru_cache(20_000)
def words_of(spot: Spot) -> Set[str]:
    """Of a symbol and the name of its file, or of the folder that the file speaks for."""
    folder, _, file = spot.path.rpartition("/")
    name = file.partition(".")[0]
    return {*stems_of(folder.rpartition("/")[2] if name in FACES else name), *stems_of(spot.name)}


def near(facts: Facts, title: str, hits: Iterable[Hit]) -> list[Hit]:
    """Those that come near the best, first what has all words of a title or others build on."""
    hits = list(hits)
    whole = _whole(hits, title)

    def weighed(hit: Hit) -> Hit:
        worth = 1 + math.log1p(len(below(facts, hit.spot)))
        worth *= _WHOLE_WORTH if hit.spot in whole else 1
        worth *= _ERROR_WORTH if ERROR.search(hit.spot.name) else 1
        return hit._replace(score=round(hit.score * worth, 6))

    least = _NEAR * max((hit.score for hit in hits), default=0)
    ranked = sorted(map(weighed, hits), key=lambda hit: -hit.score)
    return [hit for hit in ranked if hit.score >= least][:60]

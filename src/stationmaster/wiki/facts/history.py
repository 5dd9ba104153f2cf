"""What the log of two years proves: how often modules change, and which files change together.

Programs that commit by themselves do not count. Nothing here tells who somebody is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from stationmaster.wiki.facts.code.modules import module_of
from stationmaster.wiki.facts.model import Facts, query
from stationmaster.wiki.making.log import Change

TOGETHER_FILES_MAX = 30
"""Files of a commit that says something of each pair: more are a sweep through everything."""
TOGETHER_MIN = 4
TOGETHER_SHARE_MIN = 0.4
FOUND_MAX = 200


class Together(NamedTuple):
    """Two files of different modules that change together: in how many commits, and in what part
    of those of the one that changes less."""

    one: str
    other: str
    commits: int
    share: float


@query
def together(facts: Facts) -> tuple[Together, ...]:
    """Pairs across modules, the most frequent first: a hint, never a dependency."""
    counts: Counter[tuple[str, str]] = Counter()
    single: Counter[str] = Counter()
    for each in _by_people(facts):
        owners = {file.path: key for file in each.files if (key := module_of(facts, file.path))}
        single.update(owners.keys())
        if len(owners) <= TOGETHER_FILES_MAX:
            pairs = combinations(sorted(owners), 2)
            counts.update((one, other) for one, other in pairs if owners[one] != owners[other])
    found = []
    for (one, other), commits in counts.items():
        share = round(commits / min(single[one], single[other]), 2)
        if commits >= TOGETHER_MIN and share >= TOGETHER_SHARE_MIN:
            found.append(Together(one, other, commits, share))
    found.sort(key=lambda each: (-each.commits, -each.share, each.one, each.other))
    return tuple(found[:FOUND_MAX])


@query
def partners(facts: Facts, key: str) -> tuple[tuple[str, str, str, int], ...]:
    """Files of other modules that change with files of this one: the other module's key, the file
    here, the one there, and in how many commits."""
    found = []
    for each in together(facts):
        for one, other in ((each.one, each.other), (each.other, each.one)):
            if module_of(facts, one) == key:
                found.append((module_of(facts, other), one, other, each.commits))
    return tuple(found)


def _by_people(facts: Facts) -> Iterator[Change]:
    return (change for change in facts.log.changes if not change.is_by_bot)

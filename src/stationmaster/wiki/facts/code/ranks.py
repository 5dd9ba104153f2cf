"""Which files matter most: who is imported by those that matter."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence

from stationmaster.wiki.facts.code.links import all_links
from stationmaster.wiki.facts.model import Facts, query

DAMPING = 0.85
TOLERANCE = 1e-10
ROUNDS_MAX = 100
BUCKETS = 10
_SHARES = (0.6, 0.25, 0.15)
"""Of rank, closeness to an entry point, and size in a file's importance."""


@query
def importance(facts: Facts, path: str) -> int:
    """The importance of a file, from 1 to 10 for the top tenth of source files; 0 for other files.

    Only the order counts: small shifts of a rank change no page.
    """
    return _buckets(facts).get(path, 0)


def by_importance(facts: Facts, paths: Sequence[str]) -> list[str]:
    """Paths by importance, the most important first. Used by other queries only."""
    scores = _scores(facts)
    return sorted(paths, key=lambda path: (-scores.get(path, 0.0), path))


@query
def ranks(facts: Facts) -> Mapping[str, float]:
    """The ranks of source files; their sum is 1. Used by other queries only: they change with every
    commit."""
    paths = [path for path, record in facts.records.items() if record.file_class == "source"]
    numbers = {path: number for number, path in enumerate(paths)}
    edges = [
        [(numbers[link.end], link.weight) for link in links if link.end in numbers]
        for links in (all_links(facts).out.get(path, ()) for path in paths)
    ]
    return dict(zip(paths, page_rank(edges), strict=True))


def page_rank(edges: Sequence[Sequence[tuple[int, float]]]) -> list[float]:
    """The ranks of nodes by number, from their outgoing weighted edges; rounded to 8 digits."""
    count = len(edges)
    if not count:
        return []
    rank = [1 / count] * count
    into: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for start, out in enumerate(edges):
        total = sum(weight for _, weight in out)
        for end, weight in out:
            into[end].append((start, weight / total))
    ends = [number for number, out in enumerate(edges) if not out]
    for _ in range(ROUNDS_MAX):
        lost = math.fsum(rank[number] for number in ends)
        base = (1 - DAMPING + DAMPING * lost) / count
        new = [
            base + DAMPING * sum([rank[start] * share for start, share in incoming])
            for incoming in into
        ]
        change = sum(abs(a - b) for a, b in zip(new, rank, strict=True))
        rank = new
        if change < TOLERANCE:
            break
    return [round(value, 8) for value in rank]


@query
def _scores(facts: Facts) -> Mapping[str, float]:
    ranked = ranks(facts)
    steps = _from_entries(facts)
    sizes = {path: math.log1p(facts.records[path].size) for path in ranked}
    best, largest = max(ranked.values(), default=1.0) or 1.0, max(sizes.values(), default=1.0) or 1
    by_rank, near, by_size = _SHARES
    return {
        path: round(
            by_rank * math.sqrt(rank / best)
            + (near / (1 + steps[path]) if path in steps else 0)
            + by_size * sizes[path] / largest,
            8,
        )
        for path, rank in ranked.items()
    }


def _from_entries(facts: Facts) -> Mapping[str, int]:
    """The number of imports between an entry point and a file."""
    out = all_links(facts).out
    steps = {
        path: 0
        for path, code in facts.code.items()
        if code.entries and facts.records[path].file_class == "source"
    }
    waiting = deque(steps)
    while waiting:
        path = waiting.popleft()
        for link in out.get(path, ()):
            if link.end not in steps:
                steps[link.end] = steps[path] + 1
                waiting.append(link.end)
    return steps


@query
def _buckets(facts: Facts) -> Mapping[str, int]:
    scores = _scores(facts)
    order = sorted(scores.values())
    return {
        path: 1 + BUCKETS * bisect_left(order, score) // len(order)
        for path, score in scores.items()
    }

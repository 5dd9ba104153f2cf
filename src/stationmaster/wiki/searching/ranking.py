"""The order of sections that hold words of a question.

A word that few sections hold says more than one that many hold; a section that holds most words of
the question comes before one that holds a single word often. Scores of the index are comparable
within one word alone, so each is taken as a share of that word's best.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from stationmaster.wiki.searching.search import Found


class Ranked(NamedTuple):
    """The best section of a page. `match_count` sections of the page hold any of the words."""

    page_id: str
    start: int
    size: int
    score: float
    match_count: int


def pages(rows: Iterable[Found]) -> list[Ranked]:
    """The pages that hold any of the terms, best first, with their best section.

    Words that stand in other sections of a page count for it, too, at half.
    """
    weights, sections = _weighed(rows)
    by_page: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for key in sections:
        by_page[key[0]].append(key)
    ranked = [_page(page_id, keys, sections, weights) for page_id, keys in by_page.items()]
    return sorted(ranked, key=lambda page: (-page.score, page.page_id))


class _Section(NamedTuple):
    size: int
    shares: dict[int, float]
    """Of each term in it, its score as a share of the term's best."""


def _weighed(
    rows: Iterable[Found],
) -> tuple[dict[int, float], dict[tuple[str, int], _Section]]:
    """The weight of each term, and the sections by page and start."""
    by_term: dict[int, list[Found]] = defaultdict(list)
    for row in rows:
        by_term[row.term].append(row)
    most = max((len(held) for held in by_term.values()), default=0)
    weights = {
        term: math.log(1 + 2 * most / len({row[1:3] for row in held}))
        for term, held in by_term.items()
    }
    sections: dict[tuple[str, int], _Section] = {}
    for term, held in by_term.items():
        best = max(row.score for row in held) or 1.0
        for row in held:
            section = sections.setdefault((row.page_id, row.start), _Section(row.size, {}))
            section.shares[term] = max(section.shares.get(term, 0.0), 0.5 + 0.5 * row.score / best)
    return weights, sections


def _page(
    page_id: str,
    keys: list[tuple[str, int]],
    sections: dict[tuple[str, int], _Section],
    weights: dict[int, float],
) -> Ranked:
    first = min(keys)

    def score(key: tuple[str, int]) -> float:
        shares = sections[key].shares
        # The first section has the words of the title, which every section stands under.
        above = sections[first].shares.keys() - shares.keys()
        return sum(weights[term] * share for term, share in shares.items()) + sum(
            weights[term] / 2 for term in above
        )

    best = max(sorted(keys), key=score)
    section = sections[best]
    here = section.shares.keys() | sections[first].shares.keys()
    elsewhere = {term for key in keys for term in sections[key].shares} - here
    total = score(best) + sum(weights[term] for term in elsewhere) / 2
    return Ranked(page_id, best[1], section.size, total, len(keys))

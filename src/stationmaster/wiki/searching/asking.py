"""Answers to a question from a run: its pages, and the passages that answer it.

All verbs raise NotFound for a run that their caller does not see.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.wiki import citations, markdown, reads
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.model import PASSAGES_MAX, Hit, Passage
from stationmaster.wiki.searching import search, words
from stationmaster.wiki.searching.search import Found
from stationmaster.wiki.searching.words import Term

_BEFORE, _LENGTH = 60, 200
"""Characters ahead of the find, and in all."""
_MORE = "…"

PASSAGE_CHARS_MAX = 3_000
"""Longer sections are cut after a whole paragraph."""
NAMED_MAX = 30
"""Up to so many pages are searched for one whose title equals the question."""
OTHER_SHARE = 0.5
"""What a synonym of a word in the question counts."""
ASKED_MAX = 30
"""Words of a question and others for them."""


def find(db: Database, caller: Caller, run_id: str, question: str, limit: int) -> list[Hit]:
    """The pages that have words of a question, best first: forms of a word, beginnings of longer
    ones and parts of identifiers count, too; a page that has more of the words comes first.
    """
    return answer(db, caller, run_id, question, limit, 0)[0]


def passages(
    db: Database,
    caller: Caller,
    run_id: str,
    question: str,
    limit: int,
    files: FilePages | None = None,
) -> list[Passage]:
    """The sections that answer a question, best first, at most one a page.

    Citations are addresses of `files`, else of the repository's host.
    """
    return answer(db, caller, run_id, question, 0, limit, files)[1]


def answer(
    db: Database,
    caller: Caller,
    run_id: str,
    question: str,
    hits: int,
    passages: int,
    files: FilePages | None = None,
) -> tuple[list[Hit], list[Passage]]:
    """At most so many hits, as `find` has them, and passages, from one ranking."""
    passages = min(passages, PASSAGES_MAX)
    ranked, terms = _ranked(db, caller, run_id, question, max(hits, passages, NAMED_MAX))
    if not ranked:
        return [], []
    parts = _sections(db, caller, run_id, ranked)
    # A run that is deleted between the statements has no sections any more.
    sections = [
        (page, section) for page in ranked if (section := parts.get(page.page_id)) is not None
    ]
    # A page whose title is what was asked for comes first.
    sections.sort(key=lambda item: not _is_named(item[1], question))
    return (
        [_hit(page, section, terms) for page, section in sections[:hits]],
        _passages(db, caller, run_id, [section for _, section in sections[:passages]], files),
    )


def _is_named(section: reads.Section, question: str) -> bool:
    """Is the question the title of the page, or the heading of the section?"""
    first = next(markdown.sections(section.text), None)
    names = [section.title, *(first.headings[-1:] if first is not None else ())]
    asked = list(words.of_text(question))
    return any(list(words.of_text(name)) == asked for name in names)


def _passages(
    db: Database,
    caller: Caller,
    run_id: str,
    sections: list[reads.Section],
    files: FilePages | None,
) -> list[Passage]:
    if not sections:
        return []
    run, _ = reads.run(db, caller, run_id) or (None, None)
    if run is None:
        raise reads.unknown()
    at = files or citations.host(run.origin.repo_url, run.origin.commit_hash or "")
    return [_passage(section, at) for section in sections]


def _hit(page: Ranked, section: reads.Section, terms: list[Term]) -> Hit:
    part = snippet(section.text, terms)
    return Hit(section.page_id, section.title, section.path, part, page.match_count)


def _ranked(
    db: Database, caller: Caller, run_id: str, question: str, limit: int
) -> tuple[list[Ranked], list[Term]]:
    if not reads.is_seen(db, caller, run_id):
        raise reads.unknown()
    terms = words.of_question(question)
    if not terms:
        return [], []
    asked = [(place, term, 1.0) for place, term in enumerate(terms)]
    for place, term in enumerate(terms):
        asked += [(place, Term(other, ()), OTHER_SHARE) for other in term.others]
    asked = asked[:ASKED_MAX]
    with db.reading() as connection:
        rows = search.index_of(connection).find(
            connection, caller.org_id, run_id, *(term for _, term, _ in asked)
        )
    # A result by another word counts for the word of the question, and less.
    weighted = [
        row._replace(term=asked[row.term][0], score=row.score * asked[row.term][2]) for row in rows
    ]
    return ranked_pages(weighted)[:limit], terms


def _sections(
    db: Database, caller: Caller, run_id: str, ranked: list[Ranked]
) -> dict[str, reads.Section]:
    places = [(page.page_id, page.start, page.size) for page in ranked]
    return reads.sections(db, caller.org_id, run_id, places)


def _passage(section: reads.Section, at: citations.Host | FilePages | None) -> Passage:
    first = next(markdown.sections(section.text), None)
    text, is_cut = _cut(section.text.strip())
    return Passage(
        section.page_id,
        section.path,
        section.title,
        () if first is None else first.headings,
        citations.expand(text, at),
        is_cut,
    )


def _cut(text: str) -> tuple[str, bool]:
    """At most PASSAGE_CHARS_MAX, up to the end of a paragraph or, in a long one, of a line."""
    if len(text) <= PASSAGE_CHARS_MAX:
        return text, False
    start = text[:PASSAGE_CHARS_MAX]
    end = start.rfind("\n\n")
    if end < PASSAGE_CHARS_MAX // 2:
        end = start.rfind("\n")
    lines = (start[:end] if end > 0 else start).rstrip().split("\n")
    fence = markdown.open_fence(lines)
    return "\n".join([*lines, fence] if fence else lines), True


def snippet(section: str, terms: Sequence[Term]) -> str:
    """A part around the first word that a term matches; the beginning where there is none."""
    text = markdown.plain(section)
    begin = next(
        (
            run.start()
            for run in words.runs(text)
            if any(term.matches(words.of_run(run[0])) for term in terms)
        ),
        0,
    )
    start = max(0, begin - _BEFORE)
    if start:
        start = text.find(" ", start, begin) + 1 or begin
    end = start + _LENGTH
    if end < len(text):
        end = max(text.rfind(" ", start, end), begin + 1)
    return _MORE * (start > 0) + text[start:end] + _MORE * (end < len(text))


class Ranked(NamedTuple):
    """The best section of a page. `match_count` sections of the page have any of the words."""

    page_id: str
    start: int
    size: int
    score: float
    match_count: int


def ranked_pages(rows: Iterable[Found]) -> list[Ranked]:
    """The pages that have any of the terms, best first, with their best section.

    A word that few sections have weighs more than one that many have; a section that has most words
    of the question comes before one that has a single word often. Scores of the index are
    comparable only within one word, so they are taken as shares of that word's best. Words in other
    sections of a page count for it, too, at half.
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
    """For each term in it, its score as a share of the term's best."""


def _weighed(
    rows: Iterable[Found],
) -> tuple[dict[int, float], dict[tuple[str, int], _Section]]:
    """The weight of each term, and the sections by page and start."""
    by_term: dict[int, list[Found]] = defaultdict(list)
    for row in rows:
        by_term[row.term].append(row)
    most = max((len(rows_of_term) for rows_of_term in by_term.values()), default=0)
    weights = {
        term: math.log(1 + 2 * most / len({row[1:3] for row in rows_of_term}))
        for term, rows_of_term in by_term.items()
    }
    sections: dict[tuple[str, int], _Section] = {}
    for term, rows_of_term in by_term.items():
        best = max(row.score for row in rows_of_term) or 1.0
        for row in rows_of_term:
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
        # The first section has the words of the title, which are above all sections.
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

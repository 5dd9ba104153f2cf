"""What a run says to a question: its pages, and the passages that answer it.

All verbs raise NotFound for a run that their caller does not see.
"""

from __future__ import annotations

from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.wiki import citations, markdown, reads
from stationmaster.wiki.citations import FilePages
from stationmaster.wiki.model import PASSAGES_MAX, Hit, Passage
from stationmaster.wiki.searching import ranking, search, snippets, words
from stationmaster.wiki.searching.ranking import Ranked
from stationmaster.wiki.searching.words import Term

PASSAGE_CHARS_MAX = 3_000
"""Longer sections are cut after a whole paragraph."""
NAMED_MAX = 30
"""So many pages are looked at for one that is called what was asked for."""
OTHER_SHARE = 0.5
"""What a word counts that only asks for the same as the one in the question."""
ASKED_MAX = 30
"""Words of a question and others for them."""


def find(db: Database, caller: Caller, run_id: str, question: str, limit: int) -> list[Hit]:
    """The pages that hold words of a question, best first: forms of a word, beginnings of longer
    ones and parts of identifiers count, too; a page that holds more of the words comes first.
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
    # A page that is called what was asked for comes first.
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
    snippet = snippets.snippet(section.text, terms)
    return Hit(section.page_id, section.title, section.path, snippet, page.match_count)


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
    # What is found by another word counts for the one that was asked, and less.
    meant = [
        row._replace(term=asked[row.term][0], score=row.score * asked[row.term][2]) for row in rows
    ]
    return ranking.pages(meant)[:limit], terms


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

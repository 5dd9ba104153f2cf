"""Full-text search in one run: SQLite's FTS5 and PostgreSQL's text search behind one face.

Both index the words of `words`, one row per section of a page. Every word is stored with the mark
of its run in front, so that the index itself leads to the run: a question costs what it finds,
however many other runs and organizations there are. The tables of both stand in migration 0009.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol

from sqlalchemy import Connection, text

from stationmaster.db.readers import percent_style
from stationmaster.ids import OrgId
from stationmaster.wiki.search_rows import Row
from stationmaster.wiki.searching import words
from stationmaster.wiki.searching.words import Term

_MARK_LENGTH = 8
_POSITION_MAX = 16_383
"""The last place of a word that PostgreSQL tells from others."""
_BATCH = 500


class Found(NamedTuple):
    """A section that holds a term, by its place in the question; a higher `score` fits better."""

    term: int
    page_id: str
    start: int
    size: int
    score: float


class Index(Protocol):
    def add(self, connection: Connection, org: OrgId, run_id: str, rows: Iterable[Row]) -> None: ...
    def remove(self, connection: Connection, org: OrgId, run_id: str) -> None: ...
    def find(
        self, connection: Connection, org: OrgId, run_id: str, *terms: Term
    ) -> list[Found]: ...


def index_of(connection: Connection) -> Index:
    """The search of the database that a connection leads to."""
    return _Sqlite() if connection.dialect.name == "sqlite" else _Postgresql()


class _Sqlite:
    """An FTS5 table. Its tokenizer sees words of letters and digits alone, so changes none."""

    _FIND = (
        "SELECT {n}, page_id, start, size, -bm25(wiki_search, 0, 0, 0, 0, 0, 0, 10, 5, 1) "
        "FROM wiki_search WHERE wiki_search MATCH ? AND org_id = ? AND run_id = ?"
    )

    def add(self, connection: Connection, org: OrgId, run_id: str, rows: Iterable[Row]) -> None:
        mark = _mark(run_id)
        statement = text(
            "INSERT INTO wiki_search "
            "(org_id, run_id, page_id, start, size, mark, title, headings, body) "
            "VALUES (:org, :run, :page, :start, :size, :mark, :title, :headings, :body)"
        )
        for batch in _batches(rows):
            connection.execute(
                statement,
                [
                    {
                        "org": org,
                        "run": run_id,
                        "page": row.page_id,
                        "start": row.start,
                        "size": row.size,
                        "mark": mark,
                        "title": _marked(mark, row.title),
                        "headings": _marked(mark, row.headings),
                        "body": _marked(mark, row.body),
                    }
                    for row in batch
                ],
            )

    def remove(self, connection: Connection, org: OrgId, run_id: str) -> None:
        connection.execute(
            text(
                "DELETE FROM wiki_search WHERE rowid IN (SELECT rowid FROM wiki_search "
                "WHERE wiki_search MATCH :question AND org_id = :org AND run_id = :run)"
            ),
            {"question": f'mark : "{_mark(run_id)}"', "org": org, "run": run_id},
        )

    def find(self, connection: Connection, org: OrgId, run_id: str, *terms: Term) -> list[Found]:
        mark = _mark(run_id)
        given = [
            (f"{{title headings body}} : ({self._question(mark, term)})", org, run_id)
            for term in terms
        ]
        return _found(connection, _each(self._FIND, len(given)), given)

    def _question(self, mark: str, term: Term) -> str:
        wanted = [_sqlite_word(mark, term.whole)]
        if term.parts:
            parts = " AND ".join(_sqlite_word(mark, part) for part in term.parts)
            wanted.append(f"({parts})")
        if term.stem:
            wanted.append(_sqlite_word(mark, term.stem))
        return " OR ".join(wanted)


class _Postgresql:
    """A tsvector under a GIN index. Title, headings and body have the weights A, B and D."""

    _FIND = (
        "SELECT {n}, page_id, start, size, "
        "ts_rank(CAST(ARRAY[0.1, 0.1, 0.5, 1.0] AS real[]), words, CAST(? AS tsquery), 1) "
        "FROM wiki_search "
        "WHERE words @@ CAST(? AS tsquery) AND org_id = ? AND run_id = ?"
    )

    def add(self, connection: Connection, org: OrgId, run_id: str, rows: Iterable[Row]) -> None:
        mark = _mark(run_id)
        statement = text(
            "INSERT INTO wiki_search (org_id, run_id, page_id, start, size, words) "
            "VALUES (:org, :run, :page, :start, :size, CAST(:words AS tsvector))"
        )
        for batch in _batches(rows):
            connection.execute(
                statement,
                [
                    {
                        "org": org,
                        "run": run_id,
                        "page": row.page_id,
                        "start": row.start,
                        "size": row.size,
                        "words": _vector(mark, row),
                    }
                    for row in batch
                ],
            )

    def remove(self, connection: Connection, org: OrgId, run_id: str) -> None:
        connection.execute(
            text("DELETE FROM wiki_search WHERE org_id = :org AND run_id = :run"),
            {"org": org, "run": run_id},
        )

    def find(self, connection: Connection, org: OrgId, run_id: str, *terms: Term) -> list[Found]:
        mark = _mark(run_id)
        asked = [self._question(mark, term) for term in terms]
        given = [(question, question, org, run_id) for question in asked]
        return _found(connection, percent_style(_each(self._FIND, len(given))), given)

    def _question(self, mark: str, term: Term) -> str:
        wanted = [_postgresql_word(mark, term.whole)]
        if term.parts:
            parts = " & ".join(_postgresql_word(mark, part) for part in term.parts)
            wanted.append(f"({parts})")
        if term.stem:
            wanted.append(_postgresql_word(mark, term.stem))
        return " | ".join(wanted)


def _each(find: str, questions: int) -> str:
    """One statement that looks each of several questions up."""
    return " UNION ALL ".join(find.format(n=n) for n in range(questions))


def _found(connection: Connection, sql: str, given: Iterable[tuple[str, ...]]) -> list[Found]:
    rows = connection.exec_driver_sql(sql, tuple(chain.from_iterable(given)))
    return [Found(*row) for row in rows]


def _mark(run_id: str) -> str:
    """Letters that hardly any other run has; where one does, the statement tells them apart."""
    return run_id[-_MARK_LENGTH:]


def _marked(mark: str, found: str) -> str:
    return mark + found.replace(" ", f" {mark}") if found else ""


def _sqlite_word(mark: str, word: str) -> str:
    return f'"{mark}{word}"' + (" *" if words.is_prefix(word) else "")


def _postgresql_word(mark: str, word: str) -> str:
    return f"'{mark}{word}'" + (":*" if words.is_prefix(word) else "")


def _vector(mark: str, row: Row) -> str:
    """The words of a row as PostgreSQL writes them: 'word':place and weight, …"""
    weighed = ((row.title, "A"), (row.headings, "B"), (row.body, "D"))
    places = enumerate(
        ((word, weight) for found, weight in weighed for word in found.split()), start=1
    )
    return " ".join(
        f"'{mark}{word}':{min(place, _POSITION_MAX)}{weight}" for place, (word, weight) in places
    )


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch

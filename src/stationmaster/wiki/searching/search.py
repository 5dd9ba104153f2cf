"""Full-text search in one run: SQLite's FTS5 and PostgreSQL's text search behind one interface.

Both index the words of `words`, one row per section of a page. Every word is stored with the mark
of its run in front, so that the index itself leads to the run: a question costs as much as it
finds, however many other runs and organizations there are. Migration 0009 makes the tables of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from typing import NamedTuple

from sqlalchemy import Connection, text

from stationmaster.db.readers import percent_style
from stationmaster.ids import OrgId
from stationmaster.wiki.search_rows import Row
from stationmaster.wiki.searching import words
from stationmaster.wiki.searching.words import Term

_MARK_LENGTH = 8
_POSITION_MAX = 16_383
"""The last position of a word that PostgreSQL stores exactly."""
_BATCH = 500


class Found(NamedTuple):
    """A section that has a term, by its place in the question; a higher `score` fits better."""

    term: int
    page_id: str
    start: int
    size: int
    score: float


class Index:
    """The search of one database: its statements, and how it writes words. A word that is a
    beginning has `begins` behind it, and `quote` around it in a question."""

    insert = remove_run = look_up = ""
    quote = begins = both = either = ""

    def add(self, connection: Connection, org: OrgId, run_id: str, rows: Iterable[Row]) -> None:
        """Store the rows of a run."""
        mark, iterator = _mark(run_id), iter(rows)

        def values(row: Row) -> dict[str, object]:
            place = {"page": row.page_id, "start": row.start, "size": row.size}
            return {"org": org, "run": run_id, **place, **self._words(mark, row)}

        while batch := [values(row) for row in islice(iterator, _BATCH)]:
            connection.execute(text(self.insert), batch)

    def remove(self, connection: Connection, org: OrgId, run_id: str) -> None:
        """Delete the rows of a run."""
        parameters = {"question": f'mark : "{_mark(run_id)}"', "org": org, "run": run_id}
        connection.execute(text(self.remove_run), parameters)

    def find(self, connection: Connection, org: OrgId, run_id: str, *terms: Term) -> list[Found]:
        """The rows of a run that have any of some terms."""
        mark = _mark(run_id)
        parameters = [(*self._asked(self._question(mark, term)), org, run_id) for term in terms]
        sql = " UNION ALL ".join(self.look_up.format(n=n) for n in range(len(parameters)))
        rows = connection.exec_driver_sql(sql, tuple(chain.from_iterable(parameters)))
        return [Found(*row) for row in rows]

    def _question(self, mark: str, term: Term) -> str:
        def word(bare: str) -> str:
            begins = self.begins if words.is_prefix(bare) else ""
            return f"{self.quote}{mark}{bare}{self.quote}{begins}"

        wanted = [word(term.whole)]
        if term.parts:
            wanted.append(f"({self.both.join(map(word, term.parts))})")
        if term.stem:
            wanted.append(word(term.stem))
        return self.either.join(wanted)

    def _words(self, mark: str, row: Row) -> dict[str, str]:
        """The columns with the words of a row."""
        raise NotImplementedError

    def _asked(self, question: str) -> tuple[str, ...]:
        """The arguments of one lookup of a question."""
        raise NotImplementedError


class _Sqlite(Index):
    """An FTS5 table. Its tokenizer sees only words of letters and digits, so it changes none."""

    insert = (
        "INSERT INTO wiki_search "
        "(org_id, run_id, page_id, start, size, mark, title, headings, body) "
        "VALUES (:org, :run, :page, :start, :size, :mark, :title, :headings, :body)"
    )
    remove_run = (
        "DELETE FROM wiki_search WHERE rowid IN (SELECT rowid FROM wiki_search "
        "WHERE wiki_search MATCH :question AND org_id = :org AND run_id = :run)"
    )
    look_up = (
        "SELECT {n}, page_id, start, size, -bm25(wiki_search, 0, 0, 0, 0, 0, 0, 10, 5, 1) "
        "FROM wiki_search WHERE wiki_search MATCH ? AND org_id = ? AND run_id = ?"
    )
    quote, begins, both, either = '"', " *", " AND ", " OR "

    def _words(self, mark: str, row: Row) -> dict[str, str]:
        texts = {"title": row.title, "headings": row.headings, "body": row.body}
        return {"mark": mark, **{name: _marked(mark, words) for name, words in texts.items()}}

    def _asked(self, question: str) -> tuple[str, ...]:
        return (f"{{title headings body}} : ({question})",)


class _Postgresql(Index):
    """A tsvector under a GIN index. Title, headings and body have the weights A, B and D."""

    insert = (
        "INSERT INTO wiki_search (org_id, run_id, page_id, start, size, words) "
        "VALUES (:org, :run, :page, :start, :size, CAST(:words AS tsvector))"
    )
    remove_run = "DELETE FROM wiki_search WHERE org_id = :org AND run_id = :run"
    look_up = percent_style(
        "SELECT {n}, page_id, start, size, "
        "ts_rank(CAST(ARRAY[0.1, 0.1, 0.5, 1.0] AS real[]), words, CAST(? AS tsquery), 1) "
        "FROM wiki_search WHERE words @@ CAST(? AS tsquery) AND org_id = ? AND run_id = ?"
    )
    quote, begins, both, either = "'", ":*", " & ", " | "

    def _words(self, mark: str, row: Row) -> dict[str, str]:
        return {"words": _vector(mark, row)}

    def _asked(self, question: str) -> tuple[str, ...]:
        return question, question


def index_of(connection: Connection) -> Index:
    """The search of the database of a connection."""
    return _Sqlite() if connection.dialect.name == "sqlite" else _Postgresql()


def _mark(run_id: str) -> str:
    """Letters that hardly any other run has; where one does, the statement compares the run."""
    return run_id[-_MARK_LENGTH:]


def _marked(mark: str, content: str) -> str:
    return mark + content.replace(" ", f" {mark}") if content else ""


def _vector(mark: str, row: Row) -> str:
    """The words of a row as PostgreSQL writes them: 'word':place and weight, …"""
    weighed = ((row.title, "A"), (row.headings, "B"), (row.body, "D"))
    places = enumerate(
        ((word, weight) for content, weight in weighed for word in content.split()), start=1
    )
    return " ".join(
        f"'{mark}{word}':{min(place, _POSITION_MAX)}{weight}" for place, (word, weight) in places
    )

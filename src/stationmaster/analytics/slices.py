"""Answers about slices of days: some agents, repositories, teams or users, or a row for each.

Folds the stored slices and renders them with the code that makes the finished documents, so that
a filter that leaves everything in gives their bytes. It costs some milliseconds a day; what
finished documents answer never comes here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import days
from stationmaster.aggregate import documents, groups
from stationmaster.aggregate import slices as sliced
from stationmaster.aggregate.documents import RENDERERS, Day
from stationmaster.aggregate.slices import Slices
from stationmaster.analytics.model import Found, Question
from stationmaster.db.engine import Database
from stationmaster.rollups import serving
from stationmaster.rollups.model import MONTH_DAYS, WEEK_DAYS, Windows
from stationmaster.rollups.model import Report as Plain
from stationmaster.rollups.rows import DIMENSIONS
from stationmaster.rollups.store import digest

_DAYS_AT_ONCE = 8
"""Slices of a large organization's day are some hundred kilobytes."""


def find(db: Database, question: Question) -> Found:
    """The rows of a question about slices, which must be current already."""
    if question.report == "users":
        return _find_users(db, question)
    first, last = question.range.first, question.range.last
    # No other report looks back.
    looks_back = question.name == "activity"
    start = question.range.window_first if looks_back else first
    active: dict[date, set[str]] = {}
    bodies: list[bytes] = []
    for at, found in _chosen(db, question, start, last):
        day = Day(at, found, Windows(0, 0))
        if looks_back:
            active[at] = day.counted
            windows = [_users(active, at, length) for length in (WEEK_DAYS, MONTH_DAYS)]
            day.windows = Windows(*windows)
        if at >= first:
            bodies.append(_render(question, day))
    return _found(db, question, bodies)


def _find_users(db: Database, question: Question) -> Found:
    first, last = question.range.first, question.range.last
    users: set[str] = set()
    for _, found in _chosen(db, question, first, last):
        users |= found.users()
    after = sorted(user for user in users if user > question.cursor)
    shown = after[: question.limit]
    rows: dict[str, list[bytes]] = {user: [] for user in shown}
    for at, found in _chosen(db, question, first, last, shown):
        for user, body in documents.users(Day(at, found, Windows(0, 0))).items():
            rows[user].append(body)
    bodies = [body for user in shown for body in rows[user]]
    return _found(db, question, bodies, shown[-1] if len(after) > len(shown) else None)


def _found(
    db: Database, question: Question, bodies: list[bytes], next_cursor: str | None = None
) -> Found:
    revision = serving.revision(db, question.org, *question.range.texts)
    return Found(question, [*map(digest, bodies)], revision, bodies, [], next_cursor)


def _render(question: Question, day: Day) -> bytes:
    for dimension in DIMENSIONS:
        if question.group_by == dimension:
            return groups.render(question.report, day, dimension)
    return RENDERERS[cast(Plain, question.name)](day)


def _users(active: dict[date, set[str]], last: date, length: int) -> int:
    """Distinct users of so many days that end with one."""
    return len(set().union(*(users for at, users in active.items() if (last - at).days < length)))


def _chosen(
    db: Database, question: Question, first: date, last: date, users: list[str] | None = None
) -> Iterator[tuple[date, Slices]]:
    """The slices that a question is about, day by day; with `users` those of them alone."""
    asked = [*days.span(first, last)]
    for start in range(0, len(asked), _DAYS_AT_ONCE):
        part = asked[start : start + _DAYS_AT_ONCE]
        for day, body in serving.slices(db, question.org, part[0], part[-1]):
            yield day, _choose(sliced.unpack(body), question, users)


def _choose(found: Slices, question: Question, users: list[str] | None) -> Slices:
    table = found.whole("slices")
    fits = [_is_in(table["user_id"], users)] if users is not None else []
    for dimension, values in question.only:
        column = groups.COLUMNS[dimension]
        fit = _is_in(table[column], values)
        fits.append(pc.or_(fit, _is_in(table["email"], values)) if dimension == "user" else fit)
    if not fits:
        return found
    chosen = fits[0]
    for fit in fits[1:]:
        chosen = pc.and_(chosen, fit)
    return found.only(chosen.combine_chunks())


def _is_in(column: pa.ChunkedArray, values: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(column, pa.array(values, pa.string()))

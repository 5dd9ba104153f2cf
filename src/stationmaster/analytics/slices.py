"""Answers about slices of days: some agents, repositories, teams or users, or a row for each.

Folds the stored slices and renders them with the code that makes the finished documents, so that
a filter that leaves everything in gives their bytes. It costs some milliseconds a day; what
finished documents answer never comes here.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from datetime import date
from typing import cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster import days
from stationmaster.aggregate import documents, groups
from stationmaster.aggregate import slices as sliced
from stationmaster.aggregate.documents import RENDERERS, Day
from stationmaster.aggregate.slices import Slices
from stationmaster.analytics import privacy
from stationmaster.analytics.model import Found, Question
from stationmaster.db.engine import Database
from stationmaster.rollups import reads, serving
from stationmaster.rollups.model import MONTH_DAYS, WEEK_DAYS, Windows
from stationmaster.rollups.model import Report as Plain
from stationmaster.rollups.rows import DIMENSIONS, CreditsRow
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
    bodies: dict[date, bytes] = {}
    for at, found in _chosen(db, question, start, last):
        day = Day(at, found, Windows(0, 0))
        if looks_back:
            active[at] = day.counted
            windows = [_users(active, at, length) for length in (WEEK_DAYS, MONTH_DAYS)]
            day.windows = Windows(*windows)
        if at >= first:
            bodies[at] = _render(question, day)
    if question.shows_people and not question.only and len(bodies) < question.range.days:
        bodies |= _without_people(db, question, bodies)
    return _found(db, question, [bodies[at] for at in sorted(bodies)])


def _without_people(db: Database, question: Question, known: Container[date]) -> dict[date, bytes]:
    """The days of tokens of which there are no slices, because their events were erased before
    there were any: as they are stored, but for the people.
    """
    bodies: dict[date, bytes] = {}
    span = question.range
    for stored in reads.documents(db, question.org, "tokens", span.first, span.last):
        if stored.day not in known:
            row = msgspec.json.decode(stored.body, type=CreditsRow)
            bodies[stored.day] = msgspec.json.encode(msgspec.structs.replace(row, by_user=[]))
    return bodies


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
            found = _choose(privacy.veil(sliced.unpack(body), question), question)
            if privacy.is_withheld(found, question):
                continue
            found = privacy.veil_chosen(found, question)
            if users is not None:
                found = _narrowed(found, _is_in(found.whole("slices")["user_id"], users))
            yield day, found


def _choose(found: Slices, question: Question) -> Slices:
    table = found.whole("slices")
    for dimension, values in question.only:
        column = groups.COLUMNS[dimension]
        fit = _is_in(table[column], values)
        if dimension == "user":
            fit = pc.or_(fit, _is_in(table["email"], values))
        found = _narrowed(found, fit)
    return found


def _narrowed(found: Slices, fit: pa.ChunkedArray) -> Slices:
    """Those of the chosen slices that fit."""
    mask = fit.combine_chunks()
    return found.only(mask if found.chosen is None else pc.and_(found.chosen, mask))


def _is_in(column: pa.ChunkedArray, values: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(column, pa.array(values, pa.string()))

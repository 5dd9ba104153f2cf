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
from stationmaster.analytics import privacy, totals
from stationmaster.analytics.model import Found, Question
from stationmaster.db.engine import Database
from stationmaster.rollups import reads, serving
from stationmaster.rollups.model import MONTH_DAYS, WEEK_DAYS, Windows
from stationmaster.rollups.model import Report as Plain
from stationmaster.rollups.rows import DIMENSIONS, CreditsRow, Dimension
from stationmaster.rollups.store import digest

_DAYS_AT_ONCE = 8
"""Slices of a large organization's day are some hundred kilobytes."""


def find(db: Database, question: Question) -> Found:
    """The rows of a question about slices, which must be current already."""
    if question.report == "users":
        return _find_users(db, question)
    if question.report == "activity" and not question.parts:
        return _found(db, question, [*_as_stored(db, question, ()).values()])
    first, last = question.range.first, question.range.last
    # No other report looks back.
    looks_back = question.name == "activity"
    start = question.range.window_first if looks_back else first
    active: dict[date, set[str]] = {}
    bodies: dict[date, bytes] = {}
    for at, stored in _stored(db, question, start, last):
        found = shown(stored, question)
        if found is None:
            continue
        day = Day(at, found, Windows(0, 0), privacy.minimum(question))
        if looks_back:
            active[at] = day.counted
            windows = [_users(active, at, length) for length in (WEEK_DAYS, MONTH_DAYS)]
            day.windows = Windows(*windows)
        if at >= first:
            bodies[at] = _render(question, day, stored)
    if not question.parts:
        bodies |= _as_stored(db, question, bodies)
    return _found(db, question, [bodies[at] for at in sorted(bodies)])


def _as_stored(db: Database, question: Question, besides: Container[date]) -> dict[date, bytes]:
    """What is shown of the documents of days, besides some.

    Of days whose events were erased before there were slices, they are all that there is.
    """
    policy, name, span = question.policy, cast(Plain, question.name), question.range
    if policy is None or policy.is_named:
        return {}
    found = {
        stored.day: totals.shown(name, stored.body, policy)
        for stored in reads.documents(db, question.org, name, span.first, span.last)
        if stored.day not in besides
    }
    return {day: body for day, body in found.items() if body is not None}


def _find_users(db: Database, question: Question) -> Found:
    first, last = question.range.first, question.range.last
    users: set[str] = set()
    for _, stored in _stored(db, question, first, last):
        found = shown(stored, question)
        users |= found.users() if found is not None else set()
    after = sorted(user for user in users if user > question.cursor)
    page = after[: question.limit]
    rows: dict[str, list[bytes]] = {user: [] for user in page}
    for at, stored in _stored(db, question, first, last):
        found = shown(stored, question)
        if found is None:
            continue
        found = _narrowed(found, _is_in(found.whole("slices")["user_id"], page))
        for user, body in documents.users(Day(at, found, Windows(0, 0))).items():
            rows[user].append(body)
    bodies = [body for user in page for body in rows[user]]
    return _found(db, question, bodies, page[-1] if len(after) > len(page) else None)


def _found(
    db: Database, question: Question, bodies: list[bytes], next_cursor: str | None = None
) -> Found:
    revision = serving.revision(db, question.org, *question.range.texts)
    return Found(question, [*map(digest, bodies)], revision, bodies, [], next_cursor)


def _render(question: Question, day: Day, stored: Slices) -> bytes:
    for dimension in DIMENSIONS:
        if question.group_by == dimension:
            return groups.render(question.report, day, dimension)
    body = RENDERERS[cast(Plain, question.name)](day)
    by_team = privacy.by_team(question)
    return body if by_team is None else _with_teams(body, by_team, day.day, stored)


def _with_teams(body: bytes, by_team: Question, day: date, stored: Slices) -> bytes:
    """A row of tokens with its teams, whose models are decided apart from those of the whole."""
    teams = shown(stored, by_team)
    users = [] if teams is None else documents.by_user(Day(day, teams, Windows(0, 0)))
    row = msgspec.json.decode(body, type=CreditsRow)
    return msgspec.json.encode(msgspec.structs.replace(row, by_user=users))


def _users(active: dict[date, set[str]], last: date, length: int) -> int:
    """Distinct users of so many days that end with one."""
    return len(set().union(*(users for at, users in active.items() if (last - at).days < length)))


def _stored(
    db: Database, question: Question, first: date, last: date
) -> Iterator[tuple[date, Slices]]:
    """The slices of days, by day."""
    asked = [*days.span(first, last)]
    for start in range(0, len(asked), _DAYS_AT_ONCE):
        part = asked[start : start + _DAYS_AT_ONCE]
        for day, body in serving.slices(db, question.org, part[0], part[-1]):
            yield day, sliced.unpack(body)


def shown(stored: Slices, question: Question) -> Slices | None:
    """The slices of a day that a question is about, as they are shown; None if they are not."""
    veiled = privacy.veil(stored, question)
    chosen = _choose(veiled, [wanted for wanted in question.only if wanted[0] != "user"])
    if privacy.is_withheld(chosen, question):
        return None
    chosen = _choose(chosen, [wanted for wanted in question.only if wanted[0] == "user"])
    return privacy.veil_chosen(chosen, question)


def _choose(found: Slices, only: Iterable[tuple[Dimension, tuple[str, ...]]]) -> Slices:
    table = found.whole("slices")
    for dimension, values in only:
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

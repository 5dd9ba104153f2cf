"""Answers about slices of days: some agents, repositories, teams or users, or a row for each.

Folds the stored slices and renders them with the code that makes the finished documents, so that
a filter that leaves everything in gives their bytes. It costs some milliseconds a day; what
finished documents answer is never computed here, except documents without what a privacy mode does
not show, where slices are not needed or not there to show how many people are behind a figure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import date
from functools import partial
from typing import NamedTuple, cast

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from stationmaster.access.privacy import Policy
from stationmaster.aggregate import report_rows
from stationmaster.aggregate.slices import Slices
from stationmaster.analytics import privacy
from stationmaster.analytics.days import grouped, stored
from stationmaster.analytics.days.breakdowns import REST
from stationmaster.analytics.days.spans import SliceSpan
from stationmaster.analytics.days.stored import StoredDay
from stationmaster.analytics.formats.bodies import Bodies
from stationmaster.analytics.model import COLUMNS, AnswerDocuments, Question
from stationmaster.db.engine import Database
from stationmaster.lake.rollups import reads, serving
from stationmaster.lake.rollups.model import MONTH_DAYS, WEEK_DAYS, Report, Report as Plain, Windows
from stationmaster.lake.rollups.rows import (
    COUNTERS,
    ActivityByClientRow,
    ActivityRow,
    CreditsRow,
    ModelUsage,
)
from stationmaster.lake.rollups.store import digest
from stationmaster.report_names import Dimension

_TABLES: Mapping[str, tuple[str, ...]] = {
    "tokens": ("tokens",),
    "tokens_by_model": ("tokens",),
    "tools": ("tools", "names", "levels", "people", "sessions"),
    "tools_by_tool_name": ("tools",),
    "activity": ("people", "tokens", "sessions"),
    "activity_by_client": ("sessions",),
    "productivity": ("file_changes", "people", "pull_requests"),
    "users": ("tokens", "levels", "people", "pull_requests", "file_changes", "sessions"),
}
"""The tables of slices that a report reads, by `Question.name`."""


class _Rows(NamedTuple):
    """Documents with their digests, and the day of each; of a page of users no days."""

    days: list[date]
    bodies: Bodies
    digests: list[bytes]
    next_cursor: str | None = None


def find(db: Database, question: Question) -> AnswerDocuments:
    """The rows of a question about slices, which must be current already."""
    if question.report == "activity" and not question.parts:
        return _documents(db, question, _by_day(_as_stored(db, question, ())))
    # No other report looks back.
    first = question.range.window_first if question.name == "activity" else question.range.first
    rows = stored.answer(
        db,
        question,
        (question.org, first, question.range.last),
        partial(_folded, db, question),
        lambda rows: rows.bodies.nbytes,
    )
    if question.report != "users" and not question.parts:
        lacking = _as_stored(db, question, rows.days)
        if lacking:
            rows = _by_day(dict(zip(rows.days, rows.bodies.read(), strict=True)) | lacking)
    return _documents(db, question, rows)


def _folded(db: Database, question: Question) -> _Rows:
    if question.report == "users":
        return _page(db, question)
    if question.group_by in COLUMNS:
        return _by_day(_grouped(db, question))
    return _by_day(_rendered(db, question))


def _by_day(bodies: dict[date, bytes]) -> _Rows:
    days = sorted(bodies)
    ordered = [bodies[day] for day in days]
    return _Rows(days, Bodies(ordered), [*map(digest, ordered)])


def spans(
    db: Database, question: Question, first: date, last: date, tables: Iterable[str]
) -> Iterator[SliceSpan]:
    """The slices of days that a question is about, as they are shown; only of days that are."""
    for stored_days in read(db, question, first, last, tables):
        span = shown(db, stored_days, question)
        if span.days:
            yield span


def read(
    db: Database,
    question: Question,
    first: date,
    last: date,
    tables: Iterable[str],
    facts: stored.Columns = stored.NOTHING,
) -> Iterator[list[StoredDay]]:
    """Stored days with some tables of slices."""
    return stored.read(db, question.org, first, last, dict.fromkeys(("slices", *tables)), facts)


def shown(db: Database, stored_days: Iterable[StoredDay], question: Question) -> SliceSpan:
    """The slices of stored days that a question is about, as they are shown; only of days that
    are."""
    # Groups show no breakdown.
    tables = () if question.group_by in COLUMNS else privacy.broken_down_by(question)
    span = SliceSpan(
        [(stored_day.day, veiled(db, stored_day, question, tables)) for stored_day in stored_days]
    )
    span = _choose(span, [condition for condition in question.only if condition[0] != "user"])
    if privacy.may_withhold(question):
        places = range(len(span.days))
        span = span.kept([not privacy.is_withheld(span.of_day(n), question) for n in places])
    return _choose(span, [condition for condition in question.only if condition[0] == "user"])


def veiled(
    db: Database, stored_day: StoredDay, question: Question, tables: Iterable[str]
) -> Slices:
    """A day under the names of a question, with the breakdown of some tables, if they are there.

    It is decided once for each writing of a day.
    """
    naming = privacy.naming(question)
    if naming is None:
        return stored_day.slices
    broken_down = [name for name in tables if stored_day.slices.has(name)]
    sliceses: list[Slices] = []

    def table(name: str) -> pa.Table:
        if not sliceses:
            sliceses.append(privacy.veil(stored_day.slices, question, broken_down))
        return sliceses[0].whole(name)

    slices = stored_day.slices
    for name in ("slices", *broken_down):
        key = (stored_day.key, naming, name)
        slices = slices.with_table(name, stored.once(db, key, partial(table, name)))
    return slices


def _grouped(db: Database, question: Question) -> dict[date, bytes]:
    column = COLUMNS[cast(Dimension, question.group_by)]
    bodies: dict[date, bytes] = {}
    first, last, tables = question.range.first, question.range.last, grouped.tables(question.report)
    for span in spans(db, question, first, last, tables):
        bodies |= grouped.bodies(span, question.report, column)
    return bodies


def _rendered(db: Database, question: Question) -> dict[date, bytes]:
    first, last = question.range.first, question.range.last
    # No other report looks back.
    looks_back = question.name == "activity"
    start = question.range.window_first if looks_back else first
    by_team = privacy.by_team(question)
    active: dict[date, set[str]] = {}
    bodies: dict[date, bytes] = {}
    for stored_days in read(db, question, start, last, _TABLES[question.name]):
        teams = None
        if by_team is not None:
            teams = dict(_days(shown(db, stored_days, by_team), by_team))
        for at, of_day in _days(shown(db, stored_days, question), question):
            day = report_rows.Day(at, of_day, Windows(0, 0), privacy.minimum(question))
            if looks_back:
                active[at] = day.counted
                windows = [_users(active, at, length) for length in (WEEK_DAYS, MONTH_DAYS)]
                day.windows = Windows(*windows)
            if at >= first:
                body = report_rows.RENDERERS[cast(Plain, question.name)](day)
                bodies[at] = body if teams is None else _with_teams(body, at, teams.get(at))
    return bodies


def _days(span: SliceSpan, question: Question) -> Iterator[tuple[date, Slices]]:
    """The slices of each day, people under the names that rows show."""
    for place, day in enumerate(span.days):
        yield day, privacy.veil_chosen(span.of_day(place), question)


def _as_stored(db: Database, question: Question, excluded: Collection[date]) -> dict[date, bytes]:
    """What is shown of the documents of days, except some.

    Of days whose events were erased before there were slices, they are all that there is.
    """
    policy, name, span = question.policy, cast(Plain, question.name), question.range
    if policy is None or policy.is_named:
        return {}
    if reads.rolled_days(db, question.org, span.first, span.last) <= {*excluded}:
        return {}
    bodies = {
        stored.day: shown_document(name, stored.body, policy)
        for stored in reads.documents(db, question.org, name, span.first, span.last)
        if stored.day not in excluded
    }
    return {day: body for day, body in bodies.items() if body is not None}


def _page(db: Database, question: Question) -> _Rows:
    first, last = question.range.first, question.range.last
    users: set[str] = set()
    for span in spans(db, question, first, last, _TABLES["users"]):
        for _, of_day in _days(span, question):
            users |= of_day.users()
    after = sorted(user for user in users if user > question.cursor)
    page = after[: question.limit]
    rows: dict[str, list[bytes]] = {user: [] for user in page}
    for span in spans(db, question, first, last, _TABLES["users"]):
        for at, of_day in _days(span, question):
            fit = _is_in(of_day.whole("slices")["user_id"].combine_chunks(), page)
            chosen = fit if of_day.chosen is None else pc.and_(of_day.chosen, fit)
            for user, body in report_rows.users(
                report_rows.Day(at, of_day.only(chosen), Windows(0, 0))
            ).items():
                rows[user].append(body)
    bodies = [body for user in page for body in rows[user]]
    next_cursor = page[-1] if len(after) > len(page) else None
    return _Rows([], Bodies(bodies), [*map(digest, bodies)], next_cursor)


def _documents(db: Database, question: Question, rows: _Rows) -> AnswerDocuments:
    revision = serving.revision(db, question.org, *question.range.texts)
    return AnswerDocuments(question, rows.digests, revision, rows.bodies, [], rows.next_cursor)


def _with_teams(body: bytes, day: date, teams: Slices | None) -> bytes:
    """A row of tokens with its teams, whose models are decided apart from those of the whole."""
    users = [] if teams is None else report_rows.by_user(report_rows.Day(day, teams, Windows(0, 0)))
    row = msgspec.json.decode(body, type=CreditsRow)
    return msgspec.json.encode(msgspec.structs.replace(row, by_user=users))


def _users(active: dict[date, set[str]], last: date, length: int) -> int:
    """Distinct users of so many days that end with one."""
    return len(set().union(*(users for at, users in active.items() if (last - at).days < length)))


def _choose(span: SliceSpan, only: Iterable[tuple[Dimension, tuple[str, ...]]]) -> SliceSpan:
    for dimension, values in only:
        fit = _is_in(span.column(COLUMNS[dimension]), values)
        if dimension == "user":
            fit = pc.or_(fit, _is_in(span.column("email"), values))
        span = span.only(fit)
    return span


def _is_in(column: pa.Array, values: Iterable[str]) -> pa.BooleanArray:
    return pc.is_in(column, pa.array(values, pa.string()))


def shown_document(report: Report, body: bytes, policy: Policy) -> bytes | None:
    """A day's document as a mode other than `named` shows it; None where it is all breakdowns."""
    show = _SHOWN.get(report)
    return None if show is None else show(body, policy)


def _tokens(body: bytes, policy: Policy) -> bytes:
    row = msgspec.structs.replace(msgspec.json.decode(body, type=CreditsRow), by_user=[])
    if policy.is_grouped and row.by_model:
        rest = ModelUsage(REST, "standard", *(getattr(row, name) for name in COUNTERS))
        row = msgspec.structs.replace(row, by_model=[rest])
    return msgspec.json.encode(row)


def _activity(body: bytes, policy: Policy) -> bytes:
    row = msgspec.json.decode(body, type=ActivityRow)
    clients = msgspec.structs.asdict(row.daily_active_users_by_client)
    counts = {
        name: report_rows.shown_count(users, policy.minimum) for name, users in clients.items()
    }
    by_client = msgspec.structs.replace(row.daily_active_users_by_client, **counts)
    return msgspec.json.encode(msgspec.structs.replace(row, daily_active_users_by_client=by_client))


def _activity_by_client(body: bytes, policy: Policy) -> bytes:
    rows = msgspec.json.decode(b"[" + body + b"]", type=list[ActivityByClientRow])
    shown_rows = [row for row in rows if row.daily_active_users >= policy.minimum]
    return b",".join(map(msgspec.json.encode, shown_rows))


_SHOWN: Mapping[Report, Callable[[bytes, Policy], bytes]] = {
    "tokens": _tokens,
    "activity": _activity,
    "activity_by_client": _activity_by_client,
}

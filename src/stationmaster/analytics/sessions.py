"""Sessions of agents, newest first, and one of them: stored rows, no event is read.

A single session is one person's work. So people's sessions are listed where people are shown by
name alone, in the other privacy modes those of programs; everybody sees their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from stationmaster import days
from stationmaster.access import privacy, reads
from stationmaster.access.model import Caller, is_program
from stationmaster.analytics import person_ids
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest, Forbidden, NotFound
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.sessions import ModelPart, SessionDay, ToolPart

_COLUMNS = ", ".join(SessionDay._fields)
_ROWS = f"SELECT day, {_COLUMNS} FROM agent_sessions WHERE org_id = ? AND session_id"
_LISTED = """
SELECT s.session_id, s.ended_at FROM agent_sessions AS s
WHERE s.org_id = ? AND s.ended_at BETWEEN ? AND ?{conditions} AND NOT EXISTS (
  SELECT 1 FROM agent_sessions AS l
  WHERE l.org_id = s.org_id AND l.session_id = s.session_id
  AND l.day > s.day AND l.day <= ?{same}
) ORDER BY s.ended_at DESC, s.session_id DESC LIMIT ?
"""
_LISTED_OF_MODEL = """
SELECT m.session_id, m.ended_at FROM agent_session_models AS m
INNER JOIN agent_sessions AS s
  ON s.org_id = m.org_id AND s.session_id = m.session_id AND s.day = m.day
WHERE m.org_id = ? AND m.ended_at BETWEEN ? AND ? AND m.model = ?{conditions} AND NOT EXISTS (
  SELECT 1 FROM agent_sessions AS l
  INNER JOIN agent_session_models AS n ON n.org_id = l.org_id AND n.model = m.model
    AND n.ended_at = l.ended_at AND n.session_id = l.session_id AND n.day = l.day
  WHERE l.org_id = m.org_id AND l.session_id = m.session_id
  AND l.day > m.day AND l.day <= ?{same}
) ORDER BY m.ended_at DESC, m.session_id DESC LIMIT ?
"""
_SUMMED = SessionDay._fields[
    SessionDay._fields.index("user_messages") : SessionDay._fields.index("amount")
]


class SessionQuery(NamedTuple):
    """Which sessions are asked for: at work on the days of a range, both ends included."""

    org: OrgId
    first: date
    last: date
    users: tuple[str, ...] = ()
    """The ids of one person; none for everyone."""
    repository: str | None = None
    agent: str | None = None
    model: str | None = None
    only_programs: bool = False
    after: tuple[int, str] | None = None
    """The end and the id of the session before the page, as `parse_cursor` reads them."""
    size: int = 50
    """Sessions of a page."""


class Session(NamedTuple):
    """A session over all of its days. `rows` are those of its days; figures are of all days, in
    the order of SessionDay; `amount` is 10⁻¹² dollars."""

    rows: tuple[tuple[date, SessionDay], ...]
    started_at: int
    ended_at: int
    repositories: tuple[str, ...]
    branches: tuple[str, ...]
    sources: tuple[str, ...]
    figures: dict[str, int]
    amount: int
    models: tuple[ModelPart, ...]
    tools: tuple[ToolPart, ...]

    @property
    def total(self) -> ModelPart:
        """The sums of all of its model calls; the model is ""."""
        figures = self.figures
        return ModelPart(
            "",
            figures["model_calls"],
            amount=self.amount,
            **{name: figures[name] for name in ModelPart._fields if name in figures},
        )

    @property
    def latest(self) -> SessionDay:
        """The row of the last day."""
        return self.rows[-1][1]


class Page(NamedTuple):
    """Some sessions, newest first."""

    sessions: list[Session]
    cursor: str | None
    """Where the next page begins; None on the last."""


def judged(db: Database, query: SessionQuery, by: Caller) -> SessionQuery:
    """The sessions of a query that the caller may see.

    Raises Forbidden for those of others where people are not shown by name, and for who is
    neither an owner nor a manager.
    """
    if by.principal_id in query.users:
        return query
    if by.role not in ("owner", "manager"):
        raise Forbidden("Only owners and managers see the sessions of others.")
    policy = privacy.of(db, by.org_id)
    if policy.is_named or (query.users and all(map(is_program, query.users))):
        return query
    if query.users:
        raise Forbidden(
            "Sessions of single people are not shown in this organization: its privacy mode is "
            f"{policy.mode}.",
            code="privacy_mode",
        )
    return query._replace(only_programs=True)


def page(db: Database, query: SessionQuery) -> Page:
    """Sessions by when they were last at work in the range, the latest first."""
    programs = sorted(reads.service_account_ids(db, query.org)) if query.only_programs else []
    if query.only_programs and not programs:
        return Page([], None)
    sql, values = _query(query, programs)
    places = db.rows(sql, *values)
    listed = [session_id for session_id, _ in places[: query.size]]
    if not listed:
        return Page([], None)
    marks = ", ".join("?" * len(listed))
    rows = db.rows(f"{_ROWS} IN ({marks})", query.org, *listed)
    by_session: dict[str, list[tuple[date, SessionDay]]] = {}
    for day, *row in rows:
        stored = SessionDay._make(row)
        by_session.setdefault(stored.session_id, []).append((days.parse(day), stored))
    following = None
    if len(places) > query.size:
        session_id, ended_at = places[query.size - 1]
        following = f"{ended_at}_{session_id}"
    # A rollup may take a session away between both reads.
    return Page(
        [_folded(by_session[listed_id]) for listed_id in listed if listed_id in by_session],
        following,
    )


def one(db: Database, org: OrgId, session_id: str, by: Caller) -> Session:
    """A session that the caller may see. Raises NotFound for any other."""
    rows = db.rows(f"{_ROWS} = ?", org, session_id)
    session_days = [(days.parse(day), SessionDay._make(row)) for day, *row in rows]
    users = {row.user_id for _, row in session_days}
    if not users or not _is_shown(db, org, users, by):
        raise NotFound("There is no such session.")
    return _folded(session_days)


def _is_shown(db: Database, org: OrgId, users: set[str], by: Caller) -> bool:
    """May the caller see a session of these user ids?"""
    if by.role in ("owner", "manager") and (
        all(map(is_program, users)) or privacy.of(db, org).is_named
    ):
        return True
    return users <= {by.principal_id} or users <= {*person_ids.of(db, org, by.principal_id)}


def parse_cursor(text: str) -> tuple[int, str]:
    """The place that a `cursor` names. Raises BadRequest for one that no page has given."""
    ended_at, _, session_id = text.partition("_")
    if not (ended_at.isascii() and ended_at.isdigit() and len(ended_at) <= 15 and session_id):
        raise BadRequest("cursor must be the nextCursor of the page before.", code="invalid_cursor")
    return int(ended_at), session_id


def _query(query: SessionQuery, programs: Sequence[str]) -> tuple[str, list[object]]:
    """The ids of a page, of `programs` alone if there are any: of each session the last day in the
    range that fits the filters."""
    until = days.start_ms(query.last + timedelta(days=1)) - 1
    values: list[object] = [query.org, days.start_ms(query.first), until]
    conditions, same = "", ""
    if query.model is not None:
        values.append(query.model)
    if query.users:
        marks = ", ".join("?" * len(query.users))
        conditions += f" AND s.user_id IN ({marks})"
        same += f" AND l.user_id IN ({marks})"
        values += query.users
    for name, value in (("repository", query.repository), ("agent", query.agent)):
        if value is not None:
            conditions += f" AND s.{name} = ?"
            same += f" AND l.{name} = s.{name}"
            values.append(value)
    if programs:
        conditions += f" AND s.user_id IN ({', '.join('?' * len(programs))})"
        values += programs
    listed, place = (_LISTED, "s") if query.model is None else (_LISTED_OF_MODEL, "m")
    if query.after is not None:
        conditions += f" AND ({place}.ended_at, {place}.session_id) < (?, ?)"
        values += query.after
    values += [query.last.isoformat(), *query.users, query.size + 1]
    return listed.format(conditions=conditions, same=same), values


def _folded(rows: list[tuple[date, SessionDay]]) -> Session:
    """A session of its days. Ordered here: for an ORDER BY, SQLite would read all days."""
    rows = sorted(rows)
    parts = [row for _, row in rows]
    models: dict[str, ModelPart] = {}
    tools: dict[str, ToolPart] = {}
    for row in parts:
        for part in row.model_parts():
            sums = models.get(part.model, ModelPart(part.model, *(0,) * 8))
            models[part.model] = ModelPart(
                part.model, *map(sum, zip(sums[1:], part[1:], strict=True))
            )
        for run in row.tool_parts():
            before = tools.get(run.tool, ToolPart(run.tool, 0, 0, 0))
            tools[run.tool] = ToolPart(run.tool, *map(sum, zip(before[1:], run[1:], strict=True)))
    return Session(
        rows=tuple(rows),
        started_at=min(row.started_at for row in parts),
        ended_at=max(row.ended_at for row in parts),
        repositories=tuple(dict.fromkeys(row.repository for row in parts)),
        branches=tuple(dict.fromkeys(row.branch for row in parts if row.branch)),
        sources=tuple(dict.fromkeys(name for row in parts for name in row.sources.split(","))),
        figures={name: sum(getattr(row, name) for row in parts) for name in _SUMMED},
        amount=sum(int(row.amount) for row in parts),
        models=tuple(sorted(models.values(), key=lambda part: (-part.billable_tokens, part.model))),
        tools=tuple(sorted(tools.values(), key=lambda part: (-part.calls, part.tool))),
    )

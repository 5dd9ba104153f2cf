"""Rows of agents' sessions: what one did on one day, and replacing those of a day."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, Table, and_, bindparam, delete, select

from stationmaster.db.tables.sessions import agent_session_models, agent_sessions
from stationmaster.db.upserts import insert_rows
from stationmaster.ids import OrgId


class ModelPart(NamedTuple):
    """The sums of a session's calls of one model; `amount` is 10⁻¹² dollars."""

    model: str
    calls: int
    unpriced_calls: int
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    amount: int


class ToolPart(NamedTuple):
    """The sums of a session's calls of one tool; `failed` are among the executed `calls`."""

    tool: str
    calls: int
    failed: int
    refused: int


class SessionDay(NamedTuple):
    """A session on one day, in the columns of `agent_sessions` without `org_id` and `day`.

    Times are UTC milliseconds of the first and the last event; `models` is the JSON of a list of
    ModelPart, most credits first, `tools` that of a list of ToolPart, most calls first.
    """

    session_id: str
    agent_session_id: str
    agent: str
    client: str
    user_id: str
    user_email: str | None
    team: str
    repository: str
    branch: str | None
    machine: str | None
    sources: str
    started_at: int
    ended_at: int
    user_messages: int
    model_calls: int
    unpriced_calls: int
    model_errors: int
    tool_calls: int
    failed_tool_calls: int
    refused_tool_calls: int
    files_changed: int
    lines_added: int
    lines_removed: int
    git_commits: int
    git_prs_created: int
    billable_tokens: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    amount: str
    models: str
    tools: str

    def model_parts(self) -> list[ModelPart]:
        """The figures by model, decoded from JSON."""
        return msgspec.json.decode(self.models, type=list[ModelPart])

    def tool_parts(self) -> list[ToolPart]:
        """The figures by tool, decoded from JSON."""
        return msgspec.json.decode(self.tools, type=list[ToolPart])


_MODEL_KEY = tuple(column.name for column in agent_session_models.primary_key)


def replace(connection: Connection, org: OrgId, day: date, rows: Iterable[SessionDay]) -> None:
    """Make these the sessions of a day; only what differs from the stored rows is written."""
    iso = day.isoformat()
    selected = [agent_sessions.c[name] for name in SessionDay._fields]
    of_day = (agent_sessions.c.org_id == org, agent_sessions.c.day == iso)
    stored = {
        row.session_id: row
        for row in map(SessionDay._make, connection.execute(select(*selected).where(*of_day)))
    }
    by_session = {row.session_id: row for row in rows}
    outdated = [row for name, row in stored.items() if by_session.get(name) != row]
    changed = [row for name, row in sorted(by_session.items()) if stored.get(name) != row]
    _delete(connection, agent_sessions, [(org, row.session_id, iso) for row in outdated])
    _delete(connection, agent_session_models, _models(org, iso, outdated))
    columns = ("org_id", "day", *SessionDay._fields)
    insert_rows(connection, agent_sessions, columns, [(org, iso, *row) for row in changed])
    insert_rows(connection, agent_session_models, _MODEL_KEY, _models(org, iso, changed))


def _models(org: OrgId, day: str, rows: Iterable[SessionDay]) -> list[tuple[Any, ...]]:
    """The rows of `agent_session_models` that belong to those of `agent_sessions`."""
    return [
        (org, part.model, row.ended_at, row.session_id, day)
        for row in rows
        for part in row.model_parts()
    ]


def _delete(connection: Connection, table: Table, keys: Sequence[tuple[Any, ...]]) -> None:
    """Delete the rows with these primary keys, given in the order of its columns."""
    if keys:
        names = [column.name for column in table.primary_key]
        same = and_(*(table.c[name] == bindparam(f"key_{name}") for name in names))
        connection.execute(
            delete(table).where(same),
            [
                {f"key_{name}": value for name, value in zip(names, key, strict=True)}
                for key in keys
            ],
        )

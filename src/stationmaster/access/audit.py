"""The audit log: every change with who made it, by which interface, and to what.

A record is written in the transaction of the change itself, so there is neither one without the
other. Payloads hold identifiers, enumerated words and numbers; never a secret, never free text.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, insert

from stationmaster import clock, ids
from stationmaster.access.model import Caller, PrincipalKind, Role, Source
from stationmaster.db.engine import Database
from stationmaster.db.tables.access import audit_log
from stationmaster.ids import OrgId

_PREFIX = "aud"
_AFTER_ALL = f"{_PREFIX}_g"
_PAGE = """
SELECT audit_id, created_at, event_type, source, actor_kind, actor_id, actor_email, actor_role,
       target_kind, target_id, payload
FROM audit_log WHERE org_id = ?
"""
"""No identifier, whose digits are hexadecimal, is later."""


class Target(NamedTuple):
    """What was changed: `kind` such as "member", `id` within the organization."""

    kind: str
    id: str


class Actor(msgspec.Struct, frozen=True):
    """Who made a change, with the role of that moment. `email` is None for a service account."""

    kind: PrincipalKind
    id: str
    email: str | None
    role: Role


class AuditRecord(msgspec.Struct, frozen=True):
    """One change. `actor` is None for the software itself; `created_at` is UTC milliseconds."""

    audit_id: str
    created_at: int
    event_type: str
    source: Source
    actor: Actor | None
    target: Target | None
    payload: dict[str, Any] | None


def record(
    connection: Connection,
    org: OrgId,
    event_type: str,
    *,
    by: Caller | None,
    target: Target | None = None,
    payload: dict[str, Any] | None = None,
) -> None:
    """Note a change in the caller's transaction. `by` is None for the software itself."""
    connection.execute(
        insert(audit_log).values(
            org_id=org,
            audit_id=ids.new_sortable(_PREFIX),
            created_at=clock.now_ms(),
            event_type=event_type,
            source="system" if by is None else by.source,
            actor_kind=None if by is None else by.principal_kind,
            actor_id=None if by is None else by.principal_id,
            actor_email=None if by is None else by.email,
            actor_role=None if by is None else by.role,
            target_kind=None if target is None else target.kind,
            target_id=None if target is None else target.id,
            payload=None if payload is None else msgspec.json.encode(payload).decode(),
        )
    )


def note(
    connection: Connection,
    by: Caller | OrgId,
    event_type: str,
    kind: str,
    target: str,
    /,
    **payload: Any,
) -> None:
    """`record` of what was done to one thing, with what else is to be known of it. `by` is the
    organization where the software itself did it."""
    record(
        connection,
        by.org_id if isinstance(by, Caller) else by,
        event_type,
        by=by if isinstance(by, Caller) else None,
        target=Target(kind, target),
        payload=payload or None,
    )


def page(
    db: Database,
    org: OrgId,
    *,
    limit: int,
    before: str | None = None,
    event_type: str | None = None,
    actor: str | None = None,
    target: str | None = None,
    span_ms: tuple[int, int] | None = None,
) -> list[AuditRecord]:
    """At most `limit` records, newest first: those older than the record `before`, of one type, by
    an actor (an id or an address), of a target (an id), and made in a half-open span of Unix
    milliseconds, where given.
    """
    last = before or _AFTER_ALL
    if span_ms is not None:
        # Identifiers begin with the time of making.
        last = min(last, _from(span_ms[1]))
    sql, values = f"{_PAGE} AND audit_id < ?", [org, last]
    if span_ms is not None:
        sql, values = f"{sql} AND audit_id >= ?", [*values, _from(span_ms[0])]
    if event_type is not None:
        sql, values = f"{sql} AND event_type = ?", [*values, event_type]
    if actor is not None:
        sql, values = f"{sql} AND (actor_id = ? OR actor_email = ?)", [*values, actor, actor]
    if target is not None:
        sql, values = f"{sql} AND target_id = ?", [*values, target]
    rows = db.rows(f"{sql} ORDER BY audit_id DESC LIMIT ?", *values, limit)
    return [_record(*row) for row in rows]


def _from(ms: int) -> str:
    """The lowest identifier of a record made at a time."""
    return f"{_PREFIX}_{ms:012x}"


def _record(
    audit_id: str,
    created_at: int,
    event_type: str,
    source: Source,
    actor_kind: PrincipalKind | None,
    actor_id: str | None,
    actor_email: str | None,
    actor_role: Role | None,
    target_kind: str | None,
    target_id: str | None,
    payload: str | None,
) -> AuditRecord:
    actor = target = None
    if actor_kind is not None and actor_id is not None and actor_role is not None:
        actor = Actor(actor_kind, actor_id, actor_email, actor_role)
    if target_kind is not None and target_id is not None:
        target = Target(target_kind, target_id)
    details = None if payload is None else msgspec.json.decode(payload, type=dict[str, Any])
    return AuditRecord(audit_id, created_at, event_type, source, actor, target, details)

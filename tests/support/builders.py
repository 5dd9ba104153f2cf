"""Short ways to what a test needs but is not about."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import count
from typing import Any

from stationmaster import ids
from stationmaster.access import audit, service
from stationmaster.access.authenticate import authenticate
from stationmaster.access.model import (
    Caller,
    Member,
    Principal,
    Role,
    Scope,
    ServiceAccount,
    ServiceRole,
)
from stationmaster.access.signing_in import passwords
from stationmaster.db.engine import Database
from stationmaster.events.model import Event, event_id
from stationmaster.ids import OrgId
from stationmaster.lake.rollups.sessions import SessionDay

_numbers = count(1)


def an_organization(db: Database, name: str = "Acme") -> OrgId:
    return service.create_organization(db, name)


def a_member(
    db: Database, org: OrgId, email: str = "ada@example.com", role: Role = "member"
) -> Member:
    return service.add_member(db, org, email, role)


def an_invited(
    db: Database, org: OrgId, email: str = "ada@example.com", role: Role = "member"
) -> tuple[Member, str]:
    """A person who has not joined yet, and the text of the invitation."""
    member, link = service.invite_member(db, org, email, role, by=None)
    return member, link.reveal()


def a_service_account(
    db: Database, org: OrgId, name: str = "nightly", role: ServiceRole = "member"
) -> ServiceAccount:
    return service.create_service_account(db, org, name, role)


def a_key(
    db: Database, org: OrgId, principal: Principal, scope: Scope = "full", *, name: str = "test"
) -> str:
    """The text of a new key."""
    _, secret = service.create_key(db, org, principal, name=name, scope=scope)
    return secret.reveal()


def a_caller(db: Database, org: OrgId, principal: Principal) -> Caller:
    """The principal as one who makes a request."""
    return authenticate(db, a_key(db, org, principal))


def a_password(db: Database, org: OrgId, member: Member, password: str) -> None:
    hashed, by = passwords.hash_of(password, member.email), a_caller(db, org, member)
    with db.transaction() as connection:
        passwords.replace(connection, org, member.user_id, hashed, by=by)


def audited(db: Database, org: OrgId, event_type: str) -> audit.AuditRecord:
    """The one record of a kind in an organization's audit log."""
    records = audit.page(db, org, limit=100)
    [found] = [record for record in records if record.event_type == event_type]
    return found


def an_event(**fields: Any) -> Event:
    """A model call of Claude Code in session s1 on 2026-11-20 at noon, unless told otherwise."""
    quiet = {
        "event_id": f"{next(_numbers):032x}",
        "kind": "model_call",
        "ts": 1_795_176_000_000,
        "product": "claude-code",
        "source": "otlp_logs",
        "session_id": "s1",
        "root_session_id": fields.get("session_id", "s1"),
    }
    return Event(**(quiet | fields))


def a_sent_event(name: str, day: date) -> dict[str, Any]:
    """As a sender posts it: a model call of one input token at noon, so that a report's sum is the
    number of events. What stands before the first hyphen of its name is its session.
    """
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    session = name.split("-")[0]
    return {
        "event_id": event_id("claude-code", "model_call", name),
        "kind": "model_call",
        "ts": int(noon.timestamp() * 1000),
        "product": "claude-code",
        "source": "transcript",
        "session_id": session,
        "root_session_id": session,
        "model": "claude-sonnet-4-5",
        "input_tokens": 1,
        "output_tokens": 0,
    }


def a_readiness_report(**members: Any) -> dict[str, Any]:
    """The body of an upload: a repository with two criteria, unless told otherwise."""
    quiet: dict[str, Any] = {
        "repoUrl": "https://git.example/acme/shop",
        "apps": {".": {"description": "The shop."}},
        "report": {
            "readme": {"numerator": 1, "denominator": 1, "rationale": "README.md says enough."},
            "lint_config": {"numerator": 0, "denominator": 1, "rationale": "No linter found."},
        },
    }
    return quiet | members


def a_session(org: OrgId, agent_session_id: str = "s1", **fields: Any) -> SessionDay:
    """The stored row of a session of somebody whom only telemetry names."""
    figures: dict[str, Any] = {
        name: 0
        for name in SessionDay._fields
        if name not in ("amount", "branch", "machine", "models", "tools", "user_email")
    }
    texts = {
        "session_id": ids.session_of(org, "claude-code", agent_session_id),
        "agent_session_id": agent_session_id,
        "agent": "claude-code",
        "client": "terminal-ui",
        "user_id": "user_somebody",
        "team": "unknown",
        "repository": "unknown",
        "sources": "otlp_logs",
    }
    unknown = {"branch": None, "machine": None, "user_email": None}
    rest = {"amount": "0", "models": "[]", "tools": "[]"}
    return SessionDay(**(figures | texts | unknown | rest | fields))

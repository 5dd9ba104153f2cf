"""Which computers a caller may see: one's own, and for managers and owners those of service
accounts. Every operation on computers, and the relay, calls this; a look-up is one statement on an
index."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec

from stationmaster.access.model import Caller
from stationmaster.computers.model import Computer, CopySource, SetupStep, StatusChange, Template
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId

_JSON: dict[str, Any] = {
    "cloned_repo_directories": tuple[str, ...],
    "provisioning_steps": tuple[SetupStep, ...],
    "source": Template | CopySource,
}
"""Columns that hold JSON, with its type."""
_OWN = f"""
SELECT {", ".join(Computer.__struct_fields__)}, removed_at
FROM computers
WHERE org_id = ? AND owner_kind = ? AND owner_id = ?
"""
_OWN_AND_SERVICE_ACCOUNTS = _OWN.replace(
    "owner_kind = ? AND owner_id = ?",
    "((owner_kind = ? AND owner_id = ?) OR owner_kind = 'service')",
)
_REMOVED = "SELECT 1 FROM computers WHERE computer_id = ? AND removed_at IS NOT NULL"
CHANGES_MAX = 200
_HISTORY = """
SELECT created_at, from_status, to_status, cause, actor_id FROM computer_events
WHERE org_id = ? AND computer_id = ? ORDER BY event_id DESC LIMIT ?
"""


def seen_by(
    db: Database, caller: Caller, *, name: str | None = None, host_id: str | None = None
) -> list[Computer]:
    """The computers that the caller may see, newest first; those of a name or a host, if given."""
    sql, parameters = _visible_to(caller)
    sql += " AND removed_at IS NULL"
    for column, value in (("name", name), ("host_id", host_id)):
        if value is not None:
            sql, parameters = f"{sql} AND {column} = ?", (*parameters, value)
    rows = db.rows(f"{sql} ORDER BY created_at DESC, computer_id DESC", *parameters)
    return [computer_of(row) for row in rows]


def one_seen_by(db: Database, caller: Caller, computer_id: str) -> tuple[Computer, bool] | None:
    """A computer that the caller may see, and whether it was removed."""
    sql, parameters = _visible_to(caller)
    rows = db.rows(f"{sql} AND computer_id = ?", *parameters, computer_id)
    return (computer_of(rows[0]), rows[0][-1] is not None) if rows else None


def history(db: Database, org: OrgId, computer_id: str) -> list[StatusChange]:
    """The newest changes of a computer's state, newest first."""
    return [StatusChange(*row) for row in db.rows(_HISTORY, org, computer_id, CHANGES_MAX)]


def removed(db: Database, computer_ids: Collection[str]) -> list[str]:
    """Those of some computers, of any organization, that were removed."""
    return [computer_id for computer_id in computer_ids if db.rows(_REMOVED, computer_id)]


def _visible_to(caller: Caller) -> tuple[str, tuple[Any, ...]]:
    """One's own; managers and owners, as people, also see those of service accounts."""
    manages = caller.principal_kind == "human" and caller.role in ("manager", "owner")
    own = (caller.org_id, caller.principal_kind, caller.principal_id)
    return _OWN_AND_SERVICE_ACCOUNTS if manages else _OWN, own


def computer_of(row: tuple[Any, ...]) -> Computer:
    """A computer from its columns, which are first in a row."""
    fields = dict(zip(Computer.__struct_fields__, row, strict=False))
    for name, kind in _JSON.items():
        if fields[name] is not None:
            fields[name] = msgspec.json.decode(fields[name], type=kind)
    return Computer(**fields)

"""Which computers are connected, since when, and by which process of the relay."""

from __future__ import annotations

import hmac
from collections.abc import Collection
from typing import Literal, NamedTuple

import msgspec
from sqlalchemy import select, update

from stationmaster import clock
from stationmaster.access.model import hash_of
from stationmaster.computers import model
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import computer_presence as table, computers
from stationmaster.errors import Conflict, Gone, Unauthorized
from stationmaster.ids import OrgId
from stationmaster.relay_messages import HOST_KEYS_MAX, Hello

SEEN_S = 15.0
"""How often a process notes which computers it holds."""
STALE_MS = 60_000
"""A computer of which nothing was noted for so long has lost its process."""
_CREDENTIAL = """
SELECT org_id, credential_hash, removed_at FROM computers WHERE computer_id = ?
"""
_PRESENCE = """
SELECT process, since, last_seen_at, agent_version, host_keys, new_host_keys, agents
FROM computer_presence WHERE org_id = ? AND computer_id = ?
"""
_STATES = """
SELECT computer_id, process, last_seen_at FROM computer_presence WHERE org_id = ?
"""


class Presence(NamedTuple):
    """Of one computer. Times are UTC milliseconds; `process` is None while it is offline, `agents`
    are the coding agents that it allows."""

    process: str | None
    since: int
    last_seen_at: int
    agent_version: str
    host_keys: tuple[str, ...]
    new_host_keys: tuple[str, ...]
    agents: tuple[str, ...]

    @property
    def state(self) -> Literal["online", "offline"]:
        return "offline" if self.process is None else "online"


def authenticate(db: Database, computer_id: str, credential: str) -> OrgId:
    """The organization of the computer that a machine's credential opens.

    Raises Gone when that computer was removed, and Unauthorized.
    """
    rows = db.rows(_CREDENTIAL, computer_id)
    if rows and rows[0][2] is not None:
        raise Gone("This computer was removed.", code="computer_removed")
    stored = rows[0][1] if rows else None
    if stored is None or not hmac.compare_digest(stored, hash_of(credential)):
        raise Unauthorized("The credential of this machine is not valid.")
    return OrgId(rows[0][0])


def came(db: Database, org: OrgId, computer_id: str, hello: Hello, process: str) -> None:
    """Store that a process holds the control socket of a computer, and what its agent reports.

    The first host keys are trusted; other ones later wait for the owner. Raises Conflict
    (`disk_copied`) for another machine than the one that was registered.
    """
    now = clock.now_ms()
    shown = msgspec.json.encode(sorted(hello.ssh_host_keys)[:HOST_KEYS_MAX]).decode()
    with db.transaction() as connection:
        query = select(computers.c.host_id, computers.c.machine_hash).filter_by(
            org_id=org, computer_id=computer_id
        )
        host_id, machine_hash = connection.execute(query).one()
        is_other = None not in (machine_hash, hello.machine_hash)
        if hello.host_id != host_id or (is_other and machine_hash != hello.machine_hash):
            raise Conflict(
                "Another machine is registered as this computer: this disk was copied. "
                "Run `stationmaster computers remove`, then register.",
                code="disk_copied",
            )
        reported = {
            "process": process,
            "since": now,
            "last_seen_at": now,
            "agent_version": hello.agent_version[:50],
            "agents": msgspec.json.encode(hello.shown_agents).decode(),
        }
        where = {"org_id": org, "computer_id": computer_id}
        added = db.insert(table).values(**where, **reported, host_keys=shown)
        connection.execute(
            added.on_conflict_do_update(index_elements=["org_id", "computer_id"], set_=reported)
        )
        is_same = table.c.host_keys == shown
        this = (table.c.org_id == org, table.c.computer_id == computer_id)
        connection.execute(update(table).where(*this, is_same).values(new_host_keys=None))
        connection.execute(update(table).where(*this, ~is_same).values(new_host_keys=shown))
        connection.execute(
            update(computers)
            .filter_by(org_id=org, computer_id=computer_id)
            .values(
                hostname=model.hostname_of(hello.hostname),
                remote_user=model.user_of(hello.remote_user),
            )
        )


def seen(db: Database, process: str, computer_ids: Collection[str]) -> None:
    """Store that a process still holds the control sockets of these computers."""
    with db.transaction() as connection:
        connection.execute(
            update(table)
            .where(table.c.process == process, table.c.computer_id.in_(sorted(computer_ids)))
            .values(last_seen_at=clock.now_ms())
        )


def left(db: Database, org: OrgId, computer_id: str, process: str) -> None:
    """Store that a process has lost a computer; nothing where another process has it by now."""
    now = clock.now_ms()
    with db.transaction() as connection:
        connection.execute(
            update(table)
            .filter_by(org_id=org, computer_id=computer_id, process=process)
            .values(process=None, since=now, last_seen_at=now)
        )


def of(db: Database, org: OrgId, computer_id: str) -> Presence | None:
    """The presence of a computer; None where its agent was never there."""
    rows = db.rows(_PRESENCE, org, computer_id)
    if not rows:
        return None
    process, since, last_seen_at, version, host_keys, new_host_keys, agents = rows[0]
    is_stale = clock.now_ms() - last_seen_at > STALE_MS
    return Presence(
        None if is_stale else process,
        last_seen_at if is_stale and process is not None else since,
        last_seen_at,
        version,
        tuple(msgspec.json.decode(host_keys)),
        tuple(msgspec.json.decode(new_host_keys or "[]")),
        tuple(msgspec.json.decode(agents or "[]")),
    )


def online(db: Database, org: OrgId) -> set[str]:
    """The ids of the computers of an organization that are connected now."""
    oldest = clock.now_ms() - STALE_MS
    return {
        computer_id
        for computer_id, process, last_seen_at in db.rows(_STATES, org)
        if process is not None and last_seen_at >= oldest
    }

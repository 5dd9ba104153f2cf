"""The tables of the room `computers`."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from stationmaster.db.columns import Big, blobs, keys, numbers, texts
from stationmaster.db.tables.base import metadata

# A removed computer keeps its row, so that its id is never given again. `provisioning_steps`,
# `cloned_repo_directories` and `source` are JSON.
computers = Table(
    "computers",
    metadata,
    *keys("org_id", "computer_id"),
    *texts("name", "owner_kind", "owner_id", "provider", "status"),
    *numbers("created_at"),
    *numbers("removed_at", nullable=True),
    *texts("remote_user", "host_id", "machine_hash", "credential_hash", "hostname", nullable=True),
    *texts("cloned_repo_directories", "provisioning_steps"),
    *texts("source", nullable=True),
)
_is_living = computers.c.removed_at.is_(None)
Index(
    "computers_by_name",
    computers.c.org_id,
    computers.c.name,
    computers.c.owner_id,
    unique=True,
    sqlite_where=_is_living,
    postgresql_where=_is_living,
)
Index(
    "computers_by_host",
    computers.c.org_id,
    computers.c.host_id,
    unique=True,
    sqlite_where=_is_living,
    postgresql_where=_is_living,
)
Index(
    "computers_by_owner",
    computers.c.org_id,
    computers.c.owner_kind,
    computers.c.owner_id,
    sqlite_where=_is_living,
    postgresql_where=_is_living,
)

# A machine that waits until somebody types the code that it shows; it belongs to no organization
# yet. `registration` is JSON, as the machine describes itself.
computer_pairings = Table(
    "computer_pairings",
    metadata,
    *keys("code_hash"),
    Column("credential_hash", Text, nullable=False, unique=True),
    *texts("registration"),
    *numbers("expires_at"),
)

# What a computer's agent said last. `process` holds its control socket and is null once the agent
# has left; `host_keys` are the SSH keys of the machine that its owner trusts and `new_host_keys`
# others that it has shown since; `agents` are the coding agents that it allows. All three are JSON.
computer_presence = Table(
    "computer_presence",
    metadata,
    *keys("org_id", "computer_id"),
    *texts("process", nullable=True),
    *numbers("since", "last_seen_at"),
    *texts("agent_version", "host_keys"),
    *texts("new_host_keys", "agents", nullable=True),
)

# Every change of a computer's state. `from_status` is null at its beginning, `to_status` is
# "removed" at its end. `event_id` sorts by time.
computer_events = Table(
    "computer_events",
    metadata,
    *keys("org_id", "computer_id", "event_id"),
    *numbers("created_at"),
    *texts("from_status", nullable=True),
    *texts("to_status", "cause", "actor_id"),
)

# Sessions of coding agents on computers: who started which, how it stands, and counts of what
# passed. What passed is stored nowhere.
computer_sessions = Table(
    "computer_sessions",
    metadata,
    *keys("org_id", "session_id"),
    *texts("computer_id", "agent", "started_by", "state"),
    *texts("reason", nullable=True),
    *numbers("created_at", "changed_at"),
    *numbers("ended_at", nullable=True),
    Column("prompts", Big, nullable=False, server_default="0"),
    Column("permissions", Big, nullable=False, server_default="0"),
    Column("updates", Big, nullable=False, server_default="0"),
)
Index(
    "computer_sessions_by_computer",
    computer_sessions.c.org_id,
    computer_sessions.c.computer_id,
    computer_sessions.c.session_id,
)

# What opens the stream of one session for a page, once and for seconds.
session_tickets = Table(
    "session_tickets",
    metadata,
    *keys("org_id", "ticket_hash"),
    *texts("principal_id", "session_id"),
    *numbers("expires_at"),
)

# What a managed computer is made of, and how it is wanted. Kept until its machine is ended, also
# where the computer itself was erased with its owner. `repos` is JSON.
managed_computers = Table(
    "managed_computers",
    metadata,
    *keys("org_id", "computer_id"),
    *texts("template", "account"),
    *texts("reference", "agent", nullable=True),
    *texts("repos", "power"),
    *numbers("deadline_at", "last_active_at"),
    *texts("failure", nullable=True),
    *numbers("failed_at", nullable=True),
)

# The end of what a step of setting a computer up printed, without secrets.
computer_step_logs = Table(
    "computer_step_logs",
    metadata,
    *keys("org_id", "computer_id", "step_id"),
    *texts("content"),
    *numbers("updated_at"),
)

# Sums over the samples of five minutes, which begin at `began_at`; `cpu` is in thousandths of a per
# cent.
computer_metrics = Table(
    "computer_metrics",
    metadata,
    *keys("org_id", "computer_id"),
    Column("began_at", Big, primary_key=True),
    *numbers("samples", "cpu", "cpu_count", "mem_used", "mem_total", "disk_used", "disk_total"),
)

# Whose computers may not be reached from elsewhere: of nobody in the organization where
# `principal_id` is empty.
remote_access_off = Table(
    "remote_access_off",
    metadata,
    *keys("org_id", "principal_id"),
    *numbers("changed_at"),
    *texts("changed_by"),
)

computer_secrets = Table(
    "computer_secrets",
    metadata,
    *keys("org_id", "name"),
    *blobs("sealed"),
    *numbers("updated_at"),
)

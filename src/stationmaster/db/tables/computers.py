"""The tables of the room `computers`."""

from __future__ import annotations

from sqlalchemy import Column, Index, LargeBinary, Table, Text

from stationmaster.db.tables.base import Big, metadata

# A removed computer keeps its row, so that its id is never given again. `provisioning_steps`,
# `cloned_repo_directories` and `source` are JSON.
computers = Table(
    "computers",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("owner_kind", Text, nullable=False),
    Column("owner_id", Text, nullable=False),
    Column("provider", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("removed_at", Big),
    Column("remote_user", Text),
    Column("host_id", Text),
    Column("machine_hash", Text),
    Column("credential_hash", Text),
    Column("hostname", Text),
    Column("cloned_repo_directories", Text, nullable=False),
    Column("provisioning_steps", Text, nullable=False),
    Column("source", Text),
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
    Column("code_hash", Text, primary_key=True),
    Column("credential_hash", Text, nullable=False, unique=True),
    Column("registration", Text, nullable=False),
    Column("expires_at", Big, nullable=False),
)

# What a computer's agent said last. `process` holds its control socket and is null once the agent
# has left; `host_keys` are the SSH keys of the machine that its owner trusts and `new_host_keys`
# others that it has shown since; `agents` are the coding agents that it allows. All three are JSON.
computer_presence = Table(
    "computer_presence",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("process", Text),
    Column("since", Big, nullable=False),
    Column("last_seen_at", Big, nullable=False),
    Column("agent_version", Text, nullable=False),
    Column("host_keys", Text, nullable=False),
    Column("new_host_keys", Text),
    Column("agents", Text),
)

# Every change of a computer's state. `from_status` is null at its beginning, `to_status` is
# "removed" at its end. `event_id` sorts by time.
computer_events = Table(
    "computer_events",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),
    Column("created_at", Big, nullable=False),
    Column("from_status", Text),
    Column("to_status", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("actor_id", Text, nullable=False),
)

# Sessions of coding agents on computers: who started which, how it stands, and counts of what
# passed. What passed is stored nowhere.
computer_sessions = Table(
    "computer_sessions",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("computer_id", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("started_by", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("created_at", Big, nullable=False),
    Column("changed_at", Big, nullable=False),
    Column("ended_at", Big),
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
    Column("org_id", Text, primary_key=True),
    Column("ticket_hash", Text, primary_key=True),
    Column("principal_id", Text, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("expires_at", Big, nullable=False),
)

# What a managed computer is made of, and how it is wanted. Kept until its machine is ended, also
# where the computer itself was erased with its owner. `repos` is JSON.
managed_computers = Table(
    "managed_computers",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("template", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("reference", Text),
    Column("agent", Text),
    Column("repos", Text, nullable=False),
    Column("power", Text, nullable=False),
    Column("deadline_at", Big, nullable=False),
    Column("last_active_at", Big, nullable=False),
    Column("failure", Text),
    Column("failed_at", Big),
)

# The end of what a step of setting a computer up printed, without secrets.
computer_step_logs = Table(
    "computer_step_logs",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("step_id", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("updated_at", Big, nullable=False),
)

# Sums over the samples of five minutes, which begin at `began_at`; `cpu` is in thousandths of a per
# cent.
computer_metrics = Table(
    "computer_metrics",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("computer_id", Text, primary_key=True),
    Column("began_at", Big, primary_key=True),
    Column("samples", Big, nullable=False),
    Column("cpu", Big, nullable=False),
    Column("cpu_count", Big, nullable=False),
    Column("mem_used", Big, nullable=False),
    Column("mem_total", Big, nullable=False),
    Column("disk_used", Big, nullable=False),
    Column("disk_total", Big, nullable=False),
)

# Whose computers may not be reached from elsewhere: of nobody in the organization where
# `principal_id` is empty.
remote_access_off = Table(
    "remote_access_off",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("principal_id", Text, primary_key=True),
    Column("changed_at", Big, nullable=False),
    Column("changed_by", Text, nullable=False),
)

computer_secrets = Table(
    "computer_secrets",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("updated_at", Big, nullable=False),
)

"""The tables of the room `computers`."""

from __future__ import annotations

from sqlalchemy import Column, Index, Text

from stationmaster.db.columns import Big, blobs, keys, numbers, texts
from stationmaster.db.tables.base import partial_index, table

_LIVING = "removed_at IS NULL"

# A removed computer keeps its row, so that its id is never given again. `provisioning_steps`,
# `cloned_repo_directories` and `source` are JSON.
computers = table(
    "computers",
    *keys("org_id", "computer_id"),
    *texts("name", "owner_kind", "owner_id", "provider", "status"),
    *numbers("created_at"),
    *numbers("removed_at", nullable=True),
    *texts("remote_user", "host_id", "machine_hash", "credential_hash", "hostname", nullable=True),
    *texts("cloned_repo_directories", "provisioning_steps"),
    *texts("source", nullable=True),
    partial_index("computers_by_name", "org_id", "name", "owner_id", where=_LIVING, unique=True),
    partial_index("computers_by_host", "org_id", "host_id", where=_LIVING, unique=True),
    partial_index("computers_by_owner", "org_id", "owner_kind", "owner_id", where=_LIVING),
)

# A machine that waits until a person types the code that it shows; it belongs to no organization
# yet. `registration` is JSON, as the machine describes itself.
computer_pairings = table(
    "computer_pairings",
    *keys("code_hash"),
    Column("credential_hash", Text, nullable=False, unique=True),
    *texts("registration"),
    *numbers("expires_at"),
)

# What a computer's agent reported last. `process` holds its control socket and is null once the
# agent has left; `host_keys` are the SSH keys of the machine that its owner trusts and
# `new_host_keys` others that it has shown since; `agents` are the coding agents that it allows. All
# three are JSON.
computer_presence = table(
    "computer_presence",
    *keys("org_id", "computer_id"),
    *texts("process", nullable=True),
    *numbers("since", "last_seen_at"),
    *texts("agent_version", "host_keys"),
    *texts("new_host_keys", "agents", nullable=True),
)

# Every change of a computer's state. `from_status` is null at its beginning, `to_status` is
# "removed" at its end. `event_id` sorts by time.
computer_events = table(
    "computer_events",
    *keys("org_id", "computer_id", "event_id"),
    *numbers("created_at"),
    *texts("from_status", nullable=True),
    *texts("to_status", "cause", "actor_id"),
)

# Sessions of coding agents on computers: who started which, its state, and counts of what
# passed. What passed is stored nowhere.
computer_sessions = table(
    "computer_sessions",
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
session_tickets = table(
    "session_tickets",
    *keys("org_id", "ticket_hash"),
    *texts("principal_id", "session_id"),
    *numbers("expires_at"),
)

# What a managed computer is made of, and how it is wanted. Kept until its machine is ended, also
# where the computer itself was erased with its owner. `repos` is JSON.
managed_computers = table(
    "managed_computers",
    *keys("org_id", "computer_id"),
    *texts("template", "account"),
    *texts("reference", "agent", nullable=True),
    *texts("repos", "power"),
    *numbers("deadline_at", "last_active_at"),
    *texts("failure", nullable=True),
    *numbers("failed_at", nullable=True),
)

# The end of what a step of setting a computer up printed, without secrets.
computer_step_logs = table(
    "computer_step_logs",
    *keys("org_id", "computer_id", "step_id"),
    *texts("content"),
    *numbers("updated_at"),
)

# Sums over the samples of five minutes, which begin at `began_at`; `cpu` is in thousandths of a per
# cent.
computer_metrics = table(
    "computer_metrics",
    *keys("org_id", "computer_id"),
    Column("began_at", Big, primary_key=True),
    *numbers("samples", "cpu", "cpu_count", "mem_used", "mem_total", "disk_used", "disk_total"),
)

# Whose computers may not be reached from elsewhere: all of the organization where `principal_id` is
# empty.
remote_access_off = table(
    "remote_access_off",
    *keys("org_id", "principal_id"),
    *numbers("changed_at"),
    *texts("changed_by"),
)

computer_secrets = table(
    "computer_secrets",
    *keys("org_id", "name"),
    *blobs("sealed"),
    *numbers("updated_at"),
)

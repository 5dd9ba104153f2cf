"""Sessions of agents as they are listed: a row for each day on which one was at work."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from stationmaster.db.tables.base import Big, metadata

# `session_id` is ours, the same on every day; `agent_session_id` is what the agent calls it.
# `repository` and `team` are those in which the day's part began, `branch` is the last one;
# `sources` are joined with commas. `amount` is 10⁻¹² dollars as decimal digits, because a day may
# come to more than 64 bits hold. `models` and `tools` are JSON, see rollups/sessions.py.
agent_sessions = Table(
    "agent_sessions",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    Column("agent_session_id", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("client", Text, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("user_email", Text),
    Column("team", Text, nullable=False),
    Column("repository", Text, nullable=False),
    Column("branch", Text),
    Column("machine", Text),
    Column("sources", Text, nullable=False),
    Column("started_at", Big, nullable=False),
    Column("ended_at", Big, nullable=False),
    Column("user_messages", Big, nullable=False),
    Column("model_calls", Big, nullable=False),
    Column("unpriced_calls", Big, nullable=False),
    Column("model_errors", Big, nullable=False),
    Column("tool_calls", Big, nullable=False),
    Column("failed_tool_calls", Big, nullable=False),
    Column("refused_tool_calls", Big, nullable=False),
    Column("files_changed", Big, nullable=False),
    Column("lines_added", Big, nullable=False),
    Column("lines_removed", Big, nullable=False),
    Column("git_commits", Big, nullable=False),
    Column("git_prs_created", Big, nullable=False),
    Column("billable_tokens", Big, nullable=False),
    Column("input_tokens", Big, nullable=False),
    Column("output_tokens", Big, nullable=False),
    Column("cache_read_tokens", Big, nullable=False),
    Column("cache_write_tokens", Big, nullable=False),
    Column("amount", Text, nullable=False),
    Column("models", Text, nullable=False),
    Column("tools", Text, nullable=False),
    Index("agent_sessions_by_time", "org_id", "ended_at", "session_id"),
    Index("agent_sessions_by_user", "org_id", "user_id", "ended_at", "session_id"),
    Index("agent_sessions_by_repository", "org_id", "repository", "ended_at", "session_id"),
    Index("agent_sessions_by_agent", "org_id", "agent", "ended_at", "session_id"),
    Index("agent_sessions_by_day", "org_id", "day"),
    sqlite_with_rowid=False,
)

# Which models a session called on a day, in the order in which sessions are listed.
agent_session_models = Table(
    "agent_session_models",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("ended_at", Big, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("day", Text, primary_key=True),
    sqlite_with_rowid=False,
)

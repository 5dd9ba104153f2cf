"""Sessions of agents as they are listed: a row for each day on which one was at work."""

from __future__ import annotations

from sqlalchemy import Column, Index

from stationmaster.db.columns import Big, keys, numbers, texts
from stationmaster.db.tables.base import table

# `session_id` is ours, the same on every day; `agent_session_id` is what the agent calls it.
# `repository` and `team` are those in which the day's part began, `branch` is the last one;
# `sources` are joined with commas. `amount` is 10⁻¹² dollars as decimal digits, because a day may
# exceed 64 bits. `models` and `tools` are JSON, see rollups/sessions.py.
agent_sessions = table(
    "agent_sessions",
    *keys("org_id", "session_id", "day"),
    *texts("agent_session_id", "agent", "client", "user_id"),
    *texts("user_email", nullable=True),
    *texts("team", "repository"),
    *texts("branch", "machine", nullable=True),
    *texts("sources"),
    *numbers("started_at", "ended_at", "user_messages", "model_calls", "unpriced_calls"),
    *numbers("model_errors", "tool_calls", "failed_tool_calls", "refused_tool_calls"),
    *numbers("files_changed", "lines_added", "lines_removed", "git_commits", "git_prs_created"),
    *numbers("billable_tokens", "input_tokens", "output_tokens", "cache_read_tokens"),
    *numbers("cache_write_tokens"),
    *texts("amount", "models", "tools"),
    Index("agent_sessions_by_time", "org_id", "ended_at", "session_id"),
    Index("agent_sessions_by_user", "org_id", "user_id", "ended_at", "session_id"),
    Index("agent_sessions_by_repository", "org_id", "repository", "ended_at", "session_id"),
    Index("agent_sessions_by_agent", "org_id", "agent", "ended_at", "session_id"),
    Index("agent_sessions_by_day", "org_id", "day"),
    sqlite_with_rowid=False,
)

# Which models a session called on a day, in the order in which sessions are listed.
agent_session_models = table(
    "agent_session_models",
    *keys("org_id", "model"),
    Column("ended_at", Big, primary_key=True),
    *keys("session_id", "day"),
    sqlite_with_rowid=False,
)

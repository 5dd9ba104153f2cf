"""Sessions of agents, a row for each day on which one was at work."""

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import keys, numbers, texts

revision = "0028"
down_revision = "0027"
_FIGURES = (
    *("started_at", "ended_at", "user_messages", "model_calls", "unpriced_calls", "model_errors"),
    *("tool_calls", "failed_tool_calls", "refused_tool_calls", "files_changed", "lines_added"),
    *("lines_removed", "git_commits", "git_prs_created", "billable_tokens", "input_tokens"),
    *("output_tokens", "cache_read_tokens", "cache_write_tokens"),
)


def upgrade() -> None:
    """Create the tables of agents' sessions by day and of the models that they used."""
    op.create_table(
        "agent_sessions",
        *keys("org_id", "session_id", "day"),
        *texts("agent_session_id", "agent", "client", "user_id"),
        *texts("user_email", nullable=True),
        *texts("team", "repository"),
        *texts("branch", "machine", nullable=True),
        *texts("sources"),
        *numbers(*_FIGURES),
        *texts("amount", "models", "tools"),
        sqlite_with_rowid=False,
    )
    for name, *columns in (
        ("time",),
        ("user", "user_id"),
        ("repository", "repository"),
        ("agent", "agent"),
    ):
        op.create_index(
            f"agent_sessions_by_{name}",
            "agent_sessions",
            ["org_id", *columns, "ended_at", "session_id"],
        )
    op.create_index("agent_sessions_by_day", "agent_sessions", ["org_id", "day"])
    op.create_table(
        "agent_session_models",
        *texts("org_id", "model"),
        *numbers("ended_at"),
        *texts("session_id", "day"),
        sa.PrimaryKeyConstraint("org_id", "model", "ended_at", "session_id", "day"),
        sqlite_with_rowid=False,
    )

"""Credit limits, and each user's credits per day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from stationmaster.db.columns import Big, keys, numbers

revision = "0006"
down_revision = "0005"
_CREDITS = {
    "sqlite": "CAST(json_extract(CAST(d.body AS TEXT), '$.billable_tokens') AS INTEGER)",
    "postgresql": "CAST(convert_from(d.body, 'UTF8')::json ->> 'billable_tokens' AS BIGINT)",
}


def upgrade() -> None:
    """Create the tables of credit limits; add each user's credits of a day, from the documents."""
    op.create_table(
        "global_credit_limits",
        *keys("org_id"),
        *numbers("credits"),
    )
    op.create_table(
        "credit_limits",
        *keys("org_id", "principal_id"),
        *numbers("credits"),
        sqlite_with_rowid=False,
    )
    op.add_column(
        "active_users", sa.Column("billable_tokens", Big, nullable=False, server_default="0")
    )
    # The finished documents have the figure already, even of days whose events are gone.
    op.execute(
        f"UPDATE active_users SET billable_tokens = coalesce((SELECT "
        f"{_CREDITS[op.get_bind().dialect.name]} FROM user_documents AS d "
        "WHERE d.org_id = active_users.org_id AND d.user_id = active_users.user_id "
        "AND d.day = active_users.day), 0)"
    )
    op.drop_index("active_users_by_user", "active_users")
    op.create_index(
        "active_users_by_user", "active_users", ["org_id", "user_id", "day", "billable_tokens"]
    )

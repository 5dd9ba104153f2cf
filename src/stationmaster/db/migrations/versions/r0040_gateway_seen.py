"""When agents that name no session passed the gateway; one form of address in budgets of
repositories."""

import sqlalchemy as sa
from alembic import op

from stationmaster.agents.values import repository
from stationmaster.db.columns import Big

revision = "0040"
down_revision = "0039"

_REPOSITORIES = """
SELECT org_id, budget_id, scope_id, currency, period, starts_on, ends_on FROM budgets
WHERE scope_kind = 'repository' ORDER BY org_id, updated_at DESC, budget_id
"""
_RENAME = "UPDATE budgets SET scope_id = :scope_id WHERE org_id = :org_id AND budget_id = :id"
_REMOVE = "DELETE FROM budgets WHERE org_id = :org_id AND budget_id = :id"


def upgrade() -> None:
    """Add when agents passed the gateway; rename or remove budgets of repositories by address."""
    op.add_column(
        "gate_reports",
        sa.Column("passed_at", Big),
    )
    connection = op.get_bind()
    rows = connection.execute(sa.text(_REPOSITORIES)).all()
    taken = {(org, *rest) for org, _, *rest in rows if repository(rest[0]) == rest[0]}
    for org, budget, scope, *rest in rows:
        address = repository(scope)
        if address is None or address == scope:
            continue
        # Of several budgets of one repository the one that was in force stays, else the newest:
        # no call was counted by an address in another form than reports have.
        is_taken = (org, address, *rest) in taken
        taken.add((org, address, *rest))
        connection.execute(
            sa.text(_REMOVE if is_taken else _RENAME),
            {"org_id": org, "id": budget} | ({} if is_taken else {"scope_id": address}),
        )

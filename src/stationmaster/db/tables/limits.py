"""Budgets, what is used and held of them, and requests for more.

The two tables of credit limits are as versions left them that knew no budgets, and still read them.
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text, UniqueConstraint

from stationmaster.db.tables.base import Big, metadata

global_credit_limits = Table(
    "global_credit_limits",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("credits", Big, nullable=False),
)

# Of members by user id, of service accounts by theirs.
credit_limits = Table(
    "credit_limits",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("principal_id", Text, primary_key=True),
    Column("credits", Big, nullable=False),
    sqlite_with_rowid=False,
)

# `scope_id` is "" for the organization and for each user; `starts_on` and `ends_on` are "" where
# the period repeats. Amounts here and below are credits or 10⁻¹² dollars as decimal digits, because
# dollars may come to more than 64 bits hold. `models` is a JSON list.
budgets = Table(
    "budgets",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("budget_id", Text, primary_key=True),
    Column("scope_kind", Text, nullable=False),
    Column("scope_id", Text, nullable=False),
    Column("currency", Text, nullable=False),
    Column("period", Text, nullable=False),
    Column("starts_on", Text, nullable=False),
    Column("ends_on", Text, nullable=False),
    Column("amount", Text, nullable=False),
    Column("at_end", Text, nullable=False),
    Column("models", Text, nullable=False),
    Column("when_unreachable", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("updated_at", Big, nullable=False),
    UniqueConstraint(
        *("org_id", "scope_id", "scope_kind", "currency", "period", "starts_on", "ends_on")
    ),
    Index("budgets_by_kind", "org_id", "scope_kind"),
)

# What was spent of a budget in the period that began on a day; `subject` is the principal where the
# budget is one of each user, else "". `spent` is settled, `reported` is what telemetry reports
# beyond it. `streams_most` calls were open at once at most, and `tails_most` is the largest sum of
# what open calls could cost beyond their holds.
budget_use = Table(
    "budget_use",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("budget_id", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("period_start", Text, primary_key=True),
    Column("spent", Text, nullable=False),
    Column("reported", Text, nullable=False),
    Column("reported_at", Big, nullable=False),
    Column("streams_most", Big, nullable=False),
    Column("tails_most", Text, nullable=False),
    sqlite_with_rowid=False,
)

# One row for each budget that an open call falls under. `floor` is charged where the call never
# says what it cost, `tail` is what it may cost beyond `amount`. `is_hard` (0 or 1) says that the
# budget may refuse more of the call. `charged` is what was charged when the hold had expired; null
# while it is open.
budget_holds = Table(
    "budget_holds",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("budget_id", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("period_start", Text, primary_key=True),
    Column("hold_id", Text, primary_key=True),
    Column("amount", Big, nullable=False),
    Column("floor", Big, nullable=False),
    Column("tail", Big, nullable=False),
    Column("is_hard", Big, nullable=False),
    Column("charged", Big),
    Column("lives_ms", Big, nullable=False),
    Column("expires_at", Big, nullable=False),
    Column("owner", Text, nullable=False),
    Column("request_id", Text, nullable=False),
    Index("budget_holds_by_hold", "hold_id"),
    Index("budget_holds_by_expiry", "expires_at"),
    sqlite_with_rowid=False,
)

# What was asked for beyond a budget, and what became of it; `subject` as in `budget_use`. `asked`
# and `granted` are amounts. A granted one holds until `until`.
budget_requests = Table(
    "budget_requests",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("request_id", Text, primary_key=True),
    Column("budget_id", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("principal_id", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("asked", Text),
    Column("state", Text, nullable=False),
    Column("created_at", Big, nullable=False),
    Column("decided_at", Big),
    Column("decided_by", Text),
    Column("granted", Text),
    Column("until", Big),
    Index("budget_requests_by_budget", "org_id", "budget_id"),
    sqlite_with_rowid=False,
)

# Which agents of a principal asked with a gate, and when last (0: never); `passed_at` is when one
# passed the gateway, null: never.
gate_reports = Table(
    "gate_reports",
    metadata,
    Column("org_id", Text, primary_key=True),
    Column("principal_id", Text, primary_key=True),
    Column("agent", Text, primary_key=True),
    Column("seen_at", Big, nullable=False),
    Column("passed_at", Big),
    sqlite_with_rowid=False,
)

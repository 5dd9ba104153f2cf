"""Budgets, what is used and held of them, and requests for more.

The two tables of credit limits are as versions left them that knew no budgets, and still read them.
"""

from __future__ import annotations

from sqlalchemy import Index, UniqueConstraint

from stationmaster.db.columns import keys, numbers, texts
from stationmaster.db.tables.base import table

global_credit_limits = table(
    "global_credit_limits",
    *keys("org_id"),
    *numbers("credits"),
)

# Of members by user id, of service accounts by theirs.
credit_limits = table(
    "credit_limits",
    *keys("org_id", "principal_id"),
    *numbers("credits"),
    sqlite_with_rowid=False,
)

# `scope_id` is "" for the organization and for each user; `starts_on` and `ends_on` are "" where
# the period repeats. Amounts here and below are credits or 10⁻¹² dollars as decimal digits, because
# dollars may exceed 64 bits. `models` is a JSON list.
budgets = table(
    "budgets",
    *keys("org_id", "budget_id"),
    *texts("scope_kind", "scope_id", "currency", "period", "starts_on", "ends_on", "amount"),
    *texts("at_end", "models", "when_unreachable"),
    *numbers("created_at", "updated_at"),
    UniqueConstraint(
        *("org_id", "scope_id", "scope_kind", "currency", "period", "starts_on", "ends_on")
    ),
    Index("budgets_by_kind", "org_id", "scope_kind"),
)

# What was spent of a budget in the period that began on a day; `subject` is the principal where the
# budget is one of each user, else "". `spent` is settled, `reported` is what telemetry reports
# beyond it. `streams_most` calls were open at the same time at most, and `tails_most` is the
# largest sum of what open calls could cost beyond their holds.
budget_use = table(
    "budget_use",
    *keys("org_id", "budget_id", "subject", "period_start"),
    *texts("spent", "reported"),
    *numbers("reported_at", "streams_most"),
    *texts("tails_most"),
    sqlite_with_rowid=False,
)

# One row for each budget that an open call falls under. `floor` is charged where the call never
# reports its cost, `tail` is what it may cost beyond `amount`. `is_hard` (0 or 1): the
# budget may refuse more of the call. `charged` is what was charged when the hold had expired; null
# while it is open.
budget_holds = table(
    "budget_holds",
    *keys("org_id", "budget_id", "subject", "period_start", "hold_id"),
    *numbers("amount", "floor", "tail", "is_hard"),
    *numbers("charged", nullable=True),
    *numbers("lives_ms", "expires_at"),
    *texts("owner", "request_id"),
    Index("budget_holds_by_hold", "hold_id"),
    Index("budget_holds_by_expiry", "expires_at"),
    sqlite_with_rowid=False,
)

# What was asked for beyond a budget, and what became of it; `subject` as in `budget_use`. `asked`
# and `granted` are amounts. A granted one holds until `until`.
budget_requests = table(
    "budget_requests",
    *keys("org_id", "request_id"),
    *texts("budget_id", "subject", "principal_id", "reason"),
    *texts("asked", nullable=True),
    *texts("state"),
    *numbers("created_at"),
    *numbers("decided_at", nullable=True),
    *texts("decided_by", "granted", nullable=True),
    *numbers("until", nullable=True),
    Index("budget_requests_by_budget", "org_id", "budget_id"),
    sqlite_with_rowid=False,
)

# Which agents of a principal asked with a gate, and when last (0: never); `passed_at` is when one
# passed the gateway, null: never.
gate_reports = table(
    "gate_reports",
    *keys("org_id", "principal_id", "agent"),
    *numbers("seen_at"),
    *numbers("passed_at", nullable=True),
    sqlite_with_rowid=False,
)

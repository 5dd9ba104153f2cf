"""What budgets are called for people."""

from __future__ import annotations

from stationmaster.db.engine import Database
from stationmaster.limits.budgets import Budget

_EMAIL = "SELECT email FROM members WHERE org_id = ? AND user_id = ?"
_ACCOUNT = "SELECT name FROM service_accounts WHERE org_id = ? AND service_account_id = ?"
_KEY = "SELECT name FROM api_keys WHERE org_id = ? AND key_id = ?"


def of(db: Database, budget: Budget, subject: str = "") -> str:
    """Whose budget it is, as a person says it; `subject` is the principal of one for each user."""
    kind, scope_id = budget.scope
    if kind == "organization":
        return "the organization"
    if kind == "each-user":
        if not subject:
            return "each user"
        kind, scope_id = ("service-account" if subject.startswith("svc_") else "user"), subject
    if kind in ("user", "service-account", "key"):
        sql = {"user": _EMAIL, "service-account": _ACCOUNT, "key": _KEY}[kind]
        found = db.rows(sql, budget.org, scope_id)
        name = found[0][0] if found else scope_id
        return str(name) if kind == "user" else f"the {kind.replace('-', ' ')} {name}"
    return f"the {kind} {scope_id}"

"""What budgets are called for people."""

from __future__ import annotations

from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.limits.budgets.model import Budget

_EMAIL = "SELECT email FROM members WHERE org_id = ? AND user_id = ?"
_ACCOUNT = "SELECT name FROM service_accounts WHERE org_id = ? AND service_account_id = ?"
_KEY = "SELECT name FROM api_keys WHERE org_id = ? AND key_id = ?"


def of_principal(db: Database, org: OrgId, principal_id: str) -> str:
    """A person's e-mail, or `the service account NAME`."""
    is_program = principal_id.startswith("svc_")
    rows = db.rows(_ACCOUNT if is_program else _EMAIL, org, principal_id)
    name = str(rows[0][0]) if rows else principal_id
    return f"the service account {name}" if is_program else name


def of(db: Database, budget: Budget, subject: str = "") -> str:
    """Whose budget it is, as a person says it; `subject` is the principal of one for each user."""
    kind, scope_id = budget.scope
    if kind == "organization":
        return "the organization"
    if kind == "each-user":
        if not subject:
            return "each user"
        return of_principal(db, budget.org, subject)
    if kind in ("user", "service-account"):
        return of_principal(db, budget.org, scope_id)
    if kind == "key":
        rows = db.rows(_KEY, budget.org, scope_id)
        return f"the key {rows[0][0] if rows else scope_id}"
    return f"the {kind} {scope_id}"

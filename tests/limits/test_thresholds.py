"""Alerts about budgets, and that those about one person's use say no amounts."""

from __future__ import annotations

import pytest

from stationmaster.access import privacy
from stationmaster.access.model import PrivacyMode
from stationmaster.alerts import reading
from stationmaster.db.engine import Database
from stationmaster.limits import thresholds
from stationmaster.limits.budgets import ScopeKind
from stationmaster.pricing.credits.dollars import PER_DOLLAR
from tests.limits.cases import Ledger, a_budget, a_call, hold, usd
from tests.support.builders import a_caller, a_member, a_service_account, an_organization


@pytest.mark.parametrize("mode", ["pseudonymous", "named"])
@pytest.mark.parametrize("kind", ["user", "each-user", "key"])
def test_alerts_about_one_persons_budget_have_no_amounts(
    db: Database, kind: ScopeKind, mode: PrivacyMode
) -> None:
    """Also where people are shown by name: the mode may change after an alert was stored."""
    org = an_organization(db)
    boss = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    privacy.put(db, org, mode, None, by=boss)
    ada = a_member(db, org, "ada@example.com")
    key = a_caller(db, org, ada).key_id
    scope_id = {"user": ada.user_id, "key": key, "each-user": ""}[kind]
    a_budget(db, org, kind, scope_id, amount=123 * PER_DOLLAR)
    ledger = Ledger(db, 1)
    call = a_call(org, ada.user_id, key_id=key)
    ledger.settle(hold(ledger, call, usd(1)), usd(99))

    assert thresholds.raise_alerts(db, org, 1) >= 1
    privacy.put(db, org, "pseudonymous", None, by=boss)
    for alert in reading.page(db, boss, limit=9):
        text = f"{alert.title} {alert.body}"
        assert "a person" in text
        assert "$" not in text
        assert "99" not in text
        assert ("budgetId" in alert.alert.data) == (kind == "each-user")
        assert alert.alert.person_id == ada.user_id


def test_alerts_about_budgets_of_no_single_person_say_how_much(db: Database) -> None:
    org = an_organization(db)
    boss = a_caller(db, org, a_member(db, org, "boss@example.com", "owner"))
    program = a_service_account(db, org, "nightly")
    budget = a_budget(db, org, "service-account", program.service_account_id)
    ledger = Ledger(db, 1)
    call = a_call(org, program.service_account_id)
    ledger.settle(hold(ledger, call, usd(1)), usd(4.5))

    thresholds.raise_alerts(db, org, 1)
    alert = next(a for a in reading.page(db, boss, limit=9) if "%" in a.title)
    assert alert.title == "90 % of the budget of the service account nightly is used"
    assert "$4.50 of $5.00 are used." in alert.body
    assert alert.alert.data == {"threshold": 90, "budgetId": budget.id}

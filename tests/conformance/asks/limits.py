"""Requests about budgets."""

from __future__ import annotations

from dataclasses import replace

from stationmaster import ids
from stationmaster.limits import budget_requests
from stationmaster.limits.budgets import Budget
from tests.conformance.asks.ask import Ask, asks
from tests.conformance.asks.computers import _maker
from tests.conformance.conftest import House
from tests.limits.cases import a_budget
from tests.support.cast import Cast


@asks("PUT /api/v0/organization/usage/limits/users")
def _user_limits(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask(json={"users": [{"email": cast.people["member"].email, "limit": 1_000_000}]})


@asks("PUT /api/v0/organization/usage/limits/global")
def _global_limit(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"globalLimit": 1_000_000})


@asks("PUT /api/platform/v1/limits/service-accounts/{account_id}")
def _service_account_limit(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask({"account_id": cast.program.service_account_id}, json={"limit": 1_000_000})


@asks("PUT /api/platform/v1/limits/budgets")
def _new_budget(_house: House, _cast: Cast, _caller: str) -> Ask:
    return Ask(json={"scope": "organization", "amount": "5", "currency": "usd"})


@asks(
    "GET /api/platform/v1/limits/budgets/{budget_id}",
    "DELETE /api/platform/v1/limits/budgets/{budget_id}",
)
def _budget(_house: House, cast: Cast, _caller: str) -> Ask:
    return Ask({"budget_id": a_budget(cast.db, cast.org, "team", ids.new("team")).id})


@asks("PUT /api/platform/v1/limits/budgets/{budget_id}")
def _changed_budget(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_budget(house, cast, caller), json={"amount": "6", "atEnd": "refuse"})


def _budget_of_everybody(cast: Cast) -> Budget:
    """One that applies to whoever asks."""
    return a_budget(cast.db, cast.org, "model", ids.new("model"))


@asks("POST /api/platform/v1/limits/requests")
def _request_for_more(_house: House, cast: Cast, _caller: str) -> Ask:
    budget = _budget_of_everybody(cast).id
    return Ask(json={"budgetId": budget, "reason": "a migration"}, subject=budget)


@asks("POST /api/platform/v1/limits/requests/{request_id}/deny")
def _denied_request(_house: House, cast: Cast, caller: str) -> Ask:
    budget = _budget_of_everybody(cast)
    asked = budget_requests.ask(cast.db, _maker(cast, caller), budget, "a migration", None)
    return Ask({"request_id": asked.request_id}, json=None)


@asks("POST /api/platform/v1/limits/requests/{request_id}/approve")
def _approved_request(house: House, cast: Cast, caller: str) -> Ask:
    return replace(_denied_request(house, cast, caller), json={"amount": "1"})

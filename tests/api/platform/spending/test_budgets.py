"""Budgets over HTTP: setting them, who sees which, and asking for more."""

from __future__ import annotations

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.lake.rollups import sessions
from stationmaster.limits import thresholds
from stationmaster.limits.budgets import Cost
from tests.limits.cases import Ledger, a_call, hold, refused
from tests.spec import day
from tests.support.builders import a_key, a_member, a_service_account, a_session, an_event
from tests.support.servers import Server

LIMITS = "/api/platform/v1/limits"
DOLLAR = 10**12


@pytest.fixture
def acme(any_server: Server) -> day.Acme:
    clock.freeze(day.NOW)
    acme = day.Acme(any_server.services.db)
    with any_server.client(acme.key) as client:
        day.send(client, [*day.tuesday(), *day.thursday()])
    return acme


def test_a_budget_counts_what_telemetry_reports_and_what_the_gateway_settles_once(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    ada.get(LIMITS)  # Rolls up the closed days.
    body = {"scope": "user:ada@example.com", "amount": "1562", "currency": "credits"}
    answer = ada.put(f"{LIMITS}/budgets", json=body | {"period": "week"})
    assert answer.status_code == 200, answer.text
    budget = answer.json()
    # 1536 + 14 on Tuesday and 12 on Thursday, as the reports say.
    assert (budget["spent"], budget["remaining"], budget["state"]) == (1562, 0, "over")

    ledger = Ledger(any_server.services.db, 1)
    call = a_call(acme.org, acme.ada.user_id)
    ada.put(f"{LIMITS}/budgets/{budget['id']}", json={"amount": "1600", "atEnd": "refuse"})
    ledger.settle(hold(ledger, call, Cost(0, 30)), Cost(0, 20))
    message = refused(ledger, call, Cost(0, 30)).message

    [found] = ada.get(f"{LIMITS}/effective").json()["budgets"]
    assert (found["spent"], found["held"], found["remaining"]) == (1582, 0, 18)
    assert "1,582 credits of 1,600 credits used" in message


def test_published_limits_and_budgets_are_one(ada: httpx.Client) -> None:
    ada.put("/api/v0/organization/usage/limits/global", json={"globalLimit": 2_000_000})
    [budget] = ada.get(f"{LIMITS}/budgets").json()["budgets"]
    ada.put(f"{LIMITS}/budgets/{budget['id']}", json={"amount": "3000000", "atEnd": "refuse"})

    assert (budget["scope"]["kind"], budget["amount"], budget["atEnd"]) == (
        "each-user",
        2_000_000,
        "warn",
    )
    changed = ada.get("/api/v0/organization/usage/limits/global").json()
    assert changed == {"globalLimit": 3_000_000}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v0/organization/usage/limits/global", {"globalLimit": 999_999}),
        (f"{LIMITS}/budgets", {"scope": "each-user", "amount": "999999", "currency": "credits"}),
    ],
)
def test_an_amount_below_the_bound_is_refused_with_the_bound_in_credits_and_dollars(
    ada: httpx.Client, path: str, body: dict[str, object]
) -> None:
    answer = ada.put(path, json=body)

    assert answer.status_code == 400
    assert "1,000,000 credits (about $2.50)" in answer.text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"scope": "person:ada"}, "invalid_scope"),
        ({"scope": "user"}, "invalid_scope"),
        ({"amount": 5}, "invalid_amount"),
        ({"amount": "a lot"}, "invalid_amount"),
        ({"period": "dates"}, "invalid_period"),
        ({"atEnd": "allow-models"}, "invalid_models"),
        ({"models": ["claude-haiku-*"]}, "invalid_models"),
    ],
)
def test_a_budget_that_cannot_be_is_refused(
    ada: httpx.Client, body: dict[str, object], code: str
) -> None:
    usual: dict[str, object] = {"scope": "organization", "amount": "5", "currency": "usd"}

    answer = ada.put(f"{LIMITS}/budgets", json=usual | body)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (400, code)


def test_what_is_asked_for_and_granted_is_added_until_its_end(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    body = {"scope": "each-user", "amount": "5", "currency": "usd", "atEnd": "refuse"}
    budget = ada.put(f"{LIMITS}/budgets", json=body).json()["id"]
    bob = a_member(db, acme.org, "bob2@example.com")
    with any_server.client(a_key(db, acme.org, bob)) as member:
        sent = {"budgetId": budget, "reason": "a migration", "amount": "3"}
        asked = member.post(f"{LIMITS}/requests", json=sent).json()
        assert member.post(f"{LIMITS}/requests/{asked['id']}/deny").status_code == 403
        granted = ada.post(f"{LIMITS}/requests/{asked['id']}/approve", json={"amount": "2"})
        again = ada.post(f"{LIMITS}/requests/{asked['id']}/deny")
        [mine] = member.get(f"{LIMITS}/effective").json()["budgets"]

    assert (granted.json()["state"], again.status_code) == ("approved", 409)
    assert mine["amount"] == 7 * DOLLAR
    ledger = Ledger(db, 1)
    hold(ledger, a_call(acme.org, bob.user_id), Cost(7 * DOLLAR))
    refused(ledger, a_call(acme.org, "user_other"), Cost(6 * DOLLAR))
    kinds = {record.event_type for record in audit.page(db, acme.org, limit=50)}
    assert {"budget_change", "budget_request", "budget_request_approval"} <= kinds


def test_nobody_asks_for_more_of_a_budget_that_is_not_theirs(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    bob = a_member(db, acme.org, "bob2@example.com")
    bobs = a_key(db, acme.org, bob)
    [(key_id,)] = db.rows("SELECT key_id FROM api_keys WHERE principal_id = ?", bob.user_id)
    scopes = {
        "user:ada@example.com": 404,
        "team:compilers": 404,
        "agent:codex": 201,
        "model:claude-opus-*": 201,
        "repository:https://git.example.com/acme/shop": 201,
        "organization": 201,
        "user:bob2@example.com": 201,
        f"key:{key_id}": 201,
    }
    usual = {"currency": "usd", "amount": "5"}
    budgets = {
        scope: ada.put(f"{LIMITS}/budgets", json=usual | {"scope": scope}).json()["id"]
        for scope in scopes
    }
    with any_server.client(bobs) as member:
        answers = {
            scope: member.post(
                f"{LIMITS}/requests",
                # Not even what an amount of it would be is told of a budget of others.
                json={"budgetId": budget, "reason": "a migration", "amount": "0.5"},
            )
            for scope, budget in budgets.items()
        }
        unknown = member.post(
            f"{LIMITS}/requests", json={"budgetId": "budget_none", "reason": "a migration"}
        )

    assert {scope: answer.status_code for scope, answer in answers.items()} == scopes
    assert answers["team:compilers"].json() == unknown.json()


def test_a_machine_whose_key_may_only_send_asks_for_its_owner(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    body = {"scope": "each-user", "amount": "5", "currency": "usd", "atEnd": "refuse"}
    budget = ada.put(f"{LIMITS}/budgets", json=body).json()["id"]
    bob = a_member(db, acme.org, "bob2@example.com")
    with any_server.client(a_key(db, acme.org, bob, "ingest")) as machine:
        asked = machine.post(
            f"{LIMITS}/requests", json={"budgetId": budget, "reason": "a migration", "amount": "3"}
        )
        decided = machine.post(f"{LIMITS}/requests/{asked.json()['id']}/approve", json={})
        listed = machine.get(f"{LIMITS}/requests")

    assert (asked.status_code, asked.json()["principalId"]) == (201, bob.user_id)
    assert [decided.status_code, listed.status_code] == [403, 403]


def test_alerts_about_requests_say_of_which_budget_and_no_amounts(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    program = a_service_account(db, acme.org, "weekly")
    usual = {"currency": "usd", "amount": "5"}
    own, all_of_it = (
        ada.put(f"{LIMITS}/budgets", json=usual | {"scope": scope}).json()["id"]
        for scope in ("each-user", "organization")
    )
    bob = a_member(db, acme.org, "bob2@example.com")
    for principal, budget in ((bob, own), (bob, all_of_it), (program, own)):
        with any_server.client(a_key(db, acme.org, principal)) as client:
            sent = {"budgetId": budget, "reason": "a migration", "amount": "777"}
            asked = client.post(f"{LIMITS}/requests", json=sent).json()
        ada.post(f"{LIMITS}/requests/{asked['id']}/approve", json={"amount": "888"})
    listed = ada.get("/api/platform/v1/alerts?limit=50").json()["alerts"]
    about = [each for each in listed if each["kind"] in ("limit.request", "limit.decision")]

    assert {each["title"] for each in about} == {
        "bob2@example.com requests more of their budget",
        "bob2@example.com asked for more of their budget: approved",
        "bob2@example.com requests more of the budget of the organization",
        "bob2@example.com asked for more of the budget of the organization: approved",
        "The service account weekly requests more of the budget of the service account weekly",
        "The service account weekly asked for more of the budget of the service account weekly: "
        "approved",
    }
    # Ids are hexadecimal, and may have any three digits.
    for amount in (777, 888):
        assert f"${amount}" not in str(about)
        assert str(amount * 10**12) not in str(about)


def test_dates_to_come_alone_are_no_reason_to_count(ada: httpx.Client) -> None:
    dates = {"period": "dates", "startsOn": "2027-01-01", "endsOn": "2027-01-31"}
    body = {"scope": "organization", "amount": "5", "currency": "usd"} | dates

    answer = ada.put(f"{LIMITS}/budgets", json=body)

    assert (answer.status_code, answer.json()["spent"]) == (200, 0)


def test_budgets_of_repositories_apply_to_who_works_in_them(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    worked_in = "git.example.com/acme/shop"
    session = a_session(
        acme.org, user_id=acme.ada.user_id, repository=worked_in, ended_at=clock.now_ms()
    )
    with db.transaction() as connection:
        sessions.replace(connection, acme.org, clock.today(), [session])
    usual = {"currency": "usd", "amount": "5"}
    for name in ("ssh://git@git.example.com/Acme/Shop.git", "https://git.example.com/acme/tools"):
        ada.put(f"{LIMITS}/budgets", json=usual | {"scope": f"repository:{name}"})

    budgets = ada.get(f"{LIMITS}/effective").json()["budgets"]

    assert [budget["scope"]["id"] for budget in budgets] == [worked_in]


def test_what_is_used_in_a_repository_counts_towards_its_budget(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    repo = "git.example.com/acme/shop"
    events = [an_event(ts=day.TUESDAY, session_id="shop", repo=repo, output_tokens=1_000)]
    with any_server.client(acme.key) as client:
        day.send(client, events)
    ada.get(LIMITS)  # Rolls up the closed days.
    scope = "repository:https://git.example.com/acme/shop"
    body = {"scope": scope, "amount": "5000000", "currency": "credits", "period": "week"}

    answer = ada.put(f"{LIMITS}/budgets", json=body)

    assert answer.json()["spent"] > 0


def test_thresholds_are_raised_once_a_period_each(
    any_server: Server, acme: day.Acme, ada: httpx.Client
) -> None:
    db = any_server.services.db
    ada.put(f"{LIMITS}/budgets", json={"scope": "team:core", "amount": "10", "currency": "usd"})
    body = {"scope": "agent:codex", "amount": "10", "currency": "usd", "period": "day"}
    ada.put(f"{LIMITS}/budgets", json=body)
    ledger = Ledger(db, 1)
    call = a_call(acme.org, agent="codex")
    counts = []
    for dollars in (4, 2, 1, 2, 3):
        ledger.settle(hold(ledger, call, Cost(DOLLAR)), Cost(dollars * DOLLAR))
        counts.append(thresholds.raise_alerts(db, acme.org, 1))
        counts.append(thresholds.raise_alerts(db, acme.org, 1))

    rows = db.rows("SELECT title FROM alerts WHERE org_id = ? ORDER BY alert_id", acme.org)
    titles = [title for (title,) in rows]
    assert [t for t in titles if "%" in t] == [
        f"{n} % of the budget of the agent codex is used" for n in (50, 90, 100)
    ]
    assert sum(counts) == len(titles)


def test_a_key_for_telemetry_reads_the_budgets_of_its_owner_alone(
    any_server: Server, acme: day.Acme
) -> None:
    key = a_key(any_server.services.db, acme.org, acme.ada, "ingest")
    with any_server.client(key) as machine:
        own = machine.get(f"{LIMITS}/effective")
        named = machine.get(f"{LIMITS}/effective?user=ada@example.com")
        others = machine.get(f"{LIMITS}/budgets")
    assert (own.status_code, own.json()["principal"]["id"]) == (200, acme.ada.user_id)
    assert [named.status_code, others.status_code] == [403, 403]

"""Asking for more of a budget, and deciding on it, on pages."""

from __future__ import annotations

import re

import pytest

from stationmaster import clock, days
from stationmaster.access import privacy
from stationmaster.access.model import Role
from stationmaster.limits import budget_requests
from stationmaster.limits.budget_requests import BudgetRequest
from stationmaster.limits.budgets import Budget
from tests.limits.cases import Ledger, a_budget, a_call, hold, usd
from tests.spec import day
from tests.support.builders import a_caller, a_member, an_organization
from tests.web.conftest import Office

OWN = "/limits/own"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def _saturday() -> None:
    clock.freeze(day.NOW)


def requests(office: Office) -> list[BudgetRequest]:
    db = office.server.services.db
    by = a_caller(db, office.org, a_member(db, office.org, "reader@example.com", "manager"))
    return budget_requests.requests(db, by)


def ask(office: Office, email: str, budget: Budget, reason: str = "a migration") -> str:
    """Have a person ask for three dollars more; the path of the request."""
    db = office.server.services.db
    by = a_caller(db, office.org, a_member(db, office.org, email))
    asked = budget_requests.ask(db, by, budget, reason, usd(3).picodollars)
    return f"/limits/requests/{asked.request_id}"


@pytest.mark.parametrize("role", ["owner", "manager", "member", "guest"])
def test_everyone_sees_what_binds_them_and_asks_for_more(
    office: Office, owner: str, role: Role
) -> None:
    db = office.server.services.db
    budget = a_budget(db, office.org, "each-user")
    soft = a_budget(db, office.org, at_end="warn", period="day")
    bob = a_member(db, office.org, "bob@example.com")
    a_budget(db, office.org, "user", bob.user_id)
    with office.visitor(owner if role == "owner" else office.person(role)) as visitor:
        page = visitor.get(OWN if role in ("owner", "manager") else "/limits").text
        typed = {"budget_id": budget.id, "amount": "3", "reason": HOSTILE}
        answer = visitor.post(OWN, data=typed)
        after = visitor.get(OWN).text

    assert "bob@example.com" not in page
    assert "it applies to everyone without an individual budget" in page
    each_user = page.partition("Each user")[2].partition("</tr>")[0]
    assert ">binds<" in each_user
    assert "refuses calls" in each_user
    assert f'value="{soft.id}"' in page
    assert f'value="{budget.id}" selected' in page
    assert (answer.status_code, answer.headers["location"]) == (303, OWN)
    [asked] = requests(office)
    assert (asked.budget_id, asked.asked, asked.reason) == (budget.id, 3 * 10**12, HOSTILE)
    assert "waits for a decision" in after
    assert HOSTILE not in after


def test_how_budgets_are_enforced_for_each_agent_and_what_enforces_more_are_shown(
    office: Office, owner: str
) -> None:
    db = office.server.services.db
    a_budget(db, office.org)
    ada = a_member(db, office.org, "ada@example.com")
    gate = "INSERT INTO gate_reports (org_id, principal_id, agent, seen_at) VALUES (?, ?, ?, ?)"
    db.write(gate, [(office.org, ada.user_id, "codex", clock.now_ms())])
    with office.visitor(owner) as visitor:
        page = visitor.get(f"/limits/{ada.user_id}").text

    row = page.partition("How budgets are enforced for each agent")[2].partition("</tbody>")[0]
    assert "its hook refuses work" in row
    assert "stationmaster agents setup codex --gateway" in row


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({"reason": " "}, "reason", "A reason has 1 to 500 characters"),
        ({"reason": "x" * 501}, "reason", "A reason has 1 to 500 characters"),
        ({"reason": "a\x00b"}, "reason", "A reason has 1 to 500 characters"),
        ({"amount": "a lot"}, "amount", "An amount is a number"),
        ({"amount": "-3"}, "amount", "more than 0"),
        ({"budget_id": "budget_none"}, None, "Choose one of your budgets"),
    ],
)
def test_what_cannot_be_asked_is_explained_in_the_form(
    office: Office, changes: dict[str, str], field: str | None, says: str
) -> None:
    budget = a_budget(office.server.services.db, office.org)
    typed = {"budget_id": budget.id, "amount": "3", "reason": "because"} | changes
    with office.visitor(office.person("member")) as visitor:
        answer = visitor.post(OWN, data=typed)

    assert answer.status_code == 400
    part = answer.text if field is None else answer.text.partition(f'id="{field}-error"')[2]
    assert says in part
    if "amount" in changes:
        assert f'value="{changes["amount"]}"' in answer.text
        assert 'value="because"' in answer.text
    assert requests(office) == []


def test_others_budgets_are_not_asked_about(office: Office) -> None:
    db = office.server.services.db
    bob = a_member(db, office.org, "bob@example.com")
    theirs = a_budget(db, office.org, "user", bob.user_id)
    with office.visitor(office.person("member")) as visitor:
        answer = visitor.post(OWN, data={"budget_id": theirs.id, "reason": "x"})

    assert answer.status_code == 400
    assert "bob@example.com" not in answer.text


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("manager", 200), ("member", 403), ("guest", 403)]
)
def test_owners_and_managers_decide(office: Office, owner: str, role: Role, status: int) -> None:
    budget = a_budget(office.server.services.db, office.org)
    first, second = (ask(office, f"{n}@example.com", budget) for n in ("ada", "bob"))
    with office.visitor(owner if role == "owner" else office.person(role)) as visitor:
        shown = visitor.get(first).status_code
        approved = visitor.post(f"{first}/approve", data={"amount": "2", "until": "2026-12-31"})
        denied = visitor.post(f"{second}/deny")

    assert shown == status
    expected = 303 if status == 200 else 403
    assert (approved.status_code, denied.status_code) == (expected, expected)
    states = sorted(row.state for row in requests(office))
    assert states == (["approved", "denied"] if status == 200 else ["open", "open"])
    if status == 200:
        [granted] = [row for row in requests(office) if row.state == "approved"]
        assert granted.granted == 2 * 10**12
        assert granted.until == days.start_ms(days.parse("2027-01-01"))


def test_a_request_shows_who_why_and_what_is_left(office: Office, owner: str) -> None:
    db = office.server.services.db
    budget = a_budget(db, office.org)
    path = ask(office, "ada@example.com", budget, HOSTILE)
    ledger = Ledger(db, 1)
    ledger.settle(hold(ledger, a_call(office.org), usd(1)), usd(4.25))
    with office.visitor(owner) as visitor:
        listed = visitor.get("/limits").text
        page = visitor.get(path).text
        visitor.post(f"{path}/approve", data={"amount": "3", "until": ""})
        decided = visitor.get(path).text
        again = visitor.post(f"{path}/deny")
        after = visitor.get("/limits").text

    assert f'href="{path}"' in listed
    assert "ada@example.com requests $3.00 more" in page
    assert "$4.25 of $5.00" in page
    assert 'name="amount" value="3.00"' in page
    for shown in (listed, page, decided, after):
        assert HOSTILE not in shown
    # Without a day until the end of the budget's period.
    assert "$3.00 granted until 2026-12-01 00:00 UTC" in decided
    assert owner in decided
    assert 'action="' + path not in decided
    assert (again.status_code, "was approved already" in again.text) == (409, True)
    assert re.search(r"\$8\.00", after)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"amount": "", "until": ""}, "amount"),
        ({"amount": "0", "until": ""}, "amount"),
        ({"amount": "2", "until": "soon"}, "until"),
        ({"amount": "2", "until": "2026-01-01"}, "until"),
        ({"amount": "2", "until": "2040-01-01"}, "until"),
    ],
)
def test_what_cannot_be_granted_is_explained_at_its_field(
    office: Office, owner: str, form: dict[str, str], field: str
) -> None:
    path = ask(office, "ada@example.com", a_budget(office.server.services.db, office.org))
    with office.visitor(owner) as visitor:
        answer = visitor.post(f"{path}/approve", data=form)

    assert answer.status_code == 400
    assert f'id="{field}-error"' in answer.text
    assert f'name="until" value="{form["until"]}"' in answer.text


def test_a_budget_whose_dates_are_over_needs_a_day(office: Office, owner: str) -> None:
    dates = {"starts_on": days.parse("2026-01-01"), "ends_on": days.parse("2026-01-31")}
    budget = a_budget(office.server.services.db, office.org, period="dates", **dates)
    path = ask(office, "ada@example.com", budget)
    with office.visitor(owner) as visitor:
        shown = visitor.get(path)
        answer = visitor.post(f"{path}/approve", data={"amount": "1", "until": ""})

    assert "does not apply to ada@example.com any more" in shown.text
    assert answer.status_code == 404
    assert "The dates of this budget are over" in answer.text
    assert 'name="amount" value="1"' in answer.text


def test_where_people_are_not_shown_by_name_a_request_does_not_say_what_was_used(
    office: Office, owner: str
) -> None:
    db = office.server.services.db
    ada = a_member(db, office.org, "ada@example.com")
    path = ask(office, "ada@example.com", a_budget(db, office.org, "each-user"))
    ledger = Ledger(db, 1)
    ledger.settle(hold(ledger, a_call(office.org, ada.user_id), usd(1)), usd(4.25))
    by = a_caller(db, office.org, a_member(db, office.org, "other@example.com", "owner"))
    privacy.put(db, office.org, "pseudonymous", None, by=by)
    with office.visitor(owner) as visitor:
        page = visitor.get(path).text

    assert "not shown by name" in page
    assert "4.25" not in page


def test_unknown_requests_and_those_of_others_are_none(office: Office, owner: str) -> None:
    db = office.server.services.db
    org = an_organization(db, "Initech")
    stranger = a_caller(db, org, a_member(db, org, "eve@example.com"))
    theirs = budget_requests.ask(db, stranger, a_budget(db, org), "x", None).request_id
    with office.visitor(owner) as visitor:
        for request_id in (theirs, "lreq_none"):
            path = f"/limits/requests/{request_id}"
            assert visitor.get(path).status_code == 404
            assert visitor.post(f"{path}/approve", data={"amount": "1"}).status_code == 404
            assert visitor.post(f"{path}/deny").status_code == 404


def test_requests_that_wait_need_a_person(office: Office, owner: str) -> None:
    db = office.server.services.db
    sql = "INSERT INTO lake_days (org_id, day, landed, rolled, published) VALUES (?, ?, 1, 1, 0)"
    db.write(sql, [(office.org, "2026-11-20")])
    path = ask(office, "ada@example.com", a_budget(db, office.org))
    with office.visitor(owner) as visitor:
        before = visitor.get("/").text
        visitor.post(f"{path}/deny")
        after = visitor.get("/").text

    assert "1 request for more of a budget waits" in before
    assert "for more of a budget" not in after

"""Pages of budgets: who may open them, what their forms do, and what they show of people."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import httpx
import pytest

from stationmaster import clock
from stationmaster.access import privacy
from stationmaster.access.model import Role
from stationmaster.limits import manage
from stationmaster.limits.budgets import Budget, budgets_of
from stationmaster.pricing.credits.dollars import PER_DOLLAR
from tests.limits.cases import Ledger, a_budget, a_call, hold, usd
from tests.spec import day
from tests.support.builders import a_caller, a_member, an_organization, audited
from tests.web.conftest import Office

NEW = "/limits/budgets/new"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def _saturday() -> None:
    clock.freeze(day.NOW)


def path_of(budget: Budget) -> str:
    return f"/limits/budgets/{budget.id}"


def form(**fields: str) -> dict[str, str]:
    """What the form of a new budget sends."""
    usual = {
        "kind": "organization",
        "name": "",
        "amount": "5",
        "currency": "usd",
        "period": "month",
        "starts_on": "",
        "ends_on": "",
        "at_end": "refuse",
        "models": "",
        "when_unreachable": "allow",
    }
    return usual | fields


def budgets(office: Office) -> list[Budget]:
    return budgets_of(office.server.services.db, office.org)


@pytest.mark.parametrize(
    ("role", "status"), [("owner", 200), ("manager", 200), ("member", 403), ("guest", 403)]
)
def test_owners_and_managers_see_set_and_remove_budgets(
    office: Office, owner: str, role: Role, status: int
) -> None:
    budget = a_budget(office.server.services.db, office.org)
    paths = [NEW, path_of(budget), f"{path_of(budget)}/remove"]
    forms = [(NEW, form(kind="each-user")), (path_of(budget), {"amount": "6"}), (paths[2], {})]
    with office.visitor(owner if role == "owner" else office.person(role)) as visitor:
        shown = [visitor.get(path).status_code for path in paths]
        posted = [visitor.post(path, data=data).status_code for path, data in forms]

    assert shown == [status] * 3
    assert posted == [303 if status == 200 else 403] * 3
    kinds = [row.scope.kind for row in budgets(office)]
    assert kinds == (["each-user"] if status == 200 else ["organization"])


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"kind": "agent", "name": "codex"}, {"scope": ("agent", "codex")}),
        ({"kind": "team", "name": HOSTILE}, {"scope": ("team", HOSTILE)}),
        ({"currency": "credits", "amount": "80,000,000"}, {"amount": 80_000_000}),
        ({"amount": "$4.50"}, {"amount": 4_500_000_000_000}),
        ({"period": "day"}, {"period": "day"}),
        (
            {"at_end": "allow-models", "models": "claude-haiku-*, gpt-*"},
            {"models": ("claude-haiku-*", "gpt-*")},
        ),
        ({"when_unreachable": "refuse"}, {"when_unreachable": "refuse"}),
    ],
)
def test_a_budget_is_added_as_the_form_says(
    office: Office, owner: str, fields: dict[str, str], expected: dict[str, Any]
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(NEW, data=form(**fields))
        [budget] = budgets(office)
        shown = visitor.get(answer.headers["location"]).text
        listed = visitor.get("/limits").text

    assert (answer.status_code, answer.headers["location"]) == (303, path_of(budget))
    assert {name: getattr(budget, name) for name in expected} == expected
    for page in (shown, listed):
        assert "<img src=x" not in page
        assert budget.scope.id in page or "&lt;img src=x" in page


@pytest.mark.parametrize(
    ("fields", "field", "says"),
    [
        ({"amount": ""}, "amount", "An amount is a number"),
        ({"amount": "9" * 400}, "amount", "An amount is a number"),
        ({"amount": "a lot"}, "amount", "An amount is a number"),
        ({"amount": "-5"}, "amount", "A budget in dollars is 0, or from $0.01"),
        ({"kind": "each-user", "currency": "credits"}, "amount", "1,000,000 credits (about $2.50)"),
        (
            {"kind": "user", "name": "nobody@example.com"},
            "name",
            "no member with the address nobody",
        ),
        ({"kind": "user"}, "name", "needs a name"),
        ({"kind": "service-account", "name": "a\x00b"}, "name", "only printable characters"),
        ({"name": "core"}, "name", "does not have a name"),
        ({"kind": "agent", "name": HOSTILE}, "name", "An agent is one of"),
        ({"period": "dates"}, "starts_on", "needs its first and its last day"),
        ({"period": "dates", "starts_on": "soon"}, "starts_on", "Enter days like"),
        ({"at_end": "allow-models"}, "models", "names 1 to 50 models"),
        ({"models": "claude-haiku-*"}, "models", "names 1 to 50 models"),
    ],
)
def test_what_is_no_budget_is_explained_at_its_field_and_stays_in_the_form(
    office: Office, owner: str, fields: dict[str, str], field: str, says: str
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(NEW, data=form(**fields))

    assert 400 <= answer.status_code < 500
    error = re.search(rf'id="{field}-error">([^<]*)<', answer.text)
    assert error is not None
    assert says in error[1]
    assert HOSTILE not in answer.text
    for name, typed in fields.items():
        if name in ("amount", "starts_on") and "<" not in typed:
            assert f'name="{name}" value="{typed}"' in answer.text
    assert budgets(office) == []


def test_a_budget_is_changed_and_removed_with_its_history(office: Office, owner: str) -> None:
    db = office.server.services.db
    with office.visitor(owner) as visitor:
        visitor.post(NEW, data=form(amount="5.1234"))
        [budget] = budgets(office)
        path = path_of(budget)
        assert 'value="5.1234"' in visitor.get(path).text
        terms = {"amount": "7", "at_end": "allow-models", "models": "claude-haiku-*"}
        assert visitor.post(path, data=terms).status_code == 303
        page = visitor.get(path).text
        wrong = visitor.post(path, data=terms | {"models": ""})
        removed = visitor.post(f"{path}/remove")

    history = page.partition("Latest changes")[2]
    assert history.index("$7.00, allow-models") < history.index("$5.12, refuse")
    assert owner in history
    assert 'value="claude-haiku-*"' in page
    assert (wrong.status_code, 'id="models-error"' in wrong.text) == (400, True)
    assert (removed.status_code, budgets(office)) == (303, [])
    assert audited(db, office.org, manage.REMOVED).source == "web"


def test_use_holds_and_the_worst_overshoot_are_shown(office: Office, owner: str) -> None:
    db = office.server.services.db
    budget = a_budget(db, office.org)
    ledger = Ledger(db, 1)
    call = a_call(office.org)
    ledger.settle(hold(ledger, call, usd(1)), usd(4.25))
    hold(ledger, call, usd(0.5), tail=usd(0.125))
    with office.visitor(owner) as visitor:
        listed = visitor.get("/limits").text.partition("<caption>Budgets")[2]
        page = visitor.get(path_of(budget)).text
        [row] = csv.DictReader(io.StringIO(visitor.get("/limits?csv=budgets").text))

    assert (row["Used"], row["Held"], row["Amount"]) == ("4.25", "0.50", "5.00")
    assert (row["Used up on"], row["Worst overshoot"]) == ("2026-11-24", "0.125")
    for shown in (listed, page):
        assert "$4.25" in shown
        assert "$0.50" in shown
        assert "$0.12" in shown
    assert "85.0 %" in page
    # 21 days of November for 4.25 dollars: the rest lasts four more.
    assert "24 Nov 2026" in page
    assert "24 Nov 2026" in listed


def test_where_people_are_not_shown_by_name_neither_figures_nor_order_say_what_they_used(
    office: Office, owner: str
) -> None:
    db = office.server.services.db
    ada = a_member(db, office.org, "ada@example.com")
    bob = a_member(db, office.org, "bob@example.com")
    budget = a_budget(db, office.org, "user", ada.user_id)
    a_budget(db, office.org, "user", bob.user_id)
    ledger = Ledger(db, 1)
    ledger.settle(hold(ledger, a_call(office.org, ada.user_id), usd(1)), usd(4.25))
    by = a_caller(db, office.org, a_member(db, office.org, "other@example.com", "owner"))

    def order(visitor: httpx.Client) -> list[str]:
        listed = visitor.get("/limits").text.partition("<caption>Budgets")[2]
        return re.findall(r">User (\w+)@example.com", listed)

    with office.visitor(owner) as visitor:
        named = order(visitor)
        privacy.put(db, office.org, "pseudonymous", None, by=by)
        hidden = order(visitor)
        paths = ("/limits?csv=budgets", "/limits", path_of(budget), f"/limits/{ada.user_id}")
        pages = [visitor.get(path).text for path in paths]

    assert named == ["ada", "bob"]
    assert hidden == [name for _, name in sorted([(ada.user_id, "ada"), (bob.user_id, "bob")])]
    assert all("not shown by name" in page for page in pages[1:])
    for page in pages:
        assert "4.25" not in page
        assert "85.0" not in page
        assert "0.75" not in page


def test_many_budgets_are_paged(office: Office, owner: str) -> None:
    db = office.server.services.db
    for number in range(51):
        a_budget(db, office.org, "team", f"team-{number:02}")
    with office.visitor(owner) as visitor:
        first = visitor.get("/limits").text
        second = visitor.get("/limits?first=50").text

    assert ("team-49" in first, "team-50" in first) == (True, False)
    assert 'href="/limits?first=50"' in first
    assert ("team-49" in second, "team-50" in second) == (False, True)


def test_an_unknown_budget_and_another_organizations_are_none(office: Office, owner: str) -> None:
    db = office.server.services.db
    theirs = a_budget(db, an_organization(db, "Initech"), amount=PER_DOLLAR)
    with office.visitor(owner) as visitor:
        for path in (path_of(theirs), "/limits/budgets/budget_none", "/limits/budgets/%00"):
            assert visitor.get(path).status_code == 404
            assert visitor.post(path, data={"amount": "1"}).status_code == 404
            assert visitor.post(f"{path}/remove").status_code == 404
            assert visitor.get(f"{path}/remove").status_code == 404


def test_forms_of_other_sites_are_refused(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        headers = {"Sec-Fetch-Site": "cross-site"}
        for path in (NEW, "/limits/own", "/limits/requests/lreq_1/deny"):
            assert visitor.post(path, data=form(), headers=headers).status_code == 403

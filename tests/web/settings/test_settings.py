"""The pages of service accounts, jobs and the audit log: who sees them and what their forms do."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from datetime import timedelta

import pytest

from stationmaster import clock
from stationmaster.access import privacy, reads, retention, time_zone
from stationmaster.access.model import Role
from stationmaster.jobs import service as jobs
from stationmaster.repos import service as repos
from tests.support.builders import a_caller, a_key, an_organization
from tests.web.conftest import Office

ORGANIZATION = "/settings/organization"
ACCOUNTS, JOBS, AUDIT = "/settings/service-accounts", "/settings/jobs", "/settings/audit"
HOSTILE = "<script>alert(1)</script>"


def queued(office: Office, owner: str) -> str:
    """The id of a job that waits."""
    services = office.server.services
    [member] = [m for m in reads.list_members(services.db, office.org) if m.email == owner]
    caller = a_caller(services.db, office.org, member)
    known, _ = repos.register(services.db, services.vault, caller, "https://git.invalid/a/b")
    return jobs.ask(services.db, office.org, "no-such-kind", known.repo_id, by=caller).job_id


@pytest.mark.parametrize(
    ("role", "statuses"),
    [
        ("owner", [200, 200, 200]),
        ("manager", [200, 200, 403]),
        ("member", [403, 200, 403]),
        ("guest", [403, 403, 403]),
    ],
)
def test_each_role_sees_its_pages_and_no_link_to_others(
    office: Office, owner: str, role: Role, statuses: list[int]
) -> None:
    paths = (ACCOUNTS, JOBS, AUDIT)
    with office.visitor(owner if role == "owner" else office.person(role)) as visitor:
        answers = [visitor.get(path).status_code for path in paths]
        menu = visitor.get("/settings/api-keys").text

    assert answers == statuses
    assert [f'href="{path}"' in menu for path in paths] == [status == 200 for status in statuses]


def test_an_account_is_created_paused_resumed_and_removed(office: Office, owner: str) -> None:
    db = office.server.services.db
    with office.visitor(owner) as visitor:
        visitor.post(ACCOUNTS, data={"name": "nightly", "role": "guest"})
        [account] = reads.list_service_accounts(db, office.org)
        path = f"{ACCOUNTS}/{account.service_account_id}"
        visitor.post(f"{path}/pause")
        paused = visitor.get(ACCOUNTS).text
        visitor.post(f"{path}/resume")
        resumed = visitor.get(ACCOUNTS).text
        unknown = visitor.post(f"{path}/promote")
        again = visitor.post(ACCOUNTS, data={"name": "nightly", "role": "guest"})
        asked = visitor.get(f"{path}/remove").text
        visitor.post(f"{path}/remove")

    assert (account.name, account.role) == ("nightly", "guest")
    assert ">paused<" in paused
    assert ">active<" in resumed
    assert unknown.status_code in (400, 422)
    assert again.status_code == 409
    assert 'role="alert"' in again.text
    assert "Remove nightly?" in asked
    assert reads.list_service_accounts(db, office.org) == []


def test_a_member_changes_no_account(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        visitor.post(ACCOUNTS, data={"name": "nightly", "role": "guest"})
    [account] = reads.list_service_accounts(office.server.services.db, office.org)
    with office.visitor(office.person("member")) as visitor:
        statuses = [
            visitor.post(ACCOUNTS, data={"name": "other", "role": "guest"}).status_code,
            visitor.post(f"{ACCOUNTS}/{account.service_account_id}/remove").status_code,
        ]

    assert statuses == [403, 403]


def test_jobs_are_listed_by_state_and_cancelled(office: Office, owner: str) -> None:
    job = queued(office, owner)
    with office.visitor(owner) as visitor:
        waiting = visitor.get(JOBS, params={"state": "queued"}).text
        visitor.post(f"{JOBS}/{job}/cancel")
        cancelled = visitor.get(JOBS, params={"state": "cancelled"}).text
        none = visitor.get(JOBS, params={"state": "failed"}).text

    assert "git.invalid/a/b" in waiting
    assert f"{JOBS}/{job}/cancel" in waiting
    assert "no such kind" in cancelled
    assert "No job fits the filters." in none


def test_a_job_of_another_organization_is_none(office: Office, owner: str) -> None:
    job = queued(office, owner)
    other = Office(office.server, an_organization(office.server.services.db, "Initech"))
    with other.visitor(other.person("owner", "eve@example.com")) as visitor:
        cancelled = visitor.post(f"{JOBS}/{job}/cancel")
        listed = visitor.get(JOBS)

    assert cancelled.status_code == 404
    assert "git.invalid" not in listed.text


def test_the_audit_log_is_paged_and_filtered(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        for number in range(52):
            visitor.post(ACCOUNTS, data={"name": f"account {number}", "role": "guest"})
        first = visitor.get(AUDIT).text
        [older] = re.findall(r'href="(/settings/audit\?[^"]*before=[^"]+)"', first)
        second = visitor.get(older.replace("&amp;", "&")).text
        filtered = visitor.get(AUDIT, params={"event": "service_account_created"}).text
        hostile = visitor.get(AUDIT, params={"event": HOSTILE}).text

    assert first.count("service account created") == 50
    assert second.count("service account created") == 2
    assert "member joined" not in filtered
    assert HOSTILE not in hostile


def test_an_owner_sets_privacy_and_time_zone_and_sees_why_a_value_is_refused(
    office: Office, owner: str
) -> None:
    db = office.server.services.db
    with office.visitor(owner) as visitor:
        visitor.post(f"{ORGANIZATION}/privacy", data={"mode": "team-only", "minimum": "7"})
        visitor.post(f"{ORGANIZATION}/time-zone", data={"time_zone": "Asia/Tokyo"})
        shown = visitor.get(ORGANIZATION).text
        refused = [
            visitor.post(f"{ORGANIZATION}/privacy", data={"mode": "named", "minimum": "1"}),
            visitor.post(f"{ORGANIZATION}/privacy", data={"mode": "nobody", "minimum": "5"}),
            visitor.post(f"{ORGANIZATION}/time-zone", data={"time_zone": HOSTILE}),
        ]

    policy = privacy.of(db, office.org)
    assert (policy.mode, policy.minimum) == ("team-only", 7)
    assert time_zone.of(db, office.org) == "Asia/Tokyo"
    assert 'value="Asia/Tokyo"' in shown
    assert "built in" in shown
    assert [answer.status_code for answer in refused] == [400, 400, 400]
    assert all('role="alert"' in answer.text and HOSTILE not in answer.text for answer in refused)


@pytest.mark.parametrize(("role", "status"), [("manager", 200), ("member", 403), ("guest", 403)])
def test_managers_see_the_organization_and_change_nothing(
    office: Office, role: Role, status: int
) -> None:
    with office.visitor(office.person(role)) as visitor:
        assert visitor.get(ORGANIZATION).status_code == status
        changed = visitor.post(f"{ORGANIZATION}/privacy", data={"mode": "off", "minimum": "5"})

    assert changed.status_code == 403
    assert privacy.of(office.server.services.db, office.org).mode == "named"


def test_an_owner_sets_retention_after_a_page_says_what_is_erased(
    office: Office, owner: str
) -> None:
    services = office.server.services
    path = f"{ORGANIZATION}/retention"
    with office.visitor(owner) as visitor:
        asked = visitor.get(path, params={"days": "30"}).text
        before = retention.of(services.db, services.settings, office.org).days
        changed = visitor.post(f"{path}?days=30")
        shown = visitor.get(ORGANIZATION).text
        set_days = retention.of(services.db, services.settings, office.org).days
        refused = [
            getattr(visitor, method)(path, params={"days": days})
            for method in ("get", "post")
            for days in ("6", "-9", "9" * 30, "٣٠", HOSTILE)
        ]
        kept = retention.of(services.db, services.settings, office.org).days
        visitor.post(f"{path}?days=")

    assert "erased permanently" in asked
    assert f"days before {clock.today() - timedelta(days=30)}" in asked
    assert (before, changed.status_code, set_days, kept) == (None, 303, 30, 30)
    assert "Raw events of the last 30 closed days are kept" in shown
    assert [answer.status_code for answer in refused] == [400] * 10
    assert all('role="alert"' in answer.text and HOSTILE not in answer.text for answer in refused)
    assert retention.of(services.db, services.settings, office.org).days is None


def test_a_manager_sees_retention_and_does_not_change_it(office: Office) -> None:
    services = office.server.services
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.get(ORGANIZATION).text
        answer = visitor.post(f"{ORGANIZATION}/retention?days=30")

    assert "Raw events of all days are kept" in page
    assert "Days to keep" not in page
    assert answer.status_code == 403
    assert retention.of(services.db, services.settings, office.org).days is None


def price_file(**prices: float) -> dict[str, tuple[str, bytes]]:
    """A form's file of LiteLLM's kind with dollars per million tokens of input, by model."""
    models = {
        name: {
            "litellm_provider": "openai",
            "input_cost_per_token": price / 10**6,
            "output_cost_per_token": price / 10**6,
        }
        for name, price in prices.items()
    }
    return {"file": ("prices.json", json.dumps(models).encode())}


def test_a_price_list_is_compared_imported_and_removed(office: Office, owner: str) -> None:
    prices = f"{ORGANIZATION}/prices"
    with office.visitor(owner) as visitor:
        compared = visitor.post(prices, files=price_file(housemade=7), data={"step": "compare"})
        before = visitor.get(ORGANIZATION).text
        imported = visitor.post(prices, files=price_file(housemade=7), data={"step": "import"})
        after = visitor.get(ORGANIZATION).text
        asked = visitor.get(f"{prices}/litellm/remove").text
        removed = visitor.post(f"{prices}/litellm/remove")
        again = visitor.get(f"{prices}/litellm/remove")

    for answer in (compared, imported):
        assert answer.status_code == 200
        assert "housemade" in answer.text
        assert "$7" in answer.text
    assert "nothing is imported yet" in compared.text
    assert "prices/litellm/remove" not in before
    assert "prices/litellm/remove" in after
    assert "Remove the price list of litellm?" in asked
    assert removed.status_code == 303
    assert again.status_code == 404


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"", 400), (b"not a list", 400), (b"[" * 100_000, 400), (b" " * (17 * 2**20), 413)],
    ids=["empty", "text", "deep", "large"],
)
def test_a_file_that_is_no_price_list_is_refused(
    office: Office, owner: str, content: bytes, status: int
) -> None:
    with office.visitor(owner) as visitor:
        answer = visitor.post(f"{ORGANIZATION}/prices", files={"file": ("prices.json", content)})
        page = visitor.get(ORGANIZATION)

    assert answer.status_code == status
    assert page.status_code == 200
    assert "prices/litellm/remove" not in page.text


def test_only_owners_import_price_lists(office: Office, owner: str) -> None:
    with office.visitor(office.person("manager")) as visitor:
        page = visitor.get(ORGANIZATION).text
        answer = visitor.post(f"{ORGANIZATION}/prices", files=price_file(housemade=7))
    with office.visitor() as stranger:
        refused = stranger.post(f"{ORGANIZATION}/prices", files=price_file(housemade=7))

    assert "Import a price list" not in page
    assert answer.status_code == 403
    assert refused.status_code == 303
    assert refused.headers["location"].startswith("/sign-in")


def test_changes_are_limited_by_event_person_thing_and_days(office: Office, owner: str) -> None:
    db = office.server.services.db
    boss = office.person("owner", "boss@example.com")
    with office.visitor(owner) as visitor:
        visitor.post(ACCOUNTS, data={"name": "nightly", "role": "guest"})
    with office.visitor(boss) as visitor:
        visitor.post(ACCOUNTS, data={"name": "weekly", "role": "guest"})
        nightly, weekly = (
            account.service_account_id
            for account in sorted(
                reads.list_service_accounts(db, office.org), key=lambda account: account.name
            )
        )

        def things(query: str) -> list[str]:
            lines = csv.DictReader(io.StringIO(visitor.get(f"{AUDIT}?csv=audit&{query}").text))
            return [line["Of"] for line in lines]

        created = "event=service+account+created"
        both = things(created)
        by_boss = things(f"{created}&by=boss%40example.com")
        of_nightly = things(f"of={nightly}")
        today = things(f"{created}&from={clock.today()}&to={clock.today()}")
        before = things(f"{created}&to={clock.today() - timedelta(days=1)}")
        page = visitor.get(f"{AUDIT}?{created}&by=boss%40example.com").text
        wrong = visitor.get(f"{AUDIT}?from=yesterday").text

    assert both == today == [f"service_account {weekly}", f"service_account {nightly}"]
    assert by_boss == [f"service_account {weekly}"]
    assert of_nightly == [f"service_account {nightly}"]
    assert before == []
    [call] = re.findall(r'audit-call">.*?"(http[^"]*)"', html.unescape(page), re.DOTALL)
    assert call.endswith("audit?eventType=service_account_created&actor=boss%40example.com")
    assert "Dates are written like" in wrong


def test_the_api_limits_changes_as_the_page_does(office: Office, owner: str) -> None:
    with office.visitor(owner) as visitor:
        visitor.post(ACCOUNTS, data={"name": "nightly", "role": "guest"})
    db = office.server.services.db
    [member] = [m for m in reads.list_members(db, office.org) if m.email == owner]
    with office.server.client(a_key(db, office.org, member)) as client:

        def count(**params: str) -> int:
            answer = client.get("/api/platform/v1/audit", params=params).raise_for_status()
            return len(answer.json()["events"])

        kind = "service_account_created"
        assert count(eventType=kind, actor=owner, startDate=f"{clock.today()}") == 1
        assert count(eventType=kind, actor=member.user_id) == 1
        assert count(eventType=kind, actor="nobody@example.com") == 0
        assert count(eventType=kind, endDate=f"{clock.today() - timedelta(days=1)}") == 0


def test_jobs_are_limited_by_state_kind_and_repository(office: Office, owner: str) -> None:
    queued(office, owner)
    with office.visitor(owner) as visitor:
        [job] = csv.DictReader(io.StringIO(visitor.get(f"{JOBS}?csv=jobs&state=queued").text))
        same = visitor.get(f"{JOBS}?csv=jobs&kind={job['Job']}&of={job['Of']}").text
        others = [
            visitor.get(f"{JOBS}?csv=jobs&{query}").text.splitlines()
            for query in ("kind=wiki", "of=repo_none", "state=succeeded")
        ]

    assert job["State"] == "queued"
    assert job["Of"] in same
    assert [len(lines) for lines in others] == [1, 1, 1]

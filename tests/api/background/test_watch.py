"""Alerts of failed jobs, findings, silent senders and spikes: each once, resolved at its end."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta

import pytest

from stationmaster import clock
from stationmaster.access import privacy
from stationmaster.access.model import Caller
from stationmaster.alerts import causes, reading
from stationmaster.alerts.raising import raise_alert
from stationmaster.alerts.texts import AlertText
from stationmaster.api.background import watch
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId, RepoId
from stationmaster.jobs import service as jobs
from stationmaster.jobs.runner import Runner, Work
from tests.support.builders import a_caller, a_member, an_organization
from tests.support.scans import a_finding, store_scan

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _frozen_clock() -> None:
    clock.freeze(NOW)


@pytest.fixture
def org(db: Database) -> OrgId:
    return an_organization(db)


@pytest.fixture
def owner(db: Database, org: OrgId) -> Caller:
    return a_caller(db, org, a_member(db, org, "owner@example.com", "owner"))


def raised(db: Database, owner: Caller) -> list[tuple[str, str, bool]]:
    """Kind, title and whether it is open, oldest first, after a look."""
    watch.look(db, threading.Event(), is_slow=True)
    found: list[AlertText] = reading.page(db, owner, limit=100)
    return [
        (each.alert.kind, each.title, each.alert.resolved_at is None) for each in reversed(found)
    ]


def run_job(db: Database, org: OrgId, fault: Exception | None) -> None:
    def handle(_work: Work) -> None:
        if fault is not None:
            raise fault

    jobs.ask(db, org, "fetch", "repo_1", by=None)
    Runner(db, {"fetch": handle}).do_next(threading.Event())


def test_a_failed_job_is_raised_once_a_day_and_resolved_by_success(
    db: Database, org: OrgId, owner: Caller
) -> None:
    run_job(db, org, BadRequest("The server refuses us."))
    run_job(db, org, BadRequest("The server refuses us."))
    assert raised(db, owner) == [("job.failed", "The background job fetch failed", True)]
    clock.freeze(NOW + timedelta(days=1))
    run_job(db, org, BadRequest("The server refuses us."))
    assert [is_open for _, _, is_open in raised(db, owner)] == [True, True]

    run_job(db, org, None)
    assert [is_open for _, _, is_open in raised(db, owner)] == [False, False]


def test_critical_findings_of_a_scan_are_one_alert_until_they_are_gone(
    db: Database, org: OrgId, owner: Caller
) -> None:
    critical = [
        a_finding("script-injection", fingerprint=f"f{n}", severity="critical") for n in range(3)
    ]
    repo = RepoId("repo_1")
    store_scan(db, org, repo, *critical, a_finding("other", fingerprint="g", severity="high"))
    assert raised(db, owner) == [("ci.critical", "3 critical CI findings in repo_1", True)]
    clock.freeze(NOW + timedelta(hours=1))
    store_scan(db, org, repo, *critical[:1])
    assert len(raised(db, owner)) == 1

    store_scan(db, org, repo)
    assert [is_open for _, _, is_open in raised(db, owner)] == [False]


def sends(db: Database, org: OrgId, user: str, at: datetime) -> None:
    ms = round(at.timestamp() * 1000)
    db.write(
        "INSERT INTO senders (org_id, user_id, machine, product, source, version, version_at,"
        " email, first_at, last_at, events, unknown, refused, unknown_before)"
        " VALUES (?, ?, 'm', 'codex', 'hooks', '1', ?, NULL, ?, ?, 1, 0, 0, 0)",
        [(org, user, ms, ms, ms)],
    )


def test_a_member_who_stops_sending_is_raised_once_for_each_silence(
    db: Database, org: OrgId, owner: Caller
) -> None:
    zoe = a_member(db, org, "zoe@example.com")
    sends(db, org, zoe.user_id, NOW - timedelta(days=20))
    expected = ("sender.silent", "zoe@example.com stopped sending data", True)
    assert raised(db, owner) == raised(db, owner) == [expected]

    db.write("UPDATE senders SET last_at = ? WHERE org_id = ?", [(clock.now_ms(), org)])
    assert [is_open for _, _, is_open in raised(db, owner)] == [False]
    clock.freeze(NOW + timedelta(days=15))
    assert [is_open for _, _, is_open in raised(db, owner)] == [False, True]


def test_many_new_causes_are_one_message(db: Database, org: OrgId, owner: Caller) -> None:
    for n in range(causes.TOGETHER_MAX + 1):
        member = a_member(db, org, f"m{n}@example.com")
        sends(db, org, member.user_id, NOW - timedelta(days=20))

    titles = [title for _, title, _ in raised(db, owner)]
    assert len(titles) == causes.TOGETHER_MAX + 2
    assert titles[-1] == f"{causes.TOGETHER_MAX + 1} senders stopped sending data"


def uses(db: Database, org: OrgId, user: str, credits: dict[date, int]) -> None:
    db.write(
        "INSERT INTO active_users (org_id, day, user_id, is_counted, billable_tokens)"
        " VALUES (?, ?, ?, TRUE, ?)",
        [(org, day.isoformat(), user, amount) for day, amount in credits.items()],
    )


def a_spike(last: int) -> dict[date, int]:
    yesterday = NOW.date() - timedelta(days=1)
    return {yesterday - timedelta(days=n): 1_000_000 for n in range(1, 8)} | {yesterday: last}


def test_a_day_far_above_the_usual_one_is_a_spike_of_person_and_organization(
    db: Database, org: OrgId, owner: Caller
) -> None:
    zoe = a_member(db, org, "zoe@example.com")
    uses(db, org, zoe.user_id, a_spike(4_000_000))
    expected = [
        ("spend.spike", "The organization used 4.0 times its usual credits", True),
        ("spend.spike", "zoe@example.com used 4.0 times the usual credits", True),
    ]
    assert raised(db, owner) == raised(db, owner) == expected


def test_where_nobody_is_shown_alone_a_person_has_no_spike(
    db: Database, org: OrgId, owner: Caller
) -> None:
    uses(db, org, a_member(db, org, "zoe@example.com").user_id, a_spike(4_000_000))
    privacy.put(db, org, "team-only", None, by=owner)

    assert [title for _, title, _ in raised(db, owner)] == [
        "The organization used 4.0 times its usual credits"
    ]


@pytest.mark.parametrize(
    ("by_day", "usual"),
    [
        ({"1": 10, "2": 10, "3": 10, "4": 10, "5": 10, "9": 2_000_000}, 10),
        ({"1": 10, "2": 10, "3": 10, "4": 10, "5": 10, "9": 900_000}, None),
        ({"1": 10, "2": 10, "3": 10, "4": 10, "5": 0, "9": 2_000_000}, None),
        ({str(n): 1_000_000 for n in range(1, 6)} | {"9": 2_999_999}, None),
        ({str(n): 1_000_000 for n in range(1, 6)} | {"9": 3_000_000}, 1_000_000),
        ({str(n): 1_000_000 for n in range(1, 6)}, None),
    ],
)
def test_what_a_spike_is(by_day: dict[str, int], usual: int | None) -> None:
    assert watch.spike(by_day, "9") == usual


def test_a_member_sees_only_what_is_about_it(db: Database, org: OrgId, owner: Caller) -> None:
    zoe = a_member(db, org, "zoe@example.com")
    sends(db, org, zoe.user_id, NOW - timedelta(days=20))
    run_job(db, org, BadRequest("no"))
    assert len(raised(db, owner)) == 2

    privacy.put(db, org, "off", None, by=owner)
    [own] = reading.page(db, a_caller(db, org, zoe), limit=10)
    assert own.title == "zoe@example.com stopped sending data"
    assert reading.page(db, a_caller(db, org, a_member(db, org, "x@example.com")), limit=9) == []
    assert "A person stopped sending data" in [
        each.title for each in reading.page(db, owner, limit=10)
    ]


def test_an_alert_that_ends_by_itself_is_resolved_at_its_end(
    db: Database, org: OrgId, owner: Caller
) -> None:
    with db.transaction() as connection:
        raise_alert(
            connection, org, "limit.threshold", "k", "80 %", "b", {}, until=clock.now_ms() + 1
        )
    assert raised(db, owner) == [("limit.threshold", "80 %", True)]

    clock.freeze(NOW + timedelta(milliseconds=1))
    assert raised(db, owner) == [("limit.threshold", "80 %", False)]


def test_old_alerts_and_deliveries_are_deleted(db: Database, org: OrgId, owner: Caller) -> None:
    run_job(db, org, BadRequest("no"))
    raised(db, owner)
    clock.freeze(NOW + timedelta(days=401))

    assert raised(db, owner) == []

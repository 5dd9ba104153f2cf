"""Durable jobs: asked for once, done by one, ended where everybody sees it."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from stationmaster import clock
from stationmaster.access import operator
from stationmaster.access.model import Caller
from stationmaster.db.engine import Database
from stationmaster.errors import Conflict, NotFound, TooLarge
from stationmaster.ids import OrgId
from stationmaster.jobs import runner, service
from stationmaster.jobs.runner import Runner, Work
from tests.support.builders import a_member, an_organization

NOW = datetime(2026, 7, 1, tzinfo=UTC).timestamp()


@pytest.fixture(autouse=True)
def _time_stands_still() -> None:
    at(0)


def at(seconds: float) -> None:
    clock.freeze(datetime.fromtimestamp(NOW + seconds, UTC))


@pytest.fixture
def org(db: Database) -> OrgId:
    made = an_organization(db)
    a_member(db, made, role="owner")
    return made


@pytest.fixture
def owner(db: Database, org: OrgId) -> Caller:
    return operator.owner(db, org)


def ask(db: Database, org: OrgId, subject: str = "a") -> service.Job:
    return service.ask(db, org, "scan", subject, by=None)


def do_all(
    db: Database, handler: Callable[[Work], None], stop: threading.Event | None = None
) -> None:
    working = Runner(db, {"scan": handler})
    while working.do_next(stop or threading.Event()):
        pass


def failing(fault: Exception) -> Callable[[Work], None]:
    def fail(_work: Work) -> None:
        raise fault

    return fail


def test_a_job_is_done_once_and_then_succeeded(db: Database, org: OrgId) -> None:
    seen: list[service.Job] = []
    asked = ask(db, org)

    do_all(db, lambda work: seen.append(work.job))

    (begun,) = seen
    assert (begun.job_id, begun.state, begun.attempts) == (asked.job_id, "running", 1)
    ended = service.get(db, org, asked.job_id)
    assert (ended.state, ended.finished_at, ended.error) == ("succeeded", clock.now_ms(), None)


def test_asking_again_gives_the_one_that_waits_and_makes_it_due(db: Database, org: OrgId) -> None:
    first = service.ask(db, org, "scan", "a", by=None, delay_s=3600)
    again = ask(db, org)
    later = service.ask(db, org, "scan", "a", by=None, delay_s=60)

    assert {first.job_id} == {again.job_id, later.job_id}
    assert again.due_at == later.due_at == clock.now_ms()
    assert ask(db, org, "b").job_id != first.job_id


def test_asking_while_it_runs_makes_another_that_follows(db: Database, org: OrgId) -> None:
    order: list[str] = []

    def work(work: Work) -> None:
        order.append(work.job.job_id)
        if len(order) == 1:
            order.append(ask(db, org).job_id)

    ask(db, org)
    do_all(db, work)

    assert len(order) == 3
    assert order[1] == order[2] != order[0]


def test_a_failure_is_tried_again_with_growing_waits_and_then_given_up(
    db: Database, org: OrgId
) -> None:
    asked, waits, now = ask(db, org), [], 0.0
    for attempt in range(1, runner.ATTEMPTS_MAX + 1):
        do_all(db, failing(Conflict("It is\nbusy.")))
        known = service.get(db, org, asked.job_id)
        assert (known.attempts, known.error) == (attempt, "It is busy.")
        waits.append((known.due_at - clock.now_ms()) // 1000)
        now += waits[-1]
        at(now)

    assert tuple(waits[:-1]) == runner.RETRY_S
    assert known.state == "failed"


@pytest.mark.parametrize("fault", [NotFound("gone"), TooLarge("huge")])
def test_what_time_does_not_mend_fails_at_once(db: Database, org: OrgId, fault: Exception) -> None:
    asked = ask(db, org)
    do_all(db, failing(fault))
    known = service.get(db, org, asked.job_id)
    assert (known.state, known.attempts, known.error) == ("failed", 1, str(fault))


def test_what_nobody_expected_is_not_told(db: Database, org: OrgId) -> None:
    asked = ask(db, org)
    do_all(db, failing(ValueError("/secret/path")))
    known = service.get(db, org, asked.job_id)
    assert known.state == "queued"
    assert known.error is not None
    assert "secret" not in known.error


def test_a_failed_attempt_gives_way_to_one_that_waits(db: Database, org: OrgId) -> None:
    def work(work: Work) -> None:
        if work.job.attempts == 1 and not others:
            others.append(service.ask(db, org, "scan", "a", by=None, delay_s=60).job_id)
            raise Conflict("busy")

    others: list[str] = []
    asked = ask(db, org)
    do_all(db, work)

    assert service.get(db, org, asked.job_id).state == "failed"
    assert service.get(db, org, others[0]).state == "queued"


def test_a_job_that_is_called_off_is_not_begun(db: Database, org: OrgId, owner: Caller) -> None:
    asked = ask(db, org)
    assert service.cancel(db, owner, asked.job_id).state == "cancelled"
    do_all(db, failing(AssertionError()))
    with pytest.raises(Conflict):
        service.cancel(db, owner, asked.job_id)


def test_a_running_job_that_is_called_off_ends_at_its_next_step(
    db: Database, org: OrgId, owner: Caller
) -> None:
    steps: list[str] = []

    def work(work: Work) -> None:
        for name in ("one", "two"):
            work.step(name)
            steps.append(name)
            service.cancel(db, owner, work.job.job_id)

    asked = ask(db, org)
    do_all(db, work)
    assert steps == ["one"]
    assert service.get(db, org, asked.job_id).state == "cancelled"


def test_a_stop_puts_a_job_back_without_an_attempt_spent(db: Database, org: OrgId) -> None:
    stop = threading.Event()

    def work(work: Work) -> None:
        stop.set()
        work.step("never")

    asked = ask(db, org)
    assert Runner(db, {"scan": work}).do_next(stop)
    known = service.get(db, org, asked.job_id)
    assert (known.state, known.attempts, known.error) == ("queued", 0, None)


def test_a_job_whose_worker_was_killed_is_taken_again(db: Database, org: OrgId) -> None:
    clock.freeze(None)
    asked = ask(db, org)
    url = db._url
    with subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.worker", url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == asked.job_id
        do_all(db, failing(AssertionError("it is another's")))
        running = service.get(db, org, asked.job_id)
        process.kill()
    assert (running.state, running.step) == ("running", "hanging")

    do_all(db, lambda _work: None)

    known = service.get(db, org, asked.job_id)
    assert (known.state, known.attempts) == ("succeeded", 2)


def test_a_worker_that_lost_its_job_writes_nothing(db: Database, org: OrgId) -> None:
    def slow(work: Work) -> None:
        # Another process believes that this one is gone: its lock was lost with a connection.
        with db.transaction() as connection:
            taken = service.change(connection, work.job, attempts=2)
        assert taken is not None
        raise Conflict("too late")

    asked = ask(db, org)
    assert Runner(db, {"scan": slow}).do_next(threading.Event())
    known = service.get(db, org, asked.job_id)
    assert (known.state, known.attempts, known.error) == ("running", 2, None)


def test_organizations_take_turns(db: Database, org: OrgId) -> None:
    others = [an_organization(db, "other"), org]
    for subject in "abc":
        ask(db, org, subject)
    at(1)
    for subject in "abc":
        ask(db, others[0], subject)
    at(2)
    seen: list[str] = []

    do_all(db, lambda work: seen.append(work.job.org_id))

    assert [set(seen[n : n + 2]) for n in (0, 2, 4)] == [set(others)] * 3


def test_the_last_thread_is_kept_from_who_has_held_another_one_for_long(
    db: Database, org: OrgId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LONG_S", 0)
    stop = threading.Event()
    seen: list[str] = []
    other = an_organization(db, "other")
    for subject in "ab":
        ask(db, org, subject)

    def work(work: Work) -> None:
        seen.append(work.job.subject)
        if work.job.subject == "a":  # While the first is done, another thread looks for work.
            assert not working.do_next(stop)
            ask(db, other, "c")
            assert working.do_next(stop)

    working = Runner(db, {"scan": work}, at_once=2)
    while working.do_next(stop):
        pass

    assert seen == ["a", "c", "b"]


def test_an_organization_that_is_alone_has_all_threads(
    db: Database, org: OrgId, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LONG_S", 0)
    seen: list[str] = []
    for subject in "ab":
        ask(db, org, subject)

    def work(work: Work) -> None:
        seen.append(work.job.subject)
        if work.job.subject == "a":
            assert working.do_next(threading.Event())

    working = Runner(db, {"scan": work}, at_once=2)
    working.do_next(threading.Event())

    assert seen == ["a", "b"]


def test_a_thread_that_waits_for_its_work_learns_that_the_job_was_cancelled(
    db: Database, org: OrgId, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LOST_S", 0)

    def work(work: Work) -> None:
        work.look()
        service.cancel(db, owner, work.job.job_id)
        with pytest.raises(service.JobLost):
            work.look()

    asked = ask(db, org)
    do_all(db, work)

    assert service.get(db, org, asked.job_id).state == "cancelled"


def test_a_thread_that_waits_for_its_work_learns_that_its_process_ends(
    db: Database, org: OrgId
) -> None:
    stop = threading.Event()

    def work(work: Work) -> None:
        stop.set()
        work.look()

    asked = ask(db, org)
    Runner(db, {"scan": work}).do_next(stop)

    assert service.get(db, org, asked.job_id).state == "queued"


def test_ends_are_kept_bounded_for_each_subject(db: Database, org: OrgId) -> None:
    kept = [ask(db, org, "b")]
    do_all(db, lambda _work: None)
    for _ in range(runner.KEPT + 2):
        kept.append(ask(db, org))
        do_all(db, lambda _work: None)

    found = service.list_page(db, org, limit=100)
    expected = [*kept[: -runner.KEPT - 1 : -1], kept[0]]
    assert [each.job_id for each in found] == [each.job_id for each in expected]


def test_a_kind_that_a_process_does_not_know_waits_for_one_that_does(
    db: Database, org: OrgId
) -> None:
    asked = service.ask(db, org, "of-tomorrow", "a", by=None)
    do_all(db, failing(AssertionError()))
    assert service.get(db, org, asked.job_id).state == "queued"
    assert service.list_page(db, org, limit=9, kind="of-tomorrow", state="queued") == [asked]
    assert service.list_page(db, org, limit=9, kind="scan") == []

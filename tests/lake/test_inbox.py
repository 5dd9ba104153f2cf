from __future__ import annotations

import asyncio
import resource
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import pytest

from stationmaster.errors import Unavailable
from stationmaster.lake.inbox import Inbox, open_database
from stationmaster.lake.rows import Delivery
from tests.lake.installation import Installation, a_delivery
from tests.support.patience import PATIENCE_S


@contextmanager
def an_inbox(place: Installation, backlog_max: int = 2**30) -> Iterator[Inbox]:
    inbox = Inbox(open_database(place.settings), backlog_max)
    yield inbox
    inbox.close()


def test_an_acknowledged_delivery_is_in_the_database(place: Installation) -> None:
    with an_inbox(place) as inbox:
        inbox.append(a_delivery("org_a")).result(timeout=PATIENCE_S)
        assert place.inbox.rows("SELECT org_id, first_day, batch_id FROM inbox") == [
            ("org_a", "2026-11-20", None)
        ]


def test_an_event_loop_waits_for_the_commit_and_hears_that_storage_refused(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def deliver(inbox: Inbox) -> list[BaseException | None]:
        waiting = (inbox.store(a_delivery()) for _ in range(20))
        return await asyncio.gather(*waiting, return_exceptions=True)

    with an_inbox(place) as inbox:
        assert asyncio.run(deliver(inbox)) == [None] * 20
        assert place.waiting() == 20

        def refuse(*_: object) -> None:
            raise OSError

        monkeypatch.setattr(inbox.database, "write", refuse)
        faults = asyncio.run(deliver(inbox))
        assert {type(fault) for fault in faults} == {Unavailable}
        assert place.waiting() == 20


def test_what_an_event_loop_takes_together_shares_commits(place: Installation) -> None:
    async def deliver(inbox: Inbox) -> None:
        await asyncio.gather(*(inbox.store(a_delivery()) for _ in range(20)))

    commits: list[int] = []
    inbox = Inbox(open_database(place.settings), 2**30, lambda rows, _: commits.append(rows))
    asyncio.run(deliver(inbox))
    asyncio.run(deliver(inbox))
    asyncio.run(inbox.store(a_delivery()))
    inbox.close()

    assert sum(commits) == place.waiting() == 41
    assert len(commits) < 20


def test_a_delivery_without_events_keeps_its_tally(place: Installation) -> None:
    place.fill(Delivery("org_a", [], {("codex", "otlp_logs", "redundant"): 7}))
    assert place.inbox.rows("SELECT first_day, payload FROM inbox") == [(None, None)]


def test_an_empty_delivery_is_acknowledged_and_leaves_no_row(place: Installation) -> None:
    place.fill(Delivery("org_a", [], {}))
    assert place.waiting() == 0


def test_pending_tells_organizations_and_days_apart(place: Installation) -> None:
    with an_inbox(place) as inbox:
        inbox.append(a_delivery("org_a")).result(timeout=PATIENCE_S)
        assert inbox.pending("org_a", date(2026, 11, 20))
        assert inbox.pending("org_a", date(2026, 11, 21))
        assert not inbox.pending("org_a", date(2026, 11, 19))
        assert not inbox.pending("org_b", date(2026, 11, 21))


def test_a_full_backlog_refuses_at_once_and_keeps_what_it_has(place: Installation) -> None:
    with an_inbox(place, backlog_max=10) as inbox:
        inbox.append(a_delivery()).result(timeout=PATIENCE_S)
        with pytest.raises(Unavailable) as refusal:
            inbox.append(a_delivery())
        assert (refusal.value.code, refusal.value.retry_after_s) == ("writer_behind", 5)
        assert place.waiting() == 1


def test_a_backlog_of_another_process_counts_after_a_restart(place: Installation) -> None:
    place.fill(a_delivery())
    with (
        an_inbox(place, backlog_max=10) as inbox,
        pytest.raises(Unavailable, match="faster than it is stored"),
    ):
        inbox.append(a_delivery())


def test_an_emptied_backlog_is_noticed(place: Installation) -> None:
    with an_inbox(place, backlog_max=10) as inbox:
        inbox.append(a_delivery()).result(timeout=PATIENCE_S)
        place.mover().drain()
        inbox._recount_at = 0.0
        inbox._recount_when_due()
        inbox.append(a_delivery()).result(timeout=PATIENCE_S)


def test_a_closed_inbox_has_committed_and_takes_nothing_more(place: Installation) -> None:
    inbox = Inbox(open_database(place.settings), 2**30)
    futures = [inbox.append(a_delivery()) for _ in range(50)]
    inbox.close()
    assert all(future.done() for future in futures)
    assert place.waiting() == 50
    with pytest.raises(Unavailable, match="stopping"):
        inbox.append(a_delivery())


def test_appends_of_many_threads_all_land(place: Installation) -> None:
    with an_inbox(place) as inbox:

        def append() -> None:
            for _ in range(10):
                inbox.append(a_delivery(events=1)).result(timeout=PATIENCE_S)

        threads = [threading.Thread(target=append) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert place.waiting() == 80


def test_two_inboxes_share_one_table(place: Installation) -> None:
    with an_inbox(place) as first, an_inbox(place) as second:
        for inbox in (first, second):
            inbox.append(a_delivery()).result(timeout=PATIENCE_S)
    assert place.waiting() == 2


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_full_disk_fails_every_waiting_sender_and_later_ones_succeed(
    place: Installation,
) -> None:
    with an_inbox(place) as inbox:
        inbox.append(a_delivery()).result(timeout=PATIENCE_S)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
        try:
            refused = [inbox.append(a_delivery(events=50)) for _ in range(5)]
            faults = [future.exception(timeout=PATIENCE_S) for future in refused]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [type(fault) for fault in faults] == [Unavailable] * 5
        assert place.waiting() == 1
        inbox.append(a_delivery()).result(timeout=PATIENCE_S)
        assert place.waiting() == 2


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_locked_database_delays_and_loses_nothing(place: Installation) -> None:
    with an_inbox(place) as inbox:
        other = sqlite3.connect(place.settings.data_dir / "inbox.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        waiting = inbox.append(a_delivery())
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        other.execute("COMMIT")
        other.close()
        waiting.result(timeout=PATIENCE_S)
        assert place.waiting() == 1

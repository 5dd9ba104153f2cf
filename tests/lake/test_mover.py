from __future__ import annotations

import resource
import threading
import time
from datetime import date
from pathlib import Path

import msgspec
import pytest

from stationmaster import clock, days
from stationmaster.lake import mover as movers
from stationmaster.lake.mover import Mover
from stationmaster.lake.rows import Delivery
from tests.lake.dying_mover import DyingMovers
from tests.lake.installation import NOON, Installation, a_delivery
from tests.support.builders import an_event
from tests.support.patience import PATIENCE_S

FRIDAY = date(2026, 11, 20)
THURSDAY = date(2026, 11, 19)


def ids_of(*deliveries: Delivery) -> list[str]:
    return sorted(event.event_id for delivery in deliveries for event in delivery.events)


def claim(mover: Mover) -> str:
    """What a mover leaves that dies right after its claim."""
    batch_id = mover._claim(None)
    assert batch_id is not None
    return batch_id


def test_deliveries_become_one_part_per_organization_and_day(place: Installation) -> None:
    first = a_delivery("org_a", ts=NOON[FRIDAY])
    second = a_delivery("org_a", ts=NOON[THURSDAY])
    other = a_delivery("org_b", ts=NOON[FRIDAY])
    more = a_delivery("org_a", ts=NOON[FRIDAY])
    place.fill(first, second, other, more)
    place.mover().drain()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(first, more)
    assert place.lake_ids("org_a", THURSDAY) == ids_of(second)
    assert place.lake_ids("org_b", FRIDAY) == ids_of(other)
    assert len(place.parts("org_a", FRIDAY)) == 1
    assert place.waiting() == 0
    assert place.landed() == [
        ("org_a", "2026-11-19", 1, 0),
        ("org_a", "2026-11-20", 1, 0),
        ("org_b", "2026-11-20", 1, 0),
    ]
    assert place.outcomes() == [
        ("org_a", "claude-code", "otlp_logs", "kept", 9),
        ("org_b", "claude-code", "otlp_logs", "kept", 3),
    ]


def test_one_delivery_over_midnight_is_parted_by_utc_day(place: Installation) -> None:
    midnight = days.start_ms(FRIDAY)
    events = [an_event(ts=midnight - 1), an_event(ts=midnight)]
    place.fill(Delivery("org_a", events, {}))
    place.mover().drain()
    assert place.lake_ids("org_a", THURSDAY) == [events[0].event_id]
    assert place.lake_ids("org_a", FRIDAY) == [events[1].event_id]


def test_a_tally_without_events_is_counted_and_lands_nowhere(place: Installation) -> None:
    place.fill(Delivery("org_a", [], {("unknown:x", "otlp_logs", "unknown_source"): 4}))
    place.mover().drain()
    assert place.outcomes() == [("org_a", "unknown:x", "otlp_logs", "unknown_source", 4)]
    assert place.landed() == []
    assert place.waiting() == 0


def test_an_event_before_the_earliest_day_is_kept_and_opens_no_day(place: Installation) -> None:
    place.settings = msgspec.structs.replace(place.settings, earliest_day=FRIDAY)
    old, new = (an_event(ts=NOON[day]) for day in (THURSDAY, FRIDAY))
    place.fill(Delivery("org_a", [old, new], {}))

    place.mover().drain()

    assert place.lake_ids("org_a", THURSDAY) == [old.event_id]
    assert [(org, day) for org, day, *_ in place.landed()] == [("org_a", "2026-11-20")]


def test_a_tally_belongs_to_the_day_of_receipt(place: Installation) -> None:
    place.fill(a_delivery(ts=NOON[THURSDAY]))
    place.mover().drain()
    counted = place.state.rows("SELECT day FROM intake_counts")
    assert counted == [(clock.today().isoformat(),)]


def test_draining_one_organization_leaves_the_others(place: Installation) -> None:
    place.fill(a_delivery("org_a"), a_delivery("org_b"))
    place.mover().drain("org_a")
    assert place.inbox.rows("SELECT org_id, batch_id FROM inbox") == [("org_b", None)]


def test_small_batches_add_up(place: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movers, "BATCH_ROWS_MAX", 2)
    deliveries = [a_delivery("org_a") for _ in range(5)]
    place.fill(*deliveries)
    place.mover().drain()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(*deliveries)
    assert place.landed() == [("org_a", "2026-11-20", 3, 0)]


@pytest.mark.attack
@pytest.mark.slow
def test_a_mover_killed_before_any_step_loses_and_doubles_nothing(
    database_url: str, tmp_path: Path
) -> None:
    place = Installation.open(tmp_path, database_url)
    dying = DyingMovers(tmp_path, database_url)
    kept: dict[tuple[str, date], list[Delivery]] = {}
    step, died = 0, True
    while died:
        step += 1
        for org, day in (("org_a", THURSDAY), ("org_a", FRIDAY), ("org_b", FRIDAY)):
            delivery = a_delivery(org, ts=NOON[day])
            kept.setdefault((org, day), []).append(delivery)
            place.fill(delivery)
        died = dying.move_and_die(step)
        place.mover().drain()
        for (org, day), deliveries in kept.items():
            assert place.lake_ids(org, day) == ids_of(*deliveries), step
        assert place.landed() == [
            ("org_a", "2026-11-19", step, 0),
            ("org_a", "2026-11-20", step, 0),
            ("org_b", "2026-11-20", step, 0),
        ]
        assert place.outcomes() == [
            ("org_a", "claude-code", "otlp_logs", "kept", 6 * step),
            ("org_b", "claude-code", "otlp_logs", "kept", 3 * step),
        ]
        senders = place.state.rows("SELECT org_id, events, first_at, last_at FROM senders")
        assert sorted(senders) == [
            ("org_a", 6 * step, NOON[THURSDAY], NOON[FRIDAY]),
            ("org_b", 3 * step, NOON[FRIDAY], NOON[FRIDAY]),
        ]
        assert place.waiting() == 0
        assert not list(place.settings.lake_dir.rglob("*.partial"))
    assert step > 15
    dying.close()
    place.close()


def test_a_new_mover_finishes_the_claim_of_a_dead_one(place: Installation) -> None:
    delivery = a_delivery("org_a")
    place.fill(delivery)
    batch_id = claim(place.mover())
    place.mover().move()
    (part,) = place.parts("org_a", FRIDAY)
    assert part.name == f"part-{batch_id}.parquet"
    assert place.lake_ids("org_a", FRIDAY) == ids_of(delivery)


def test_a_running_mover_leaves_a_fresh_claim_to_its_owner_until_it_lapses(
    place: Installation,
) -> None:
    mover = place.mover()
    mover.move()
    place.fill(a_delivery("org_a"))
    batch_id = claim(place.mover())
    mover.move()
    assert place.inbox.rows("SELECT batch_id FROM inbox") == [(batch_id,)]
    clock.freeze(clock.datetime.fromtimestamp(clock.now_ms() / 1000 + 61, clock.UTC))
    mover.move()
    assert place.waiting() == 0


def test_a_drain_finishes_what_another_mover_does_not(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movers, "_FOREIGN_WAIT_S", 0.05)
    mover = place.mover()
    mover.move()
    delivery = a_delivery("org_a")
    place.fill(delivery)
    claim(place.mover())
    mover.drain()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(delivery)


def test_a_batch_finished_twice_is_accounted_for_once(place: Installation) -> None:
    delivery = a_delivery("org_a")
    place.fill(delivery)
    first, second = place.mover(), place.mover()
    batch_id = claim(first)
    batch = second._read(batch_id)
    first._finish(batch_id)
    second._read = lambda _: batch  # type: ignore[method-assign]  # the batch that another process has claimed
    second._finish(batch_id)
    assert place.lake_ids("org_a", FRIDAY) == ids_of(delivery)
    assert place.landed() == [("org_a", "2026-11-20", 1, 0)]
    assert place.outcomes() == [("org_a", "claude-code", "otlp_logs", "kept", 3)]


def test_movers_of_several_threads_and_connections_move_everything_once(
    place: Installation, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movers, "BATCH_ROWS_MAX", 3)
    deliveries = [a_delivery("org_a", events=2) for _ in range(40)]
    place.fill(*deliveries)
    others = [Installation.open(place.settings.data_dir, database_url) for _ in range(3)]
    threads = [threading.Thread(target=other.mover().drain) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(*deliveries)
    assert place.outcomes() == [("org_a", "claude-code", "otlp_logs", "kept", 80)]
    assert place.waiting() == 0


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE inbox SET payload = substr(payload, 1, 30) WHERE org_id = 'org_bad'",
        "UPDATE inbox SET payload = NULL, tally = substr(tally, 1, 5) WHERE org_id = 'org_bad'",
    ],
)
def test_a_corrupt_row_is_counted_set_aside_and_blocks_nobody(
    place: Installation, damage: str
) -> None:
    good = a_delivery("org_a")
    place.fill(good, a_delivery("org_bad"), a_delivery("org_a", events=0))
    with place.inbox.transaction() as connection:
        connection.exec_driver_sql(damage)
    mover = place.mover()
    mover.drain()
    mover.drain()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(good)
    ((batch_id, first_day),) = place.inbox.rows("SELECT batch_id, first_day FROM inbox")
    assert batch_id.startswith("corrupt:")
    assert first_day is None
    corrupt = [row for row in place.outcomes() if row[3] == "corrupt"]
    expected = ("unknown", "unknown", 1) if "tally" in damage else ("claude-code", "otlp_logs", 3)
    assert corrupt == [("org_bad", *expected[:2], "corrupt", expected[2])]


def test_events_that_fit_no_part_are_set_aside(place: Installation) -> None:
    good = a_delivery("org_a")
    place.fill(good, a_delivery("org_bad", input_tokens=2**63))
    place.mover().drain()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(good)
    assert place.outcomes() == [
        ("org_a", "claude-code", "otlp_logs", "kept", 3),
        ("org_bad", "claude-code", "otlp_logs", "corrupt", 3),
    ]


def test_a_lake_that_cannot_be_written_keeps_the_inbox_until_it_can(place: Installation) -> None:
    delivery = a_delivery("org_a")
    place.fill(delivery)
    place.settings.lake_dir.write_text("a file in the place of the folder")
    mover = place.mover()
    with pytest.raises(OSError, match="lake"):
        mover.move()
    assert place.waiting() == 1
    assert place.landed() == []
    place.settings.lake_dir.unlink()
    mover.move()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(delivery)
    assert place.landed() == [("org_a", "2026-11-20", 1, 0)]


def test_an_organization_that_cannot_be_written_keeps_no_other_waiting(
    place: Installation,
) -> None:
    good = [a_delivery("org_a"), a_delivery("org_c"), a_delivery("org_a"), a_delivery("org_c")]
    bad = [a_delivery("org_b"), a_delivery("org_b")]
    place.settings.lake_dir.mkdir(parents=True)
    obstacle = place.settings.lake_dir / "org=org_b"
    obstacle.write_text("a file in the place of the folder")
    place.fill(bad[0], *good[:2])
    mover = place.mover()

    for _ in range(2):
        with pytest.raises(OSError, match="org_b"):
            mover.move()
    place.fill(bad[1], *good[2:])
    mover.drain("org_a")
    mover.drain("org_c")
    with pytest.raises(OSError, match="org_b"):
        mover.drain("org_b")
    assert place.lake_ids("org_a", FRIDAY) == ids_of(good[0], good[2])
    assert place.lake_ids("org_c", FRIDAY) == ids_of(good[1], good[3])
    assert place.waiting() == 2

    obstacle.unlink()
    mover.drain()
    assert place.lake_ids("org_b", FRIDAY) == ids_of(*bad)
    assert place.waiting() == 0


def test_a_full_disk_leaves_no_part_and_no_account(place: Installation) -> None:
    delivery = a_delivery("org_a", events=2_000)
    place.fill(delivery)
    mover = place.mover()
    claim(mover)
    assert place.landed() == []  # Its files are open before nothing can grow any more.
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            mover.move()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert place.parts("org_a", FRIDAY) == []
    assert not list(place.settings.lake_dir.rglob("*.partial"))
    assert place.landed() == []
    mover.move()
    assert place.lake_ids("org_a", FRIDAY) == ids_of(delivery)


def test_a_running_mover_moves_by_itself_and_stops_when_told(
    place: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(movers, "GATHER_S", 0.1)
    monkeypatch.setattr(movers, "_POLL_S", 0.02)
    stop = threading.Event()
    thread = threading.Thread(target=place.mover().run, args=(stop,))
    thread.start()
    place.fill(a_delivery("org_a"))
    deadline = time.monotonic() + PATIENCE_S
    while place.waiting() and time.monotonic() < deadline:
        time.sleep(0.02)
    stop.set()
    thread.join()
    assert place.landed() == [("org_a", "2026-11-20", 1, 0)]


def test_batches_of_long_ago_are_forgotten_at_the_start(place: Installation) -> None:
    place.fill(a_delivery())
    place.mover().drain()
    with place.state.transaction() as connection:
        connection.exec_driver_sql("UPDATE moved_batches SET moved_at = 1")
    place.mover().move()
    assert place.state.rows("SELECT batch_id FROM moved_batches") == []

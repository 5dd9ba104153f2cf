"""What cannot be counted is found, set aside with a reason, and the rest of the day goes on."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pyarrow.parquet as pq
import pytest

from stationmaster import clock
from stationmaster.aggregate import day as day_room
from stationmaster.aggregate.day import roll_up
from stationmaster.aggregate.engines import metrics
from stationmaster.aggregate.faults import quarantine
from stationmaster.aggregate.faults.uncountable import Search, damaged
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError, Unavailable
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.rollups import reads
from stationmaster.lake.schema import to_table
from stationmaster.lake.storage import Lake
from tests.aggregate.lakes import DAY, bodies, document, event, land, rolled_up, settings

pytestmark = pytest.mark.slow

ORG = OrgId("org_a")
OTHER = OrgId("org_b")
# What the database has no part in is shown on one of them: a search is many rollups.
on_sqlite = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
HUGE = 2**62
"""No door lets a count of so many tokens in; its price overflows every integer."""


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


def calls(number: int, **fields: object) -> list[Event]:
    return [event("model_call", model="m", input_tokens=1, **fields) for _ in range(number)]


def aside(db: Database, org: OrgId = ORG) -> list[tuple[str, int, int]]:
    return [(reason, events, parts) for _, reason, events, parts in quarantine.overview(db, org)]


def test_an_event_whose_price_overflows_is_set_aside_and_the_others_count(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    uncountable = event("model_call", model="m", input_tokens=HUGE)
    land(db, config, ORG, [calls(4), [*calls(3), uncountable, *calls(3)], calls(2)])

    roll_up(db, config, ORG, DAY)

    assert document(db, ORG, "tokens")["input_tokens"] == 12
    assert aside(db) == [("OutOfRangeException", 1, 0)]
    assert uncountable.event_id in db.rows("SELECT item FROM quarantine WHERE org_id = ?", ORG)[0]
    assert not reads.is_due(db, ORG, DAY, DAY)


@on_sqlite
def test_the_day_reads_as_if_the_events_set_aside_had_never_come(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    good = [*calls(5), event("user_message"), event("tool_call", tool_raw="Bash")]
    rolled_up(db, config, OTHER, good)
    uncountable = [event("model_call", model="m", output_tokens=HUGE) for _ in range(3)]

    rolled_up(db, config, ORG, [*good[:3], *uncountable[:2], *good[3:], *uncountable[2:]])

    assert bodies(db, ORG) == bodies(db, OTHER)
    assert aside(db) == [("OutOfRangeException", 3, 0)]
    assert aside(db, OTHER) == []


@on_sqlite
def test_events_that_only_together_are_too_much_lose_as_few_as_need_be(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    # Each sum fits, two of them do not.
    uncountable = [event("tool_call", tool_raw="Bash", count=HUGE + 1) for _ in range(2)]

    land(db, config, ORG, [[*calls(2), uncountable[0]], calls(2), [uncountable[1], *calls(2)]])
    roll_up(db, config, ORG, DAY)

    assert document(db, ORG, "tokens")["input_tokens"] == 6
    assert sum(events for _, events, _ in aside(db)) == 2


@pytest.mark.both_databases
def test_text_that_the_database_refuses_is_set_aside(db: Database, tmp_path: Path) -> None:
    config = settings(tmp_path)
    uncountable = event("user_message", root_session_id="s\x00s")

    rolled_up(db, config, ORG, [*calls(3), uncountable])

    assert document(db, ORG, "tokens")["input_tokens"] == 3
    assert len(aside(db)) == (1 if db.dialect == "postgresql" else 0)


@on_sqlite
def test_an_exception_while_documents_are_made_leads_to_its_event(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    render = day_room.report_rows.render

    def stumbling(day: day_room.report_rows.Day) -> object:
        if "unheard-of" in day.tools:
            raise KeyError("unheard-of")
        return render(day)

    monkeypatch.setattr(day_room.report_rows, "render", stumbling)
    rolled_up(
        db,
        settings(tmp_path),
        ORG,
        [*calls(2), event("tool_call", tool_raw="unheard-of"), event("tool_call", tool_raw="a")],
    )

    assert document(db, ORG, "tools")["tool_calls"] == 1
    assert len(aside(db)) == 1


@on_sqlite
@pytest.mark.parametrize("damage", ["cut", "overwritten", "empty"])
def test_a_damaged_part_is_set_aside_and_the_others_count(
    db: Database, tmp_path: Path, damage: str
) -> None:
    config = settings(tmp_path)
    parts = [calls(10), [event("tool_call", tool_raw=f"t{n}") for n in range(500)]]
    land(db, config, ORG, parts, is_entered=False)
    part = Path(Lake.open(config).parts(ORG, DAY)[-1].path)
    whole = part.read_bytes()
    part.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "overwritten": whole[:100] + bytes(len(whole) // 2) + whole[100 + len(whole) // 2 :],
            "empty": b"",
        }[damage]
    )

    roll_up(db, config, ORG, DAY)

    assert document(db, ORG, "tokens")["input_tokens"] == 10
    assert document(db, ORG, "tools")["tool_calls"] == 0
    assert aside(db) == [("damaged_part", 0, 1)]
    assert list(config.scratch_dir.iterdir()) == []

    part.write_bytes(whole)
    assert quarantine.retry(db, ORG) == 1
    assert reads.is_due(db, ORG, DAY, DAY)
    roll_up(db, config, ORG, DAY)
    assert document(db, ORG, "tools")["tool_calls"] == 500
    assert aside(db) == []


@on_sqlite
def test_what_is_retried_before_it_is_mended_is_set_aside_again(
    db: Database, tmp_path: Path
) -> None:
    config = settings(tmp_path)
    rolled_up(db, config, ORG, [*calls(3), event("model_call", model="m", input_tokens=HUGE)])
    before = bodies(db, ORG)

    assert quarantine.retry(db, OTHER) == 0
    assert quarantine.retry(db, ORG) == 1
    roll_up(db, config, ORG, DAY)

    assert bodies(db, ORG) == before
    assert aside(db) == [("OutOfRangeException", 1, 0)]


@pytest.mark.parametrize(
    "trouble",
    [
        Unavailable("The disk is full."),
        OperatorError("The engine is out of reach.", code="engine_unreachable"),
        OSError(28, "No space left on device"),
        MemoryError(),
    ],
)
def test_a_failing_storage_or_engine_is_no_poison(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise trouble

    config = settings(tmp_path)
    land(db, config, ORG, [calls(10)])
    monkeypatch.setattr(metrics, "count", failing)

    with pytest.raises(type(trouble)):
        roll_up(db, config, ORG, DAY)

    assert aside(db) == []
    assert reads.is_due(db, ORG, DAY, DAY)


@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), PermissionError(13, "Denied")])
def test_a_part_that_the_disk_does_not_give_is_not_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: OSError
) -> None:
    def failing(*_: object, **__: object) -> None:
        raise fault

    lake = Lake.open(settings(tmp_path))
    lake.write(ORG, DAY, "a", [to_table(calls(1))])
    monkeypatch.setattr(pq.ParquetFile, "__init__", failing)

    assert damaged(lake, lake.parts(ORG, DAY)) == []


@on_sqlite
def test_a_fault_that_any_event_meets_is_ours_and_sets_nothing_aside(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a mistake of ours")

    config = settings(tmp_path)
    land(db, config, ORG, [calls(10)])
    monkeypatch.setattr(day_room.report_rows, "render", broken)

    with pytest.raises(KeyError):
        roll_up(db, config, ORG, DAY)

    assert aside(db) == []


@on_sqlite
def test_a_fault_that_does_not_come_back_sets_nothing_aside(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, faults = metrics.count, iter([KeyError("once")])

    def once(*given: object, **named: object) -> object:
        for fault in faults:
            raise fault
        return count(*given, **named)  # type: ignore[arg-type]  # what it was given

    config = settings(tmp_path)
    land(db, config, ORG, [calls(10)])
    monkeypatch.setattr(metrics, "count", once)

    with pytest.raises(KeyError):
        roll_up(db, config, ORG, DAY)
    roll_up(db, config, ORG, DAY)

    assert document(db, ORG, "tokens")["input_tokens"] == 10
    assert aside(db) == []


@pytest.mark.parametrize("seed", range(20))
def test_the_search_finds_exactly_those_that_fail_alone(seed: int) -> None:
    chance = Random(seed)
    number = chance.randrange(1, 3_000)
    bad = set(chance.sample(range(number), min(number, chance.randrange(1, 6))))
    tried = 0

    def fails(things: object) -> bool:
        nonlocal tried
        tried += len(list(things))  # type: ignore[call-overload]  # a sequence of numbers
        return not bad.isdisjoint(things)  # type: ignore[arg-type]  # the same

    assert sorted(Search(fails).find(range(number))) == sorted(bad)
    assert tried <= 3 * number * (1 + len(bad))


@pytest.mark.parametrize("seed", range(20))
def test_the_search_finds_a_smallest_group_that_fails_together(seed: int) -> None:
    chance = Random(seed)
    number = chance.randrange(3, 3_000)
    bad = set(chance.sample(range(number), chance.randrange(2, 4)))

    found = Search(lambda things: bad <= set(things)).find(range(number))

    assert sorted(found) == sorted(bad)


def test_the_search_ends_when_its_attempts_are_used_up() -> None:
    bad = set(range(0, 10_000, 2))
    tries = 0

    def fails(things: object) -> bool:
        nonlocal tries
        tries += 1
        return not bad.isdisjoint(things)  # type: ignore[arg-type]  # a sequence of numbers

    assert bad <= set(Search(fails).find(range(10_000)))
    assert tries < 600

"""A day whose parts are missing or changed is refused, keeps its figures, and is reported."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.aggregate import schedule
from stationmaster.aggregate.day import recount, roll_up
from stationmaster.aggregate.faults import quarantine
from stationmaster.db.engine import Database
from stationmaster.errors import OperatorError
from stationmaster.ids import OrgId
from stationmaster.lake import entries
from stationmaster.lake.integrity import DamagedParts
from stationmaster.lake.rollups import reads, store
from stationmaster.lake.storage import Lake
from stationmaster.pricing.credits import rates
from stationmaster.settings import Settings
from tests.aggregate.lakes import DAY, bodies, document, event, land, settings

ORG = OrgId("org_a")


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
def config(db: Database, tmp_path: Path) -> Settings:
    """Three parts of 1,000 tokens each, counted once."""
    made = settings(tmp_path)
    call = {"model": "m", "input_tokens": 1_000}
    land(db, made, ORG, [[event("model_call", **call)] for _ in range(3)], is_entered=False)
    roll_up(db, made, ORG, DAY)
    return made


def parts(config: Settings) -> list[Path]:
    return [Path(part.path) for part in Lake.open(config).parts(ORG, DAY)]


def tokens(db: Database) -> int:
    return int(document(db, ORG, "tokens")["input_tokens"])


def flip(part: Path) -> None:
    body = bytearray(part.read_bytes())
    body[len(body) // 2] ^= 1
    part.write_bytes(body)


def test_a_rollup_enters_the_parts_that_it_counted(db: Database, config: Settings) -> None:
    adopted = entries.of_day(db, ORG, DAY)

    assert sorted(adopted) == [part.name for part in parts(config)]
    assert [(entry.rows, entry.is_adopted) for entry in adopted.values()] == [(1, True)] * 3


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (Path.unlink, "missing"),
        (lambda part: part.write_bytes(part.read_bytes()[:-9]), "changed"),
        (flip, "changed"),
    ],
    ids=["deleted", "cut", "one bit"],
)
def test_a_restatement_over_a_damaged_part_is_refused_and_the_figures_stay(
    db: Database, config: Settings, damage: Callable[[Path], object], fault: str
) -> None:
    before = bodies(db, ORG)
    part = parts(config)[1]
    whole = part.read_bytes()
    damage(part)
    store.mark_range(db, ORG, DAY, DAY)

    with pytest.raises(DamagedParts, match=f"1 of 3 .* {part.name} \\({fault}\\)"):
        roll_up(db, config, ORG, DAY)

    assert bodies(db, ORG) == before
    assert reads.is_due(db, ORG, DAY, DAY)
    assert entries.faults(db, ORG) == [(DAY, part.name, fault)]
    assert quarantine.overview(db, ORG) == []

    part.write_bytes(whole)
    roll_up(db, config, ORG, DAY)
    assert tokens(db) == 3_000
    assert entries.faults(db, ORG) == []
    assert not reads.is_due(db, ORG, DAY, DAY)


def test_a_day_without_any_part_left_is_refused_too(db: Database, config: Settings) -> None:
    for part in parts(config):
        part.unlink()
    store.mark_range(db, ORG, DAY, DAY)

    with pytest.raises(DamagedParts, match="3 of 3"):
        roll_up(db, config, ORG, DAY)

    assert tokens(db) == 3_000


def test_a_what_if_over_a_damaged_part_is_refused(db: Database, config: Settings) -> None:
    parts(config)[0].unlink()

    with pytest.raises(OperatorError, match="missing"):
        recount(db, config, ORG, DAY, rates.card())


def test_a_day_is_counted_without_its_damaged_parts_where_that_is_asked_for(
    db: Database, config: Settings
) -> None:
    part = parts(config)[1]
    whole = part.read_bytes()
    part.unlink()
    store.mark_range(db, ORG, DAY, DAY)
    with pytest.raises(DamagedParts):
        schedule.roll_up_due(db, config, ORG)

    assert quarantine.leave_out_damaged(db, ORG) == 1
    schedule.roll_up_due(db, config, ORG)

    assert tokens(db) == 2_000
    assert [entry[1:] for entry in quarantine.overview(db, ORG)] == [("missing_part", 0, 1)]

    part.write_bytes(whole)
    quarantine.retry(db, ORG)
    schedule.roll_up_due(db, config, ORG)
    assert tokens(db) == 3_000


def test_a_day_that_is_not_due_is_not_counted_without_them(db: Database, config: Settings) -> None:
    """Its figures have what was in them."""
    parts(config)[1].unlink()
    with pytest.raises(DamagedParts):
        roll_up(db, config, ORG, DAY)

    assert quarantine.leave_out_damaged(db, ORG) == 0

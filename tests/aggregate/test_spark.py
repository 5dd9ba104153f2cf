"""Spark on a real cluster says what DuckDB says, byte for byte.

A rollup costs it seconds: only the recorded sessions are counted at every run, generated lakes
with SPARK_EXAMPLES=100.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from stationmaster import clock, days
from stationmaster.aggregate.day import roll_up
from stationmaster.aggregate.faults import quarantine
from stationmaster.db.engine import Database
from stationmaster.events.model import Event
from stationmaster.ids import OrgId
from stationmaster.lake.storage import Lake
from stationmaster.report_names import REPORTS
from stationmaster.settings import Settings
from tests.aggregate import lakes
from tests.aggregate.histories import histories, ties
from tests.support import databases, recordings, spark
from tests.support.commands import command, succeed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
EXAMPLES = int(os.environ.get("SPARK_EXAMPLES", "1"))
by_hand = pytest.mark.skipif(
    "SPARK_EXAMPLES" not in os.environ, reason="takes minutes; run it with SPARK_EXAMPLES=100"
)
APART = date(2026, 11, 23)
"""A day without recorded sessions, which is counted at once with theirs."""
EVE = lakes.DAY - timedelta(days=1)
MIDNIGHT = days.start_ms(lakes.DAY)
_orgs = count(1)
Stored = dict[date, tuple[dict[str, bytes], dict[str, bytes]]]


class Twins:
    """Two installations that differ in their engine alone."""

    def __init__(self, template: Path, folder: Path, master: str) -> None:
        self.pair: list[tuple[Database, Settings]] = []
        for engine in ("duckdb", "spark"):
            (folder / engine).mkdir()
            shutil.copyfile(template, folder / engine / "state.sqlite3")
            db = Database.open(databases.sqlite_url(folder / engine / "state.sqlite3"))
            fields: dict[str, Any] = {"engine": engine, "spark_master": master}
            self.pair.append((db, lakes.settings(folder / engine, **fields)))

    def land(self, org: OrgId, parts: list[list[Event]], day: date = lakes.DAY) -> None:
        for db, config in self.pair:
            lakes.land(db, config, org, [part for part in parts if part], day)

    def rolled_up(self, org: OrgId, *which: date) -> list[Stored]:
        """Everything that is stored of some days after their rollup, by each of the two."""
        found = []
        for db, config in self.pair:
            for day in which:
                roll_up(db, config, org, day)
            found.append({day: lakes.bodies(db, org, day) for day in which})
        return found

    def close(self) -> None:
        for db, _ in self.pair:
            db.close()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark.Cluster]:
    with spark.running_cluster(tmp_path_factory.mktemp("spark")) as running:
        yield running


@pytest.fixture(scope="module")
def twins(
    sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory, cluster: spark.Cluster
) -> Iterator[Twins]:
    made = Twins(sqlite_template, tmp_path_factory.mktemp("twins"), cluster.master)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _now() -> None:
    clock.freeze(datetime(2026, 11, 21, 12, tzinfo=UTC))


@st.composite
def skewed(draw: st.DrawFn) -> list[Event]:
    """A day of which most is one session of one person."""
    found = draw(histories())
    for event in found[: -len(found) // 8]:
        event.root_session_id = event.session_id = "s1"
        event.user_id, event.product = "user_ada", "codex"
    return found


@by_hand
@settings(
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(events=histories() | ties() | skewed(), data=st.data())
def test_ties_gaps_repeats_skew_and_late_data_give_the_same_bytes(
    twins: Twins, events: list[Event], data: st.DataObject
) -> None:
    org = OrgId(f"org_{next(_orgs)}")
    repeats = data.draw(st.lists(st.sampled_from(events), max_size=5)) if events else []
    arrived = data.draw(st.permutations(events + repeats))
    cut, late = sorted(data.draw(st.integers(0, len(arrived))) for _ in range(2))
    other = OrgId(f"org_{next(_orgs)}")
    twins.land(other, [arrived])

    twins.land(org, [arrived[:cut], arrived[cut:late]])
    if data.draw(st.booleans(), "rolled up before the rest arrives"):
        by_duckdb, by_spark = twins.rolled_up(org, lakes.DAY)
        assert by_spark == by_duckdb
    twins.land(org, [arrived[late:]])
    seen_before = data.draw(st.lists(st.sampled_from(events), max_size=3)) if events else []
    which = [lakes.DAY]
    if seen_before:
        _move(seen_before, MIDNIGHT - 2_000)
        twins.land(org, [seen_before], EVE)
        _move(seen_before, MIDNIGHT + 2_000)
        twins.land(org, [seen_before])
        which = [EVE, lakes.DAY]

    by_duckdb, by_spark = twins.rolled_up(org, *which)
    assert by_spark == by_duckdb


def _move(events: list[Event], ts: int) -> None:
    for event in events:
        event.ts = ts


def _gateway_calls() -> list[list[Event]]:
    """Model calls of two sessions, and the gateway's, of which one was not reported, without."""
    figures = {"input_tokens": 1200, "output_tokens": 57, "model": "gemini-2.5-pro"}
    noon = days.start_ms(APART) + 12 * 3_600_000
    reported = [
        lakes.event("model_call", **figures, ts=noon + place, root_session_id=session)
        for place, session in ((0, "s1"), (400, "s2"), (90_000, "s1"))
    ]
    passed = [
        lakes.event("model_call", source="gateway", ts=event.ts + 5, root_session_id=None)
        for event in reported
    ]
    for event in passed[:2]:
        event.input_tokens, event.output_tokens, event.model = 1200, 57, "gemini-2.5-pro"
    return [reported, passed]


def test_recorded_sessions_give_the_same_reports_through_the_commands(
    cluster: spark.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIONMASTER_NOW", "2026-12-01T00:00:00Z")
    data, twin = tmp_path / "data", tmp_path / "twin"
    succeed("init", "--data-dir", data)
    for agent in recordings.AGENTS:
        succeed("ingest", recordings.ROOT / agent, "--data-dir", data)
    # None of them has calls of the gateway, which belong to sessions that they do not name.
    config = lakes.settings(data)
    db = Database.open(config.state_url)
    [(org,)] = db.rows("SELECT org_id FROM organizations")
    lakes.land(db, config, org, _gateway_calls(), APART)
    db.close()
    shutil.copytree(data, twin)

    rolled = succeed("rollup", "--data-dir", data)["days"]
    on_spark = ("--engine", "spark", "--master", cluster.master)
    again = succeed("rollup", "--data-dir", twin, *on_spark)["days"]

    assert [(each["day"], each["changed"]) for each in again] == [
        (each["day"], each["changed"]) for each in rolled
    ]
    assert _reports(data) == _reports(twin)
    assert _coverage(data) == _coverage(twin)
    assert b'"billable_tokens":0' not in _reports(data)["tokens"].partition(b"}")[0]


def _reports(data: Path) -> dict[str, bytes]:
    which = ("--from", "2026-11-20", "--to", "2026-11-30", "--format", "json")
    return {
        report: command("analytics", report, *which, "--data-dir", data).stdout
        for report in REPORTS
    }


def _coverage(data: Path) -> list[Any]:
    """What was compared, and what events lack: both were found as the day was rolled up."""
    found = succeed("coverage", "--data-dir", data)
    assert len({each["agent"] for each in found["comparisons"]}) > 1
    return [found["comparisons"], found["quality"]]


@by_hand
def test_damaged_parts_and_overflowing_events_are_set_aside_as_with_duckdb(twins: Twins) -> None:
    org = OrgId(f"org_{next(_orgs)}")
    uncountable = lakes.event("model_call", model="m", input_tokens=2**62)
    good = [lakes.event("model_call", model="m", input_tokens=1) for _ in range(20)]
    twins.land(org, [good[:9], [uncountable, *good[9:]], [lakes.event("user_message")]])
    for _, config in twins.pair:
        parts = Lake.open(config).parts(org, lakes.DAY)
        Path(parts[-1].path).write_bytes(b"PAR1" + bytes(400) + b"PAR1")

    by_duckdb, by_spark = twins.rolled_up(org, lakes.DAY)

    assert by_spark == by_duckdb
    for db, _ in twins.pair:
        entries = quarantine.overview(db, org)
        assert sorted((each.events, each.parts) for each in entries) == [(0, 1), (1, 0)]

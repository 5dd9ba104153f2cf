"""Rolling up many small days: `python -m benchmarks.rollup_days DAYS EVENTS EMPTY_DAYS`.

Prints, as JSON, CPU and wall seconds of all days together, from the lake to stored documents, and
the most megabytes of memory. Events are those of the benchmark of one day, moved to each day under
ids of their own; days without events come before them.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from datetime import date, timedelta
from pathlib import Path

import duckdb

from benchmarks import lakes
from benchmarks.results import WORK
from stationmaster import clock, days
from stationmaster.access import service
from stationmaster.aggregate import schedule
from stationmaster.db.engine import Database
from stationmaster.ids import OrgId
from stationmaster.lake import accounts
from stationmaster.lake.storage import Lake
from stationmaster.settings import Settings

ORG = OrgId("org_bench")
_MOVED = """copy (select * replace (
  ts + {shift} as ts, cast(hash(event_id_hi, {n}) >> 1 as bigint) as event_id_hi,
  session_id || '-{n}' as session_id, root_session_id || '-{n}' as root_session_id
) from read_parquet('{source}/*.parquet')) to '{target}' (format parquet, compression zstd)"""


def measure(number: int, events: int, empty: int) -> tuple[float, float, int]:
    """Wall and CPU seconds, and megabytes."""
    folder = WORK / "rollup-days"
    shutil.rmtree(folder, ignore_errors=True)
    settings = Settings(data_dir=folder)
    folder.mkdir(parents=True)
    db = Database.open(settings.state_url)
    db.migrate()
    service.create_organization(db, "Bench")
    lake, last = Lake.open(settings), clock.today() - timedelta(days=1)
    source = lakes.generate(folder / "one", ORG, events)
    connection = duckdb.connect()
    for n in range(number):
        _land(connection, db, lake, source, last - timedelta(days=n))
    connection.close()
    if empty:
        _land_first(db, last - timedelta(days=number + empty - 1))
    began, cpu = time.perf_counter(), time.process_time()
    schedule.roll_up_due(db, settings, ORG)
    took = time.perf_counter() - began, time.process_time() - cpu
    db.close()
    shutil.rmtree(folder)
    # Not `ru_maxrss`, which begins with that of the process that started this one.
    status = Path("/proc/self/status").read_text()
    return *took, int(status.split("VmHWM:")[1].split()[0]) // 1024


def _land(
    connection: duckdb.DuckDBPyConnection, db: Database, lake: Lake, source: Path, day: date
) -> None:
    target = Path(lake.path(ORG, day, "bench"))
    target.parent.mkdir(parents=True)
    shift = days.start_ms(day) - days.start_ms(lakes.DAY)
    values = {"shift": shift, "n": day.toordinal(), "source": source, "target": target}
    connection.execute(_MOVED.format(**values))
    [part] = lake.parts(ORG, day)
    accounts.settle(db, f"bench {day}", {}, {(ORG, day): lake.adopt(part)})


def _land_first(db: Database, day: date) -> None:
    """Have the days begin earlier, without an event."""
    with db.transaction() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO lake_days (org_id, day, landed, rolled) VALUES ('{ORG}', '{day}', 0, 0)"
        )


if __name__ == "__main__":
    wall_s, cpu_s, peak_mb = measure(*(int(each) for each in sys.argv[1:4]))
    print(json.dumps([cpu_s, wall_s, peak_mb]))

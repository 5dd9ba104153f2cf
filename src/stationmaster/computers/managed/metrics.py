"""How busy managed computers are: averages of five minutes, kept for four days."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, delete, select

from stationmaster import clock
from stationmaster.db.engine import Database
from stationmaster.db.tables.computers import computer_metrics as table, managed_computers
from stationmaster.ids import OrgId
from stationmaster.relay_messages import Sample

GRAIN_MS = 5 * 60_000
KEPT_MS = 4 * 24 * 3600_000
_SINCE = """
SELECT began_at, samples, cpu, cpu_count, mem_used, mem_total, disk_used, disk_total
FROM computer_metrics WHERE org_id = ? AND computer_id = ? AND began_at >= ? ORDER BY began_at
"""


class Average(NamedTuple):
    """Of the samples of five minutes that begin at `began_at`; sizes are bytes."""

    began_at: int
    cpu_used_pct: float
    cpu_count: int
    mem_used: int
    mem_total: int
    disk_used: int
    disk_total: int


def add(db: Database, samples: Mapping[tuple[OrgId, str], Sample]) -> None:
    """Add a sample of each computer, named by organization and id; of managed ones alone."""
    if not samples:
        return
    began_at = clock.now_ms() // GRAIN_MS * GRAIN_MS
    with db.transaction() as connection:
        for (org, computer_id), sample in samples.items():
            if not _is_managed(connection, org, computer_id):
                continue
            sums = {
                "samples": 1,
                "cpu": round(sample.cpu_used_pct * 1000),
                "mem_used": sample.mem_used,
                "disk_used": sample.disk_used,
            }
            newest = {
                name: getattr(sample, name) for name in ("cpu_count", "mem_total", "disk_total")
            }
            key = {"org_id": org, "computer_id": computer_id, "began_at": began_at}
            added = db.insert(table).values(**key, **sums, **newest)
            connection.execute(
                added.on_conflict_do_update(
                    index_elements=list(key),
                    set_={name: table.c[name] + value for name, value in sums.items()} | newest,
                )
            )


def _is_managed(connection: Connection, org: OrgId, computer_id: str) -> bool:
    query = select(managed_computers.c.computer_id).filter_by(org_id=org, computer_id=computer_id)
    return connection.execute(query).first() is not None


def since(db: Database, org: OrgId, computer_id: str, start: int) -> list[Average]:
    """The averages that begin at `start` (UTC milliseconds) or later, oldest first."""
    return [
        Average(began, cpu / 1000 / n, cpus, mem // n, mem_total, disk // n, disk_total)
        for began, n, cpu, cpus, mem, mem_total, disk, disk_total in db.rows(
            _SINCE, org, computer_id, start
        )
    ]


def delete_old(db: Database) -> None:
    """Delete what is older than four days, of all organizations."""
    with db.transaction() as connection:
        connection.execute(delete(table).where(table.c.began_at < clock.now_ms() - KEPT_MS))

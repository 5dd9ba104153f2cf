"""What a page shows of a computer in figures: how busy it is, and its newest connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.access.audit import AuditRecord
from stationmaster.computers.managed import metrics
from stationmaster.computers.model import Computer
from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.frame.pages import Visit, listing, moment

HOURS = 24
CONNECTIONS_MAX = 20
_EVENT = "computer_connection"


def load(visit: Visit, computer: Computer) -> Plot | None:
    """The shares of processors, memory and disk in use in the last 24 hours, as far as a managed
    computer was connected; None where nothing is known."""
    if computer.provider != "managed":
        return None
    start = clock.now_ms() - HOURS * 3600_000
    averages = metrics.since(visit.db, visit.org, computer.computer_id, start)
    if not averages:
        return None
    places = [f"{datetime.fromtimestamp(a.began_at / 1000, UTC):%H:%M}" for a in averages]
    values: dict[str, list[float | None]] = {
        "processors": [average.cpu_used_pct / 100 for average in averages],
        "memory": [_share(average.mem_used, average.mem_total) for average in averages],
        "disk": [_share(average.disk_used, average.disk_total) for average in averages],
    }
    series = [Series(name, of, slot) for slot, (name, of) in enumerate(values.items(), start=1)]
    chart = Chart(
        "load", "In use, of all that there is", "share", [], series, places=places, is_summed=False
    )
    call = visit.call(f"/api/v0/computers/{computer.computer_id}/metrics")
    return Plot(chart, call, "lines", "Five minutes from")


def connections(visit: Visit, computer: Computer) -> list[AuditRecord]:
    """The newest streams that were closed or refused, newest first."""
    return audit.page(
        visit.db, visit.org, limit=CONNECTIONS_MAX, event_type=_EVENT, target=computer.computer_id
    )


def connections_table(rows: Sequence[AuditRecord], owners: Mapping[str, str]) -> Table:
    """The same as a list that is offered as CSV."""
    heads = ("When (UTC)", "By", "Port", "Seconds", "Bytes to it", "Bytes from it", "Refused")
    cells = [
        (
            *(moment(row.created_at), names_by(row, owners)),
            *(str(payload.get(name, "")) for name in ("port", "seconds", "bytes_in", "bytes_out")),
            str(payload.get("refused", "")),
        )
        for row in rows
        for payload in [row.payload or {}]
    ]
    return listing("connections", "Connections", heads, cells, "")


def names_by(row: AuditRecord, owners: Mapping[str, str]) -> str:
    """Who connected, by name."""
    return "" if row.actor is None else owners.get(row.actor.id, row.actor.id)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

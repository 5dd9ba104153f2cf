"""What is listed and drawn of one computer: its steps, its history, its newest connections and how
busy it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from stationmaster import clock
from stationmaster.access import audit
from stationmaster.computers import model
from stationmaster.computers.managed import metrics
from stationmaster.web.charts.model import Chart, Series
from stationmaster.web.figures.blocks import Plot, Table
from stationmaster.web.frame.pages import Visit, listing

API = "/api/v0/computers"
HOURS = 24
CONNECTIONS_MAX = 20
_EVENT = "computer_connection"


def steps(visit: Visit, computer: model.Computer) -> Table:
    """The steps of setting it up, as far as they are done."""
    columns = (
        "name: Step, status: State, started_at: Begun (UTC), completed_at: Ended (UTC), "
        "error: Error"
    )
    call = visit.call(f"{API}/{computer.computer_id}")
    return listing("steps", "Steps", columns, computer.provisioning_steps, call)


def history(
    visit: Visit, computer_id: str, history: Sequence[model.StatusChange], owners: Mapping[str, str]
) -> Table:
    """The changes of its state, and who made them."""
    rows = [(change, owners.get(change.actor_id, change.actor_id)) for change in history]
    columns = (
        "0.created_at: When (UTC), 0.cause: What, 0.from_status: State before, "
        "0.to_status: State after, 1: By"
    )
    call = visit.call(f"/api/platform/v1/computers/{computer_id}/history")
    return listing("history", "History", columns, rows, call)


def load(visit: Visit, computer: model.Computer) -> Plot | None:
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


def connections(visit: Visit, computer: model.Computer) -> list[audit.AuditRecord]:
    """The newest streams that were closed or refused, newest first."""
    return audit.page(
        visit.db, visit.org, limit=CONNECTIONS_MAX, event_type=_EVENT, target=computer.computer_id
    )


def connections_table(rows: Sequence[audit.AuditRecord], owners: Mapping[str, str]) -> Table:
    """The same as a list that is offered as CSV."""
    names = ("port", "seconds", "bytes_in", "bytes_out", "refused")
    cells = [
        (row.created_at, _names_by(row, owners), *(str(payload.get(name, "")) for name in names))
        for row in rows
        for payload in [row.payload or {}]
    ]
    columns = (
        "0: When (UTC), 1: By, 2: Port, 3: Seconds, 4: Bytes to it, 5: Bytes from it, 6: Refused"
    )
    return listing("connections", "Connections", columns, cells, "")


def _names_by(row: audit.AuditRecord, owners: Mapping[str, str]) -> str:
    """Who connected, by name."""
    return "" if row.actor is None else owners.get(row.actor.id, row.actor.id)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

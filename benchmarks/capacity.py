"""The table of capacity in docs/operate.md, from the figures of the benchmarks that are kept.

python -m benchmarks.capacity, after `make bench`.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from benchmarks.results import KEPT, ROOT, Result

GUIDE = ROOT / "docs" / "operate.md"
START, END = "<!-- capacity -->", "<!-- /capacity -->"
EVENTS_PER_USER = 500
"""Of one active person and day; an assumption, like the next two."""
PEAK_SHARE = 0.15
"""Of a day's events in its busiest hour."""
READS_PER_USER = 20
"""Requests for reports, of one person in the busiest hour."""
HEADROOM = 0.5
"""How much of what was measured is planned with."""

INGEST = "stationmaster up items_per_second"
INGEST_MEMORY = "stationmaster up peak_mb"
ROLLUP = "rollup events_per_second"
ROLLUP_MEMORY = "rollup peak_mb"
READS = "stationmaster SQLite 1 processes requests_per_second"


def table(figures: Mapping[str, float]) -> str:
    """Markdown; KeyError for a figure that was not measured."""
    events = figures[INGEST] * HEADROOM
    reads = figures[READS] * HEADROOM
    rollup = figures[ROLLUP] * HEADROOM
    people = events * 3600 / PEAK_SHARE / EVENTS_PER_USER
    rows = [
        (
            "events taken by one `up`, moving included",
            f"{events:,.0f} a second",
            "half of measured",
        ),
        (
            "active people whose events that is",
            f"{people:,.0f}",
            f"{EVENTS_PER_USER} events each, {PEAK_SHARE:.0%} of them in the busiest hour",
        ),
        (
            "days of these people rolled up",
            f"{people * EVENTS_PER_USER / rollup:,.0f} s each",
            f"{rollup:,.0f} events a second, half of measured",
        ),
        (
            "reports answered by one process",
            f"{reads:,.0f} a second",
            f"half of measured; {reads * 3600 / READS_PER_USER:,.0f} people who ask "
            f"{READS_PER_USER} times an hour",
        ),
        (
            "memory of one `up`",
            f"{figures[INGEST_MEMORY] + figures[ROLLUP_MEMORY]:,.0f} MB",
            "the peaks of taking and of rolling up, added",
        ),
    ]
    head = "| what | plan with | from |\n|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main() -> None:
    """Write the table into the guide."""
    kept = [msgspec.json.decode(path.read_bytes(), type=Result) for path in KEPT.glob("*.json")]
    figures = {name: value for each in kept for name, value in each.figures.items()}
    before, _, rest = GUIDE.read_text().partition(START)
    _, _, after = rest.partition(END)
    GUIDE.write_text(f"{before}{START}\n{table(figures)}{END}{after}")


if __name__ == "__main__":
    main()

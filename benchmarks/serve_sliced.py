"""Reads of 90 days about parts of an organization: alone, and beside plain reports.

The organization has 730 people, 200 repositories and 12 teams; its days are rolled up from
generated events. One reader asks for one report after the other over HTTP; then plain reports of 30
days are asked for alone and beside four such readers, in turn, and a Starlette route that makes the
plain read alone.
"""

from __future__ import annotations

import http.client
import shutil
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from benchmarks import serve, sliced_data
from benchmarks.results import WORK, Result, machine
from benchmarks.serve_apps import settings
from benchmarks.serve_data import LAST
from benchmarks.sliced_data import DAYS
from stationmaster import clock

PORT = 18796
EVENTS = (2_222, 22_222)
"""A day: 200,000 and 2 million in all."""
ROUNDS = 20
PLAIN_ROUNDS = 3
SECONDS = 2.0
READERS = 4
GOAL_MS = 100
GOAL_KEPT = 0.8
_RANGE = f"startDate={LAST - timedelta(days=DAYS - 1)}&endDate={LAST}"
_FIVE, _MORE = "/api/v1/analytics/", "/api/platform/v1/analytics/"
READS = {
    "users of a team, 100": f"{_FIVE}users?{_RANGE}&team=team-1&limit=100",
    "tokens by repository": f"{_FIVE}tokens?{_RANGE}&group_by=repository",
    "tokens by user": f"{_FIVE}tokens?{_RANGE}&group_by=user",
    "productivity by repository": f"{_FIVE}productivity?{_RANGE}&group_by=repository",
    "activity by team": f"{_FIVE}activity?{_RANGE}&group_by=team",
    "activity of a team": f"{_FIVE}activity?{_RANGE}&team=team-1",
    "tokens of an agent": f"{_FIVE}tokens?{_RANGE}&agent=codex",
    "tools of a team": f"{_FIVE}tools?{_RANGE}&team=team-1",
    **{
        f"{report} by user{f', a {period}' if period != 'day' else ''}": (
            f"{_MORE}{report}?{_RANGE}&group_by=user&period={period}"
        )
        for report in ("edits", "tool-runs", "errors", "cache", "spend")
        for period in ("day", "month")
    },
    "spend by model": f"{_MORE}spend?{_RANGE}&group_by=model",
    "costs": f"/api/platform/v1/costs?{_RANGE}",
    "costs by team": f"/api/platform/v1/costs?{_RANGE}&group_by=team",
    "costs by user": f"/api/platform/v1/costs?{_RANGE}&group_by=user",
}
"""Each beside the path of its answer."""
_BESIDE = ("tokens by repository", "productivity by repository", "edits by user, a month")
_PLAIN = f"{_FIVE}activity?startDate=2026-10-22&endDate={LAST}"


def run() -> list[Result]:
    return [_result({events: _measured(events) for events in EVENTS})]


Measured = tuple[dict[str, tuple[float, float, float]], dict[str, float]]
"""Of each read the first answer, the median and the 95th percentile in ms; requests a second of
plain reports alone, beside readers, and of the plain route."""


def _measured(events: int) -> Measured:
    data_dir = WORK / "serve-sliced"
    shutil.rmtree(data_dir, ignore_errors=True)
    made = settings(data_dir)
    clock.freeze(made.now)
    try:
        key, _ = sliced_data.build(made, events)
        clock.freeze(None)
        return _latencies(data_dir, key), _rates(data_dir, key)
    finally:
        clock.freeze(None)
        shutil.rmtree(data_dir, ignore_errors=True)


def _latencies(data_dir: Path, key: str) -> dict[str, tuple[float, float, float]]:
    found = {}
    with serve.server("ours", data_dir, PORT):
        for name, path in READS.items():
            first, *rest = (_ask(key, path) for _ in range(ROUNDS + 1))
            found[name] = first, statistics.median(rest), sorted(rest)[int(0.95 * len(rest)) - 1]
    return found


def _ask(key: str, path: str) -> float:
    """Milliseconds until an answer is there."""
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120)
    began = time.perf_counter()
    connection.request("GET", path, headers={"Authorization": f"Bearer {key}"})
    answer = connection.getresponse()
    body = answer.read()
    took = (time.perf_counter() - began) * 1_000
    connection.close()
    if answer.status != 200:
        raise RuntimeError(body[:500].decode())
    return took


def _rates(data_dir: Path, key: str) -> dict[str, float]:
    rates: dict[str, list[float]] = {}
    with (
        serve.server("ours", data_dir, PORT) as ours,
        serve.server("bare", data_dir, PORT + 1) as bare,
    ):
        for path in _BESIDE:
            _ask(key, READS[path])
        for _ in range(PLAIN_ROUNDS):
            rates.setdefault("route", []).append(_rate(key, bare, PORT + 1))
            rates.setdefault("alone", []).append(_rate(key, ours, PORT))
            with _readers(key):
                rates.setdefault("beside", []).append(_rate(key, ours, PORT))
    return {name: statistics.median(values) for name, values in rates.items()}


def _rate(key: str, pid: int, port: int) -> float:
    request = (
        f"GET {_PLAIN}&org=sliced HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {key}\r\nAccept: */*\r\n\r\n"
    )
    return serve.load([request], pid, port, SECONDS)["per_second"]


@contextmanager
def _readers(key: str) -> Iterator[None]:
    """READERS that ask for one report after the other."""
    stop = threading.Event()

    def read(number: int) -> None:
        while not stop.is_set():
            _ask(key, READS[_BESIDE[number % len(_BESIDE)]])

    threads = [threading.Thread(target=read, args=(n,)) for n in range(READERS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _result(found: dict[int, Measured]) -> Result:
    largest = found[EVENTS[-1]]
    slow = [name for name, (*_, p95) in largest[0].items() if p95 > GOAL_MS]
    kept = {events: rates["beside"] / rates["alone"] for events, (_, rates) in found.items()}
    rows = [
        [name, *(f"{ms:.0f}" for events in EVENTS for ms in found[events][0][name])]
        for name in READS
    ]
    plain = "; ".join(
        f"{DAYS * events:,} events: {rates['alone']:,.0f}/s alone, {rates['beside']:,.0f}/s "
        f"({kept[events]:.2f}) beside readers, the plain route {rates['route']:,.0f}/s"
        for events, (_, rates) in found.items()
    )
    return Result(
        name="serve_sliced",
        title="Reports about parts of an organization",
        about=f"{(__doc__ or '').strip()} {ROUNDS} answers of each after the first. Plain reports: "
        f"{plain}. {machine()}",
        columns=[
            "report",
            *(
                f"{what} ms, {DAYS * events:,} events"
                for events in EVENTS
                for what in ("first", "p50", "p95")
            ),
        ],
        rows=rows,
        verdict=f"p95 over {GOAL_MS} ms: {', '.join(slow) or 'none'}. Plain reports keep "
        f"{min(kept.values()):.2f} of their rate beside {READERS} readers (goal: {GOAL_KEPT}). "
        "A first answer, for which days are decoded and added up, takes up to "
        f"{max(first for first, *_ in largest[0].values()) / 1_000:.1f} s.",
        figures={f"{name} p95_ms": p95 for name, (*_, p95) in largest[0].items()},
    )

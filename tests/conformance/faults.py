"""Every way in which a request can fail, provoked on running servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import msgspec

from stationmaster import clock
from tests.spec import day
from tests.support.cast import Cast
from tests.support.servers import Server, running_server, settings_for

ANALYTICS = "/api/v1/analytics/tokens"
EVENTS = "/api/platform/v1/events"
ME = "/api/platform/v1/me"
DAY = {"startDate": "2026-11-20", "endDate": "2026-11-20"}
JSON = {"Content-Type": "application/json"}
NARROW = {"analytics_requests_per_minute": 1, "requests_per_minute": 1, "inbox_backlog_max": 1}

Faults = dict[str, httpx.Response]


def provoked(folder: Path) -> Faults:
    """Answers by what is wrong with their requests; those of analytics begin with its name."""
    clock.freeze(day.NOW)
    with ExitStack() as opened:
        return dict(
            [
                *_refused(_client(opened, settings_folder=folder / "plain")),
                *_exhausted(_client(opened, settings_folder=folder / "narrow", **NARROW)),
                *_broken(folder / "broken"),
            ]
        )


def _client(opened: ExitStack, *, settings_folder: Path, **fields: object) -> httpx.Client:
    server = opened.enter_context(running_server(settings_for(settings_folder, "sqlite", **fields)))
    return opened.enter_context(server.client(Cast(server.services.db, "ours").keys["owner"]))


def _refused(client: httpx.Client) -> Iterator[tuple[str, httpx.Response]]:
    nobody = {"Authorization": ""}
    yield "analytics: no dates", client.get(ANALYTICS)
    yield "analytics: no credential", client.get(ANALYTICS, params=DAY, headers=nobody)
    yield "analytics: unknown address", client.get("/api/v1/analytics/nothing")
    yield "analytics: wrong method", client.post(ANALYTICS)
    yield "no credential", client.get(ME, headers=nobody)
    yield "wrong method", client.delete(ME)
    yield "unknown address", client.get("/api/v0/nothing")
    yield "no JSON", client.post(EVENTS, content=b"{", headers=JSON)
    yield "wrong media type", client.post(EVENTS, content=b"x", headers={"Content-Type": "a/b"})
    yield "too large", client.post(EVENTS, content=bytes(33 * 2**20), headers=JSON)


def _exhausted(client: httpx.Client) -> Iterator[tuple[str, httpx.Response]]:
    client.get(ANALYTICS, params=DAY)
    yield "analytics: too many", client.get(ANALYTICS, params=DAY)
    client.get(ME)
    yield "too many", client.get(ME)
    day.send(client, day.thursday())
    more = msgspec.json.encode(day.thursday())
    yield "full", client.post(EVENTS, content=more, headers=JSON)


def _broken(folder: Path) -> Iterator[tuple[str, httpx.Response]]:
    with running_server(settings_for(folder, "sqlite")) as server:
        key = break_state(server)
        with server.client(key) as client:
            yield "analytics: broken", client.get(ANALYTICS, params=DAY)
            yield "broken", client.get(ME)


def break_state(server: Server) -> str:
    """Take away what every request needs; a key that was valid before."""
    key = Cast(server.services.db, "ours").keys["owner"]
    assert key is not None
    with server.services.db.transaction() as connection:
        connection.exec_driver_sql("DROP TABLE api_keys")
    return key

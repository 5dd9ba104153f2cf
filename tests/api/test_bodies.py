"""Bodies in memory: small for unknown callers, and no organization takes the room of the others."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import httpx
import pytest

from stationmaster.api.bodies import JSON_BYTES_MAX, OPEN_BYTES_MAX, Bodies
from stationmaster.api.telemetry.admission import Overloaded
from tests.support.builders import a_key, a_member, an_organization
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for

pytestmark = pytest.mark.attack
MIB = 2**20
JSON = {"Content-Type": "application/json"}
SIGN_IN = "/api/platform/v1/auth/token"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("bodies")
    settings = settings_for(folder, "sqlite", request_bodies_max=8 * MIB)
    with running_server(settings) as running:
        yield running


@contextmanager
def unfinished(server: Server, path: str, sent: int, key: str | None = None) -> Iterator[None]:
    """A request of which so many bytes have arrived, and one is missing."""
    address = httpx.URL(server.url)
    fields = [
        f"POST {path} HTTP/1.1",
        "Host: x",
        "Content-Type: application/json",
        f"Content-Length: {sent + 1}",
        *([f"Authorization: Bearer {key}"] if key else []),
    ]
    with socket.create_connection((address.host, address.port or 0), timeout=10) as client:
        client.sendall("\r\n".join(fields).encode() + b"\r\n\r\n" + b" " * sent)
        yield


def wait_for(server: Server, total: int) -> None:
    deadline = 2_000
    while server.services.bodies.total != total and deadline:
        httpx.get(f"{server.url}/healthz", timeout=PATIENCE_S)
        deadline -= 1
    assert server.services.bodies.total == total


def a_sender(server: Server) -> str:
    db = server.services.db
    org = an_organization(db)
    return a_key(db, org, a_member(db, org, f"ada@{org}.example"))


@pytest.mark.parametrize("path", [SIGN_IN, "/api/platform/v1/auth/refresh"])
def test_an_unknown_caller_sends_no_large_body(server: Server, path: str) -> None:
    with server.client() as stranger:
        refused = stranger.post(path, content=b" " * (OPEN_BYTES_MAX + 1), headers=JSON)

    assert (refused.status_code, refused.json()["metadata"]["code"]) == (413, "body_too_large")


def test_a_body_that_the_framework_reads_is_limited(server: Server) -> None:
    with server.client(a_sender(server)) as member:
        body = b'{"name": "' + b"x" * JSON_BYTES_MAX + b'"}'
        refused = member.post("/api/platform/v1/keys", content=body, headers=JSON)

    assert (refused.status_code, refused.json()["metadata"]) == (
        413,
        {"code": "body_too_large", "size_max": JSON_BYTES_MAX},
    )


def test_bodies_of_one_organization_leave_room_for_others(server: Server) -> None:
    ours, theirs = a_sender(server), a_sender(server)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(unfinished(server, "/v1/logs", MIB - 1, ours))
        wait_for(server, 2 * (MIB - 1))
        body = b'{"x": "' + b"x" * 1000 + b'"}'
        with server.client(ours) as full, server.client(theirs) as free:
            refused = full.post("/v1/logs", content=body, headers=JSON)
            taken = free.post("/v1/logs", content=body, headers=JSON)

    assert (refused.status_code, taken.status_code) == (503, 200)
    assert int(refused.headers["retry-after"]) > 0
    wait_for(server, 0)


def test_bodies_of_unknown_callers_leave_room_for_those_that_are_known(server: Server) -> None:
    sender = a_sender(server)
    with ExitStack() as held:
        for _ in range(32):
            held.enter_context(unfinished(server, SIGN_IN, OPEN_BYTES_MAX - 1))
        wait_for(server, 32 * (OPEN_BYTES_MAX - 1))
        with server.client() as stranger, server.client(sender) as known:
            refused = stranger.post(SIGN_IN, content=b"{" + b" " * 100, headers=JSON)
            taken = known.post("/v1/logs", content=b"{}" + b" " * MIB, headers=JSON)

    assert (refused.status_code, taken.status_code) == (503, 200)
    wait_for(server, 0)


def test_what_a_request_held_is_given_back() -> None:
    bodies = Bodies(1000)
    first: dict[str, object] = {}
    second: dict[str, object] = {}
    bodies.hold(first, "a", 100)
    bodies.hold(first, "a", 150)
    with pytest.raises(Overloaded):
        bodies.hold(second, "a", 1)
    for name in ("b", "c", "d"):
        bodies.hold(second, name, 250)
    with pytest.raises(Overloaded):
        bodies.hold({}, "e", 1)

    bodies.release(first)
    bodies.hold(first, "a", 250)
    bodies.release(first)
    bodies.release(second)

    assert bodies.total == 0

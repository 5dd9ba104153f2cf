"""Connections of unknown visitors: bounded in size, number and time, while others are served."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import httpx
import pytest

from stationmaster.api.serving import connections
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for

pytestmark = pytest.mark.attack
QUICK_S = 0.3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("connections")
    with running_server(settings_for(folder, "sqlite")) as running:
        yield running


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEAD_SECONDS", "BODY_SECONDS", "STALLED_SECONDS"):
        monkeypatch.setattr(connections, name, QUICK_S)


def connected(server: Server) -> socket.socket:
    address = httpx.URL(server.url)
    opened = socket.create_connection((address.host, address.port or 0), timeout=10)
    opened.settimeout(10)
    return opened


def answer(server: Server, *parts: bytes) -> tuple[int, str]:
    """The status and the code of what the server says before it hangs up."""
    with connected(server) as client:
        try:
            for part in parts:
                client.sendall(part)
        except OSError:
            pass  # It hung up before everything was sent.
        return read(client)


def read(client: socket.socket) -> tuple[int, str]:
    received = b""
    try:
        while piece := client.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    if not received:
        return 0, ""
    head, _, body = received.partition(b"\r\n\r\n")
    problem = json.loads(body) if body[:1] == b"{" else {}
    return int(head.split()[1]), problem.get("metadata", {}).get("code", "")


def is_alive(server: Server) -> bool:
    return httpx.get(f"{server.url}/healthz", timeout=5).status_code == 200


def test_a_request_refused_before_it_was_read_has_an_id(server: Server) -> None:
    refused = httpx.get(f"{server.url}/healthz?{'a' * 20_000}", timeout=PATIENCE_S)

    assert (refused.status_code, refused.headers["x-request-id"][:4]) == (414, "req_")


LINE = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("parts", "status", "code"),
    [
        ([b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n"], 414, "uri_too_long"),
        ([b"GET /", *[b"a" * 65_536] * 64], 414, "uri_too_long"),
        ([LINE + b"X: " + b"a" * 70_000 + b"\r\n\r\n"], 431, "headers_too_large"),
        ([LINE + b"X: ", *[b"a" * 65_536] * 64], 431, "headers_too_large"),
        ([LINE, *[b"x" * 65_536] * 64], 431, "headers_too_large"),
        ([LINE + b"".join(b"a%d: 1\r\n" % n for n in range(200)) + b"\r\n"], 431, None),
        ([LINE, *[b"a: 1\r\n" * 10_000] * 64], 431, "headers_too_large"),
        ([b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"], 400, "invalid_http"),
        ([b"\r\n\r\nNONSENSE\r\n\r\n"], 400, "invalid_http"),
        ([(LINE + b"\r\n") * 5_000], None, None),
    ],
    ids=[
        "long address", "endless address", "long field", "endless field", "endless name",
        "many fields", "endless fields", "TLS", "nonsense", "sent ahead",
    ],
)  # fmt: skip
def test_a_request_beyond_the_limits_is_refused_and_its_connection_closed(
    server: Server, parts: list[bytes], status: int | None, code: str | None
) -> None:
    refused = answer(server, *parts)

    if status is not None:
        assert refused[0] == status
    if code is not None:
        assert refused[1] == code
    assert is_alive(server)


def test_usual_requests_fit_the_limits(server: Server) -> None:
    with server.client() as client:
        many = {f"x-{number}": "v" * 500 for number in range(80)}
        assert client.get("/healthz", headers=many).status_code == 200
        assert client.get("/healthz?" + "q" * 15_000).status_code == 200


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", 0),
        (b"GET /healthz HTT", 408),
        (LINE, 408),
        (b"POST /v1/logs HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc", 401),
        (
            b"POST /api/platform/v1/auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n"
            b"Content-Type: application/json\r\n\r\n{",
            408,
        ),
    ],
    ids=["nothing", "half a line", "half a head", "answered already", "half a body"],
)
def test_a_request_that_does_not_arrive_is_ended(server: Server, sent: bytes, status: int) -> None:
    began = time.monotonic()

    refused, _ = answer(server, sent)

    assert refused == status
    assert time.monotonic() - began < 10


@pytest.mark.usefixtures("impatient")
def test_a_body_that_arrives_steadily_is_waited_for(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_BYTES_PER_SECOND", 10)
    body = b'{"email": "a@example.com", "password": "nothing"}'
    head = (
        b"POST /api/platform/v1/auth/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    )
    with connected(server) as client:
        client.sendall(head + body[:20])
        time.sleep(2 * QUICK_S)
        client.sendall(body[20:])

        assert read(client)[0] == 401


def test_half_sent_requests_give_way_to_new_ones(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS_MAX", 20)
    with ExitStack() as opened:
        half = [opened.enter_context(connected(server)) for _ in range(60)]
        for client in half:
            with suppress(OSError):  # It has given way already.
                client.sendall(b"GET /healthz HT")

        assert is_alive(server)
        assert len([None for client in half if is_open(client)]) <= 20


def is_open(client: socket.socket) -> bool:
    client.settimeout(0.01)
    try:
        return client.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


@pytest.mark.usefixtures("impatient")
def test_a_client_that_does_not_read_its_answer_is_disconnected(server: Server) -> None:
    # It is made when it is first asked for, which may take as long as a client is waited for.
    whole = len(httpx.get(f"{server.url}/openapi.json", timeout=PATIENCE_S).content)
    with connected(server) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        ask = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        for _ in range(12):  # More than the buffers of the system take.
            client.sendall(ask)
        received = len(client.recv(1))
        give_up = time.monotonic() + PATIENCE_S
        while server.connections and time.monotonic() < give_up:
            time.sleep(0.01)
        try:
            while piece := client.recv(2**20):
                received += len(piece)
        except ConnectionResetError:
            pass

    assert received < 12 * whole

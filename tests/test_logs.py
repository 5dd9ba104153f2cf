"""Log lines: their form, whose request they belong to, and what must never be in them."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster import clock, logs
from tests.spec import day
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for


class Lines(logging.Handler):
    """What would be written, as JSON."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logs.formatter("json"))
        self.found: list[dict[str, object]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(json.loads(self.format(record)))


@pytest.fixture
def lines() -> Iterator[Lines]:
    """What our own loggers say from `info` on."""
    kept = Lines()
    ours = logging.getLogger("stationmaster")
    ours.addHandler(kept)
    ours.setLevel(logging.INFO)
    yield kept
    ours.setLevel(logging.NOTSET)
    ours.removeHandler(kept)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(settings_for(tmp_path_factory.mktemp("logs"), "sqlite")) as running:
        yield running


@pytest.fixture
def acme(server: Server) -> Cast:
    clock.freeze(day.NOW)
    return Cast(server.services.db, "acme")


def _record(message: str, **extra: object) -> logging.LogRecord:
    return logging.getLogger("stationmaster.test").makeRecord(
        "stationmaster.test", logging.WARNING, "f", 1, message, (), None, extra=extra
    )


def test_a_json_line_is_one_object_on_one_line() -> None:
    line = logs.formatter("json").format(_record("two\nlines", fields={"status": 200}))

    assert "\n" not in line
    told = json.loads(line)
    assert told.pop("time").endswith("Z")
    assert told == {
        "level": "warning",
        "logger": "stationmaster.test",
        "message": "two\nlines",
        "status": 200,
    }


def test_a_failure_has_its_traceback_in_either_form() -> None:
    try:
        raise ValueError("broken")
    except ValueError as fault:
        record = _record("it failed")
        record.exc_info = (ValueError, fault, fault.__traceback__)

    assert "ValueError: broken" in json.loads(logs.formatter("json").format(record))["exception"]
    assert logs.formatter("text").format(record).endswith("ValueError: broken")


def test_every_request_has_a_line_that_names_it(server: Server, acme: Cast, lines: Lines) -> None:
    with server.client(acme.keys["owner"]) as client:
        client.get("/api/platform/v1/members/user_nobody?secret=1", headers={"X-Request-Id": "a-1"})
        client.get("/api/platform/v1/me", headers={"X-Request-Id": "a-2"})

    # A line is written once its answer was sent.
    give_up = time.monotonic() + PATIENCE_S
    while len(lines.found) < 2 and time.monotonic() < give_up:
        time.sleep(0.01)
    told = {str(each["request_id"]): each for each in lines.found}
    assert told["a-1"]["route"] == "/api/platform/v1/members/{user_id}"
    assert (told["a-1"]["status"], told["a-1"]["method"]) == (404, "GET")
    assert told["a-2"]["org_id"] == acme.org
    assert float(str(told["a-2"]["duration_ms"])) > 0
    assert "secret" not in json.dumps(lines.found)
    assert "user_nobody" not in json.dumps(lines.found)


def test_probes_and_scrapes_have_no_line(server: Server, lines: Lines) -> None:
    with server.client() as client:
        for path in ("/healthz", "/readyz", "/metrics"):
            assert client.get(path).status_code == 200

    assert lines.found == []


@pytest.mark.parametrize("given", ["req-7", "A.b_c-1", "x" * 64])
def test_a_sane_request_id_is_kept(server: Server, given: str) -> None:
    with server.client() as client:
        for path in ("/healthz", "/api/v0/wiki"):
            answer = client.get(path, headers={"X-Request-Id": given})
            assert answer.headers["x-request-id"] == given


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, 'a"b', "<script>", "--", "a;b", "é"])
def test_any_other_request_id_is_replaced(server: Server, given: str) -> None:
    with server.client() as client:
        answer = client.get("/healthz", headers={"X-Request-Id": given.encode()})

    assert answer.headers["x-request-id"].startswith("req_")


def test_a_line_from_a_worker_thread_names_the_request(
    server: Server, acme: Cast, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(accept: str) -> tuple[bytes, str]:
        logging.getLogger("stationmaster.test").warning("from a thread")
        return b"", "text/plain"

    monkeypatch.setattr(server.services.metrics, "page", say)
    with server.client() as client:
        client.get("/metrics", headers={"X-Request-Id": "of-a-thread"})

    [line] = [each for each in lines.found if each["message"] == "from a thread"]
    assert (line["request_id"], line["route"]) == ("of-a-thread", "/metrics")


def test_libraries_stay_quiet_at_every_level(tmp_path: Path) -> None:
    root, ours = logging.getLogger(), logging.getLogger("stationmaster")
    before = (root.handlers[:], root.level, ours.level)
    try:
        logs.configure("json", "debug")
        assert ours.getEffectiveLevel() == logging.DEBUG
        assert logging.getLogger("httpx").getEffectiveLevel() == logging.WARNING
    finally:
        root.handlers[:], level, our_level = before
        root.setLevel(level)
        ours.setLevel(our_level)
        logging.getLogger("uvicorn").setLevel(logging.NOTSET)

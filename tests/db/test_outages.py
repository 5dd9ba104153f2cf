"""An outage is a line in the log, however many threads and requests meet it."""

from __future__ import annotations

import logging
import time

import httpx
import pytest

from stationmaster.api.monitoring import condition
from stationmaster.db import outages
from stationmaster.errors import Unavailable
from tests.support import databases
from tests.support.cast import Cast
from tests.support.patience import PATIENCE_S
from tests.support.servers import running_server, settings_for

LOG = logging.getLogger("stationmaster.test")


@pytest.fixture(autouse=True)
def _nothing_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outages, "_written", {})


def test_a_known_fault_is_written_once_without_a_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        fault = Unavailable("Storage fails.", internal="Storage at db.example fails (refused).")
        outages.log_failure(LOG, "moving", fault)

    for _ in range(3):
        fail()
    monkeypatch.setattr(outages, "QUIET_S", 0.0)
    fail()

    lines = [record.getMessage() for record in caplog.records]
    assert lines == 2 * ["moving failed: Storage at db.example fails (refused)."]
    assert [record.exc_info for record in caplog.records] == [None, None]


def test_what_nobody_expected_is_written_each_time_with_its_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    for _ in range(2):
        outages.log_failure(LOG, "moving", ValueError("odd"))

    assert [record.exc_info is not None for record in caplog.records] == [True, True]


@pytest.mark.slow
@pytest.mark.attack
def test_a_postgresql_that_is_gone_is_a_few_lines_and_tells_strangers_no_address(
    postgresql: databases.PostgreSQL,
    tmp_path_factory: pytest.TempPathFactory,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if "postgresql" not in databases.KINDS:
        pytest.skip("only SQLite is asked for")
    monkeypatch.setattr(condition, "KEPT_S", 0.0)
    with postgresql.database() as url:
        settings = settings_for(tmp_path_factory.mktemp("gone"), url, shutdown_seconds=3)
        with (
            running_server(settings, with_worker=True) as server,
            server.client(Cast(server.services.db, "ours").keys["owner"]) as owner,
            server.client() as stranger,
        ):
            assert owner.get("/api/platform/v1/members").status_code == 200
            caplog.clear()
            try:
                postgresql.kill()
                answers = [ask(owner, stranger) for _ in range(6)]
                records = list(caplog.records)
            finally:
                postgresql.restart()
            deadline = time.monotonic() + PATIENCE_S
            while stranger.get("/readyz").status_code != 200 and time.monotonic() < deadline:
                time.sleep(0.2)
            assert owner.get("/api/platform/v1/members").status_code == 200

    statuses = {answer.status_code for pair in answers for answer in pair}
    assert statuses == {503}
    for answer in (answer for pair in answers for answer in pair):
        assert str(postgresql.socket_dir) not in answer.text
        assert "socket" not in answer.text
    traces = [record.getMessage() for record in records if record.exc_info]
    assert traces == []
    assert 1 <= len(records) <= 12, [record.getMessage() for record in records]


def ask(owner: httpx.Client, stranger: httpx.Client) -> tuple[httpx.Response, ...]:
    time.sleep(0.5)
    return (
        owner.get("/api/platform/v1/members"),
        owner.post("/v1/logs", json={}),
        stranger.get("/readyz"),
    )

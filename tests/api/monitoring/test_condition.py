"""`/readyz` tells the truth: each thing that keeps a process from its work, and what to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster.api.monitoring import condition, installation
from tests.lake.installation import a_delivery
from tests.support.patience import PATIENCE_S
from tests.support.servers import Server, running_server, settings_for


@pytest.fixture
def server(tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(condition, "KEPT_S", 0)
    monkeypatch.setattr(installation, "KEPT_S", 0)
    with running_server(settings_for(tmp_path, database_url), with_worker=True) as running:
        yield running


def reasons(server: Server) -> list[str]:
    with server.client() as client:
        answer = client.get("/readyz")
    if answer.status_code == 200:
        assert answer.json() == {"status": "ok"}
        return []
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    return list(answer.json()["reasons"])


def changed(server: Server, reasons_before: int) -> list[str]:
    """The reasons once their number is another: looking at the lake counts a few milliseconds."""
    deadline = time.monotonic() + PATIENCE_S
    while len(found := reasons(server)) == reasons_before:
        assert time.monotonic() < deadline
    return found


def test_a_lake_that_takes_no_files(server: Server) -> None:
    lake = server.settings.lake_dir
    assert reasons(server) == []
    lake.rename(lake.with_name("away"))
    lake.write_text("in the way")

    [reason] = changed(server, 0)
    assert reason.startswith("lake: files cannot be written to it (")
    assert str(lake) not in reason

    lake.unlink()
    assert changed(server, 1) == []


def test_a_schema_that_this_version_may_not_use(server: Server) -> None:
    with server.services.db.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0010'")

    assert [each.partition(":")[0] for each in reasons(server)] == ["schema"]


def test_a_newer_schema_that_only_adds_is_no_reason(server: Server) -> None:
    with server.services.db.transaction() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    assert reasons(server) == []


def test_a_disk_that_is_nearly_full(tmp_path: Path) -> None:
    with running_server(settings_for(tmp_path, "sqlite", disk_free_min=2**60)) as server:
        [reason] = reasons(server)

    assert reason.startswith("disk: only ")
    assert "make room" in reason


def test_an_inbox_over_its_limit(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, "sqlite", inbox_backlog_max=10)
    with running_server(settings) as server:
        server.services.inbox.append(a_delivery()).result(timeout=PATIENCE_S)
        [reason] = reasons(server)

    assert reason.startswith("backlog: ")
    assert "worker" in reason


def test_a_thread_of_background_work_that_ended(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def fail() -> None:
        ended.set()
        raise ZeroDivisionError

    [mover] = [thread for thread in threading.enumerate() if thread.name == "mover"]
    monkeypatch.setattr(server.services.mover, "_waiting", fail)
    assert ended.wait(10)
    mover.join(10)

    [reason] = reasons(server)

    assert reason.startswith("threads: mover ended unexpectedly")


def test_a_process_that_is_stopping(server: Server) -> None:
    server.app.condition.is_stopping = True

    with server.client() as client:
        answer = client.get("/readyz")
        assert answer.json()["reasons"] == [condition.STOPPING]
        assert client.get("/healthz").status_code == 200
    assert answer.headers["connection"] == "close"


def test_a_look_counts_for_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    with running_server(settings_for(tmp_path, "sqlite")) as server:
        look = server.app.condition._look
        monkeypatch.setattr(server.app.condition, "_look", lambda: looks.append(1) or look())
        monkeypatch.setattr(condition, "KEPT_S", 60)
        with server.client() as client:
            _ = [client.get("/readyz") for _ in range(20)]

    assert len(looks) == 1

"""What names a machine: drawn once, the same for everybody on it, and never in the way."""

from __future__ import annotations

from multiprocessing import get_context
from pathlib import Path

import pytest

from stationmaster.client import machine
from stationmaster.client.collecting.sending import HttpSink


def test_it_is_drawn_once(tmp_path: Path) -> None:
    first = machine.of(tmp_path / "new" / "folder")
    assert first is not None
    assert len(bytes.fromhex(first)) == 16
    assert machine.of(tmp_path / "new" / "folder") == first
    assert machine.of(tmp_path / "other") != first
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == [machine.FILE]


def test_processes_that_start_at_once_agree(tmp_path: Path) -> None:
    with get_context("fork").Pool(4) as pool:
        assert len(set(pool.map(machine.of, [tmp_path] * 8))) == 1


def test_where_nothing_can_be_kept_the_machine_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert machine.of(tmp_path / "file") is None


def test_every_request_of_a_client_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIONMASTER_CLIENT_DIR", str(tmp_path))
    sink = HttpSink("http://127.0.0.1:1", "key")
    assert sink._http.headers["x-stationmaster-machine"] == machine.of(tmp_path)
    sink.close()

"""A disk that is full, fails or is slow: what was acknowledged stays, and work goes on."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import pytest

from tests.chaos.ledger import settle, under_load
from tests.chaos.shim import Shim
from tests.chaos.stations import LONG, Sender, Station

pytestmark = [pytest.mark.attack, pytest.mark.slow, pytest.mark.timeout(3600)]


def test_a_disk_that_refuses_for_a_while_loses_nothing(tmp_path: Path) -> None:
    shim = Shim(tmp_path)
    station = Station(tmp_path, shim.environment)
    station.start()
    faults = [errno.ENOSPC, errno.EIO, errno.EROFS] * max(LONG // 3, 1)
    with under_load(station, "disk") as crew:
        for number in faults:
            wait_for(crew, 200)
            shim.set(write_errno=number)
            wait_for(crew, 503)
            time.sleep(0.5)
            shim.set()
        wait_for(crew, 200)
    assert all(process.is_running for process in station.processes)
    station.stop()

    assert all(sender.answers.get(500, 0) == 0 for sender in crew)
    settle(
        "disk full (ENOSPC), failing (EIO) or read-only (EROFS)", station, crew, faults=len(faults)
    )


def test_a_slow_disk_is_waited_for(tmp_path: Path) -> None:
    shim = Shim(tmp_path)
    station = Station(tmp_path, shim.environment)
    station.start()
    delays = [50, 400, 1500] * (LONG // 3) or [50, 400]
    with under_load(station, "slow") as crew:
        for milliseconds in delays:
            shim.set(sync_delay_ms=milliseconds)
            wait_for(crew, 200)
        shim.set()
        wait_for(crew, 200)
    assert all(process.is_running for process in station.processes)
    station.stop()

    settle("slow disk: 50 to 1500 ms a sync", station, crew, faults=len(delays))


def wait_for(crew: list[Sender], status: int, more: int = 2) -> None:
    """Until every sender has met a status some times more."""
    wanted = [sender.answers.get(status, 0) + more for sender in crew]
    deadline = time.monotonic() + 60
    while any(s.answers.get(status, 0) < n for s, n in zip(crew, wanted, strict=True)):
        assert time.monotonic() < deadline, [sender.answers for sender in crew]
        time.sleep(0.02)

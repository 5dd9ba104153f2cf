"""A clock that jumps by a day or leaps over midnight: every event counts once, whatever it says."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.chaos.ledger import settle, under_load
from tests.chaos.shim import Shim
from tests.chaos.stations import LONG, Station
from tests.chaos.test_disk import wait_for

pytestmark = [pytest.mark.attack, pytest.mark.slow, pytest.mark.timeout(3600)]
DAY_S = 86_400


def test_a_clock_that_jumps_back_and_forth_changes_no_count(tmp_path: Path) -> None:
    shim = Shim(tmp_path)
    station = Station(tmp_path, shim.environment)
    station.start()
    now = datetime.now(UTC)
    to_midnight = DAY_S - (now.hour * 3600 + now.minute * 60 + now.second) - 2
    jumps = [DAY_S, -DAY_S, to_midnight, to_midnight + 4, 0] * max(LONG // 5, 1)
    with under_load(station, "clock") as crew:
        for jump in jumps:
            shim.set(clock_offset_s=jump)
            wait_for(crew, 200, 4)
    assert all(process.is_running for process in station.processes)
    station.stop()
    shim.set()

    settle("clock jumps: a day either way, over midnight", station, crew, faults=len(jumps))

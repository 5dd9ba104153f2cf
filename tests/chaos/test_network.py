"""A network to the object storage that is cut: requests are taken all the same, and land later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.ledger import settle, under_load
from tests.chaos.stations import LONG, Station
from tests.chaos.test_disk import wait_for
from tests.support.object_storage import running_object_storage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]


def test_a_cut_between_worker_and_object_storage_loses_nothing(tmp_path: Path) -> None:
    rounds = LONG or 1
    with running_object_storage() as storage:
        station = Station(tmp_path, {"STATIONMASTER_LAKE_URL": storage.bucket("chaos")})
        station.start()
        with under_load(station, "network") as crew:
            for _ in range(rounds):
                wait_for(crew, 200)
                storage.proxy.is_cut = True
                wait_for(crew, 200, 20)
                storage.proxy.is_cut = False
                storage.proxy.torn = storage.proxy.broken = 2
                wait_for(crew, 200, 20)
        assert all(process.is_running for process in station.processes)
        station.stop()

        settle("network to object storage cut", station, crew, faults=rounds)

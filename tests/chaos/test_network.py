"""A network to the object storage that is cut: requests are taken all the same, and land later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.ledger import settle, under_load
from tests.chaos.stations import LONG, Station
from tests.chaos.test_disk import wait_for
from tests.support.object_storage import ObjectStorage

pytestmark = [pytest.mark.attack, pytest.mark.slow, pytest.mark.timeout(3600)]


def test_a_cut_between_worker_and_object_storage_loses_nothing(
    object_storage: ObjectStorage, tmp_path: Path
) -> None:
    rounds = LONG or 1
    proxy = object_storage.proxy
    station = Station(tmp_path, {"STATIONMASTER_LAKE_URL": object_storage.bucket("chaos")})
    station.start()
    try:
        with under_load(station, "network") as crew:
            for _ in range(rounds):
                wait_for(crew, 200)
                proxy.is_cut = True
                wait_for(crew, 200, 5)
                proxy.is_cut = False
                proxy.torn = proxy.broken = 2
                wait_for(crew, 200, 5)
    finally:
        proxy.is_cut, proxy.torn, proxy.broken = False, 0, 0
    assert all(process.is_running for process in station.processes)
    station.stop()

    settle("network to object storage cut", station, crew, faults=rounds)

"""SIGKILL at random moments under load: nothing acknowledged is missing or doubled."""

from __future__ import annotations

import os
import time
from pathlib import Path
from random import Random

import pytest

from tests.chaos.ledger import settle, under_load
from tests.chaos.stations import LONG, Station
from tests.support import databases

KILLS = LONG or 3
SEED = int(os.environ.get("CHAOS_SEED", "20261121"))

pytestmark = [pytest.mark.attack, pytest.mark.slow, pytest.mark.timeout(3600)]


def test_api_and_worker_killed_at_random_lose_and_double_nothing(tmp_path: Path) -> None:
    chance = Random(SEED)
    station = Station(tmp_path)
    station.start()
    with under_load(station, "kill") as crew:
        for _ in range(KILLS):
            time.sleep(chance.uniform(0.0, 0.8))
            for process in chance.sample(station.processes, chance.randrange(1, 3)):
                process.end()
            station.start()
    station.stop()

    settle("SIGKILL of api or worker", station, crew, kills=KILLS, seed=SEED)


def test_processes_and_postgresql_killed_at_random_lose_and_double_nothing(
    tmp_path: Path,
) -> None:
    chance = Random(SEED)
    kills = LONG or 2
    with databases.running_postgresql(durable=True) as server, server.database() as url:
        # Several processes that share nothing else but the lake.
        station = Station(tmp_path, {"STATIONMASTER_DATABASE_URL": url}, apis=2)
        station.start()
        with under_load(station, "postgres") as crew:
            for number in range(kills):
                time.sleep(chance.uniform(0.0, 0.8))
                if number % 3 == 0:
                    server.kill()
                    server.restart()
                else:
                    chance.choice(station.processes).end()
                station.start()
        station.stop()

        settle("SIGKILL of PostgreSQL, 2 api, worker", station, crew, kills=kills, seed=SEED)

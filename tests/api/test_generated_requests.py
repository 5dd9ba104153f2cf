"""Generated requests to every operation: each answer to an owner is as the description says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stationmaster import clock
from tests.spec import day
from tests.support.cast import Cast
from tests.support.servers import running_server, settings_for

TIMEOUT_S = 1200
pytestmark = [pytest.mark.slow, pytest.mark.timeout(TIMEOUT_S)]
EVERY_OPERATION = Path(__file__).resolve().parents[1] / "fuzz" / "every_operation.py"


def test_no_answer_to_an_owner_differs_from_the_description(tmp_path: Path) -> None:
    clock.freeze(day.NOW)
    with running_server(settings_for(tmp_path, "sqlite")) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["owner"]) as client:
            day.send(client, day.tuesday())
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-n0", str(EVERY_OPERATION)],
            env={**os.environ, "FUZZ_URL": server.url, "FUZZ_KEY": cast.keys["owner"] or ""},
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.returncode == 0, done.stdout[-20_000:]

"""The long form: every phase of schemathesis, with each kind of key, on each database. `make fuzz`
runs it.

The short form is `tests/fuzz/every_operation.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.hooks import CHECKS
from tests.spec import day
from tests.support.cast import Cast
from tests.support.servers import running_server, settings_for

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = os.environ.get("FUZZ_EXAMPLES", "100")
TIMEOUT_S = 3600


@pytest.mark.timeout(TIMEOUT_S)
@pytest.mark.parametrize("caller", ["owner", "guest", "none"])
def test_no_phase_finds_an_answer_that_differs_from_the_description(
    tmp_path: Path, database_url: str, caller: str
) -> None:
    with running_server(settings_for(tmp_path, database_url)) as server:
        cast = Cast(server.services.db, "ours")
        with server.client(cast.keys["svc"]) as client:
            day.send(client, day.nightly())
        key = cast.keys[caller]
        credential = [] if key is None else ["--header", f"Authorization: Bearer {key}"]
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("schemathesis")),
                "run",
                f"{server.url}/openapi.json",
                "--phases=examples,coverage,fuzzing,stateful",
                f"--max-examples={EXAMPLES}",
                f"--checks={','.join(check.__name__ for check in CHECKS)}",
                "--continue-on-failure",
                "--suppress-health-check=all",
                "--warnings=off",
                *credential,
            ],
            cwd=ROOT,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks"},
            check=False,
        )

    assert done.returncode == 0

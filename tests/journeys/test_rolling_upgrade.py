"""A version to come upgrades the schema while processes of this one serve, and start again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import stationmaster
from stationmaster.db import revision
from stationmaster.db.engine import Database
from tests.support import databases, processes
from tests.support.builders import an_event

pytestmark = pytest.mark.slow

_MORE = """
from sqlalchemy import Column, Text

base.table("futures", Column("future_id", Text, primary_key=True))
access.members.append_column(Column("nickname", Text))
lake.lake_days.append_column(Column("mood", Text, nullable=False, server_default="fine"))
access.api_keys.append_column(Column("colour", Text))
"""


def a_newer_version(folder: Path, oldest: str = revision.OLDEST) -> Path:
    """This program with one more table and some columns; where it is to be imported from."""
    package = folder / "stationmaster"
    shutil.copytree(
        Path(stationmaster.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    tables = package / "db" / "tables" / "__init__.py"
    tables.write_text(tables.read_text() + _MORE)
    told = package / "db" / "revision.py"
    text = told.read_text().replace(f'HEAD = "{revision.HEAD}"', 'HEAD = "9999"')
    told.write_text(text.replace(f'OLDEST = "{revision.OLDEST}"', f'OLDEST = "{oldest}"'))
    return folder


def run_newer(place: Path, data: Path, env: dict[str, str]) -> None:
    """A command of the newer version, which upgrades first."""
    subprocess.run(
        [sys.executable, "-m", "stationmaster", "members", "list", "--data-dir", str(data)],
        env={**os.environ, **env, "PYTHONPATH": str(place)},
        check=True,
        capture_output=True,
    )


@pytest.fixture
def env(postgresql: databases.PostgreSQL) -> Iterator[dict[str, str]]:
    """PostgreSQL, where a migration locks tables; SQLite has one lock, which writers wait for."""
    if "postgresql" not in databases.KINDS:
        pytest.skip("only SQLite is asked for")
    with postgresql.database(template="template0") as url:
        # It is asked without a pause for as long as the upgrade takes.
        yield {
            "STATIONMASTER_DATABASE_URL": url,
            "STATIONMASTER_REQUESTS_PER_MINUTE": "100000",
        }


def schema_version(env: dict[str, str]) -> str:
    db = Database.open(env["STATIONMASTER_DATABASE_URL"])
    [(found,)] = db.rows("SELECT version_num FROM alembic_version")
    db.close()
    return str(found)


def test_this_version_serves_through_an_upgrade_and_starts_again_after_it(
    env: dict[str, str], tmp_path: Path
) -> None:
    data = tmp_path / "data"
    key = processes.run_json("init", "--data-dir", str(data), env=env)["api_key"]
    newer = a_newer_version(tmp_path / "newer")
    answers: list[str] = []
    stop = threading.Event()

    def load() -> None:
        headers = {"authorization": f"Bearer {key}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=30) as http:
            while not stop.is_set():
                answers.append(_deliver(http))
                answers.append(_told(http.get("/api/platform/v1/members")))

    with processes.a_server(data, env) as server:
        thread = threading.Thread(target=load)
        thread.start()
        try:
            run_newer(newer, data, env)
            served = len(answers)
            while thread.is_alive() and len(answers) < served + 10:
                stop.wait(0.01)
        finally:
            stop.set()
            thread.join()
        assert schema_version(env) == "9999"
        server.stop()
        server.start()
        with httpx.Client(
            base_url=server.url, headers={"authorization": f"Bearer {key}"}, timeout=30
        ) as http:
            answers.append(_deliver(http))

    assert set(answers) == {"taken"}
    assert schema_version(env) == "9999"


def _told(answer: httpx.Response) -> str:
    # A machine that is too slow refuses what it cannot take in time, upgrade or not.
    if answer.status_code == 200 or (answer.status_code == 503 and "overloaded" in answer.text):
        return "taken"
    return f"{answer.status_code} {answer.text}"


def _deliver(http: httpx.Client) -> str:
    event = {**_EVENT, "event_id": os.urandom(16).hex()}
    return _told(http.post("/api/platform/v1/events", json=[event]))


_EVENT = {
    name: getattr(an_event(source="transcript", input_tokens=1), name)
    for name in ("kind", "ts", "product", "source", "session_id", "root_session_id", "input_tokens")
}


def test_this_version_does_not_start_on_a_schema_that_needs_newer_software(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    processes.run("init", "--data-dir", str(data))
    run_newer(a_newer_version(tmp_path / "newer", oldest="9999"), data, {})

    refused = subprocess.run(
        [*processes.PROGRAM, "up", "--data-dir", str(data)], capture_output=True, text=True
    )

    assert refused.returncode == 1
    assert "schema revision 9999" in refused.stderr
    assert "Upgrade the software" in refused.stderr

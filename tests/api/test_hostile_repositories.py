"""A repository that keeps its reader busy keeps the server from nothing, alive or ended."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import httpx
import psutil
import pytest

from stationmaster.api.services import Services
from stationmaster.settings import Settings
from tests.support import processes
from tests.support.builders import a_key, a_member, an_organization
from tests.support.git_servers import GitServer, git_server
from tests.support.patience import PATIENCE_S
from tests.support.processes import ServerProcess
from tests.support.repositories import Repository

pytestmark = [pytest.mark.attack, pytest.mark.slow]
GRACE_S = 20
LISTS = "- [" + "1, " * 90_000 + "1]\n"
"""As large as YAML may be: seconds of work for each file, of which there are many."""


class House(NamedTuple):
    """A server on which one organization has registered a hostile repository."""

    server: ServerProcess
    hostile: httpx.Client
    other: httpx.Client


@pytest.fixture
def git(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with git_server(tmp_path / "served") as running:
        made = Repository(running.folder / "a", "main", "--bare")
        made.commit({f".github/workflows/{n}.yml": f"# {n}\n{LISTS}" for n in range(60)})
        yield running


@pytest.fixture
def house(git: GitServer, tmp_path: Path) -> Iterator[House]:
    data = tmp_path / "data"
    hostile, other = _keys(data)
    server = ServerProcess(data, {
        "STATIONMASTER_REPOS_PRIVATE_HOSTS": git.place,
        "STATIONMASTER_REPOS_HTTP_HOSTS": git.place,
    })  # fmt: skip
    server.start()
    try:
        with _client(server, hostile) as first, _client(server, other) as second:
            yield House(server, first, second)
    finally:
        server.kill()


def _keys(data: Path) -> list[str]:
    processes.run("init", "--data-dir", str(data))
    services = Services.open(Settings(data_dir=data))
    keys = []
    for name in ("Mallory", "Acme"):
        org = an_organization(services.db, name)
        keys.append(a_key(services.db, org, a_member(services.db, org, role="owner")))
    services.db.close()
    return keys


def _client(server: ServerProcess, key: str) -> httpx.Client:
    return httpx.Client(
        base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=GRACE_S
    )


def test_others_are_answered_and_no_process_outlives_the_server(
    house: House, git: GitServer
) -> None:
    children = _evaluating(house, git)
    for _ in range(20):
        assert httpx.get(f"{house.server.url}/healthz", timeout=GRACE_S).status_code == 200
        assert house.other.get("/api/platform/v1/readiness/repositories").status_code == 200
    assert any(each.is_running() for each in children), "the repository is not hostile enough"

    began = time.monotonic()
    house.server.stop()

    assert time.monotonic() - began < GRACE_S
    _await(lambda: not any(map(_is_alive, children)))


def test_no_process_outlives_a_server_that_is_killed(house: House, git: GitServer) -> None:
    children = _evaluating(house, git)

    house.server.kill()

    _await(lambda: not any(map(_is_alive, children)))


def test_a_child_that_is_killed_costs_one_attempt(house: House, git: GitServer) -> None:
    for each in _evaluating(house, git):
        each.send_signal(signal.SIGKILL)

    def is_put_back() -> bool:
        [job] = house.hostile.get("/api/platform/v1/jobs?kind=readiness").json()["jobs"]
        return job["state"] == "queued" and "ended from outside" in (job["error"] or "")

    _await(is_put_back)


def _evaluating(house: House, git: GitServer) -> list[psutil.Process]:
    """The child processes of the server, once one of them reads the repository."""
    made = house.hostile.post("/api/platform/v1/repositories", json={"url": git.url("a")})
    repo = made.json()["repoId"]
    asked = house.hostile.post(f"/api/platform/v1/readiness/repositories/{repo}/evaluate")
    assert asked.status_code == 202, asked.text
    server = _of(house.server)
    found: list[psutil.Process] = []

    def is_reading() -> bool:
        found[:] = [each for each in server.children(recursive=True) if _reads(each)]
        return bool(found)

    _await(is_reading)
    return found


def _of(server: ServerProcess) -> psutil.Process:
    assert server._process is not None
    return psutil.Process(server._process.pid)


def _reads(process: psutil.Process) -> bool:
    try:
        return "stationmaster.children.worker" in process.cmdline()
    except psutil.Error:
        return False


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _await(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)

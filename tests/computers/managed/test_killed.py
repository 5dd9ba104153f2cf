"""The process that sets a computer up is killed in every step; another one goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.computers.managed import store
from tests.support.cast import Cast
from tests.support.clouds import USER, Cloud
from tests.support.patience import PATIENCE_S
from tests.support.processes import Process, free_port, run
from tests.support.servers import Server, running_server, settings_for

COMPUTERS = "/api/v0/computers"


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    return Cloud(tmp_path / "cloud")


@pytest.fixture
def server(tmp_path: Path, cloud: Cloud) -> Iterator[Server]:
    """Without a worker: that is a process of its own."""
    clock.freeze(None)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = settings_for(tmp_path, "sqlite", app_url=url, computer_templates=cloud.templates)
    owner = ("--org", "Acme", "--owner", "owner@example.com")
    run("init", *owner, env={"STATIONMASTER_DATA_DIR": str(settings.data_dir)})
    with running_server(settings, port=port) as running:
        yield running


def _await(condition: Callable[[], object]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, "this did not come about in time"
        time.sleep(0.05)


@pytest.fixture
def worker(server: Server, cloud: Cloud) -> Iterator[Process]:
    process = Process(
        "worker",
        env={
            "STATIONMASTER_DATA_DIR": str(server.settings.data_dir),
            "STATIONMASTER_APP_URL": server.url,
            "STATIONMASTER_COMPUTER_TEMPLATES": str(cloud.templates),
        },
    )
    yield process
    process.kill()


def _reached(cloud: Cloud, computer_id: str, call: str) -> bool:
    verb, _, number = call.partition(" ")
    return cloud.calls(verb, computer_id) >= int(number or 1)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [("create", "run 1", "run 3"), ("run 3", "run 5")])
def test_one_that_is_killed_in_a_step_ends_with_one_machine_and_none_after_removal(
    server: Server, cloud: Cloud, worker: Process, kills: tuple[str, ...]
) -> None:
    """A run of a script that is cut is repeated, so steps after it have later numbers."""
    cast = Cast(server.services.db, "tough")
    with server.client(cast.keys["member"]) as client:
        body = {"name": "tough", "provider": "managed", "remoteUser": USER}
        made = client.post(COMPUTERS, json=body).json()["id"]
        for call in kills:
            cloud.hang(call)
            worker.start()
            _await(lambda call=call: _reached(cloud, made, call))
            worker.kill()
        cloud.hang(None)
        worker.start()
        path = f"{COMPUTERS}/{made}"
        _await(lambda: client.get(path).json()["status"] != "provisioning")

        found = client.get(path).json()
        assert found["status"] == "active", found["provisioningSteps"]
        assert cloud.made == [made]
        assert _agents(cloud, made) == 1

        cloud.hang("destroy")
        client.delete(path)
        _await(lambda: cloud.calls("destroy", made))
        worker.kill()
        cloud.hang(None)
        worker.start()
        _await(lambda: store.one(server.services.db, cast.org, made) is None)
    assert cloud.machines == []
    _await(lambda: _agents(cloud, made) == 0)


def _agents(cloud: Cloud, computer_id: str) -> int:
    """Processes of agents of a computer on this machine."""
    home = f"HOME={cloud.folder / 'machines' / computer_id / 'home'}".encode()
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            count += b"serve" in words and home in (process / "environ").read_bytes()
        except OSError:
            continue
    return count

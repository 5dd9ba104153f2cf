"""The process that sets a computer up is killed in every step, twice; another one goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.computers.managed import store
from tests.support.cast import Cast
from tests.support.clouds import USER, Cloud
from tests.support.git_servers import GitServer, git_server
from tests.support.patience import PATIENCE_S
from tests.support.processes import Process, free_port, run
from tests.support.repositories import Repository
from tests.support.servers import Server, running_server, settings_for

COMPUTERS = "/api/v0/computers"


@pytest.fixture
def cloud(tmp_path: Path) -> Cloud:
    return Cloud(tmp_path / "cloud")


@pytest.fixture
def git(tmp_path: Path) -> Iterator[GitServer]:
    """Of two repositories, each with a package of npm."""
    for name in ("shop", "web"):
        Repository(tmp_path / "git" / name).commit({"package.json": "{}"})
    with git_server(tmp_path / "git") as served:
        yield served


@pytest.fixture
def server(tmp_path: Path, cloud: Cloud, git: GitServer) -> Iterator[Server]:
    """Without a worker: that is a process of its own."""
    clock.freeze(None)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    settings = settings_for(
        tmp_path,
        "sqlite",
        app_url=url,
        computer_templates=cloud.templates,
        repos_http_hosts=git.place,
    )
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
            "STATIONMASTER_REPOS_HTTP_HOSTS": server.settings.repos_http_hosts,
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


CUT_AT = {
    "create-computer": None,
    "setup-user": "rm",
    "configure-environment": "mv",
    "install-agent": "env",
    "start-services": "setsid",
    "clone-repositories": "git",
    "install-dependencies": "npm",
}
"""The program at which the script of each step is cut; the first step has no script."""


@pytest.mark.slow
def test_every_step_may_be_cut_in_the_middle_and_again_when_it_has_run(
    server: Server, cloud: Cloud, worker: Process, git: GitServer
) -> None:
    cast = Cast(server.services.db, "tougher")
    cloud.put_program("npm", "echo installed > installed")

    def kill_where_it_stops() -> None:
        before = cloud.stopped
        worker.start()
        _await(lambda: cloud.stopped > before)
        _await(lambda: _sleeping(cloud))
        worker.kill()
        _await(lambda: not _sleeping(cloud))

    with server.client(cast.keys["member"]) as client:
        body: dict[str, object] = {"name": "tougher", "provider": "managed", "remoteUser": USER}
        body |= {"repos": [git.url("shop"), git.url("web")], "autoInstallDeps": True}
        made = client.post(COMPUTERS, json=body).json()["id"]
        path = f"{COMPUTERS}/{made}"
        for step, program in CUT_AT.items():
            if program is not None:
                with cloud.cut(program):
                    kill_where_it_stops()
            cloud.late("create" if program is None else "run")
            kill_where_it_stops()
            cloud.late(None)
            assert _statuses(server, cast, made)[step] == "in_progress"
        worker.start()
        _await(lambda: client.get(path).json()["status"] != "provisioning")

        assert _statuses(server, cast, made) == dict.fromkeys(CUT_AT, "completed")
        assert cloud.made == [made]
        assert _agents(cloud, made) == 1
        home = cloud.folder / "machines" / made / "home"
        assert all((home / name / "installed").exists() for name in ("shop", "web"))
        client.delete(path)
        _await(lambda: store.one(server.services.db, cast.org, made) is None)


def _sleeping(cloud: Cloud) -> bool:
    """Whether anything that stopped in the middle still runs."""
    return any(
        b"sleep" in words and bytes(cloud.folder) in environ for words, environ in _processes()
    )


def _statuses(server: Server, cast: Cast, computer_id: str) -> dict[str, str]:
    computer = store.not_removed(server.services.db, cast.org, computer_id)
    assert computer is not None
    return {step.id: step.status for step in computer.provisioning_steps}


def _agents(cloud: Cloud, computer_id: str) -> int:
    """Processes of agents of a computer on this machine."""
    home = f"HOME={cloud.folder / 'machines' / computer_id / 'home'}".encode()
    return sum(b"serve" in words and home in environ for words, environ in _processes())


def _processes() -> Iterator[tuple[list[bytes], bytes]]:
    """The words and the environment of every process of this machine."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            yield words, (process / "environ").read_bytes()

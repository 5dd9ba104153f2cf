"""`init`: a folder made once. `up`, `api`, `worker`: processes that share it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from stationmaster.cli.operation import running
from tests.support import processes, sessions
from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.sessions import DAY


def test_init_makes_a_folder_an_owner_and_a_key(tmp_path: Path) -> None:
    made = succeed(
        *("init", "--data-dir", tmp_path / "data", "--org", "Acme", "--owner", "Ada@Example.com")
    )

    assert sorted(made) == ["api_key", "org_id", "user_id"]
    assert made["org_id"].startswith("org_")
    members = succeed("members", "list", "--data-dir", tmp_path / "data")["members"]
    assert [(each["email"], each["role"]) for each in members] == [("ada@example.com", "owner")]


def test_init_says_that_the_key_is_shown_once_and_what_comes_next(tmp_path: Path) -> None:
    first = command("init", "--data-dir", tmp_path / "my data").stderr
    second = command("init", "--data-dir", tmp_path / "my data").stderr

    where = f"--data-dir '{tmp_path / 'my data'}'"
    assert "shown once" in first
    assert "shown once" not in second
    assert f"stationmaster keys create --name NAME {where}" in second
    for said in (first, second):
        assert f"stationmaster collect {where} " in said
        assert f"stationmaster up {where} " in said


def test_init_again_changes_nothing(made: dict[str, str]) -> None:
    again = succeed("init", "--data-dir", made["data"])

    assert again == {"org_id": made["org_id"], "user_id": made["user_id"], "api_key": None}
    assert len(succeed("keys", "list", "--data-dir", made["data"])["keys"]) == 1


def test_init_with_an_impossible_owner_makes_nothing(tmp_path: Path) -> None:
    done = command("init", "--data-dir", tmp_path / "data", "--owner", "nobody")

    assert done.error == "This is not an e-mail address."
    assert not (tmp_path / "data").exists()


def test_init_takes_an_empty_folder_and_refuses_a_foreign_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "photo.jpg").touch()
    (tmp_path / "file").touch()

    assert command("init", "--data-dir", tmp_path / "empty").code == 0
    for name in ("foreign", "file"):
        assert (
            command("init", "--data-dir", tmp_path / name).error
            == f"{tmp_path / name} is not empty and not a Stationmaster data folder; "
            "name another one"
        )
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["photo.jpg"]


def test_a_folder_of_a_newer_version_is_left_alone(made: dict[str, str]) -> None:
    (Path(made["data"]) / "stationmaster.json").write_text('{"format": 2}')

    done = command("keys", "list", "--data-dir", made["data"])

    assert "newer Stationmaster" in done.error


def test_a_second_organization_in_a_folder_has_to_be_chosen(made: dict[str, str]) -> None:
    data = ("--data-dir", made["data"])
    second = succeed("init", *data, "--org", "Second", "--owner", "bob@example.com")

    assert (
        command("members", "list", *data).error
        == "there are several organizations; choose with --org: Second, default"
    )
    for name in ("Second", second["org_id"]):
        [bob] = succeed("members", "list", *data, "--org", name)["members"]
        assert bob["email"] == "bob@example.com"
    assert command("members", "list", *data, "--org", "Third").error == "no organization 'Third'"


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="the system has no such limit")
@pytest.mark.parametrize(("cores", "processes"), [(1, 1), (2, 2), (16, 2)])
def test_http_runs_in_two_processes_where_there_are_two_cores(
    cores: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))

    assert running._usual_workers() == processes


def test_wrong_usage_ends_with_two() -> None:
    for arguments in (("nothing",), ("keys", "create"), ("api", "--workers", "0"), ("ingest",)):
        assert command(*arguments).code == 2


def test_wrong_settings_are_one_line_with_every_fault() -> None:
    env = {"STATIONMASTER_PORT": "x", "STATIONMASTER_NOW": "soon"}

    error = command("keys", "list", env=env).error

    assert "STATIONMASTER_PORT" in error
    assert "STATIONMASTER_NOW" in error


def test_the_version_is_told() -> None:
    assert command("--version").stdout == b"stationmaster 0.1.0\n"


@contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*processes.PROGRAM, *arguments], stderr=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def _await_ready(url: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/readyz", timeout=2).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise AssertionError("the server did not become ready")


def test_up_makes_a_missing_folder_and_prints_the_key_and_a_link_once(tmp_path: Path) -> None:
    port = processes.free_port()
    with _running("up", "--data-dir", str(tmp_path / "data"), "--port", str(port)) as server:
        assert server.stderr is not None
        first = server.stderr.readline()
        second = server.stderr.readline()
        rest = [server.stderr.readline() for _ in range(4)]
        _await_ready(f"http://127.0.0.1:{port}")
        key = first.rpartition(" ")[2].strip()
        link = httpx.get(second.rpartition(" ")[2].strip(), timeout=PATIENCE_S)
        me = httpx.get(
            f"http://127.0.0.1:{port}/api/platform/v1/me",
            headers={"authorization": f"Bearer {key}"},
            timeout=PATIENCE_S,
        )
        beside = command("members", "link", "owner@localhost", "--data-dir", tmp_path / "data")

    assert beside.stdout.startswith(f"http://127.0.0.1:{port}/join/sml_".encode())
    assert first.startswith("API key (shown once): sm_")
    assert second.startswith(f"Choose a password: http://127.0.0.1:{port}/join/")
    assert "For <strong>owner@localhost</strong>" in link.text
    assert rest == [
        f"Stationmaster listens on http://127.0.0.1:{port}\n",
        f"Sign in: http://127.0.0.1:{port}/sign-in\n",
        "No password yet? `stationmaster members link E-MAIL` prints a link to choose one.\n",
        f"Install the client on other machines: http://127.0.0.1:{port}/install\n",
    ]
    assert me.status_code == 200
    assert server.returncode == 0


@pytest.mark.slow
def test_two_servers_and_a_worker_share_a_folder(
    made: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATIONMASTER_ANALYTICS_REQUESTS_PER_MINUTE", "6")
    port, worker_port = processes.free_port(), processes.free_port()
    url = f"http://127.0.0.1:{port}"
    folder = ("--data-dir", made["data"])
    sessions.a_session(tmp_path / "home")
    with (
        _running("worker", "--port", str(worker_port), *folder) as worker,
        _running("api", "--workers", "2", "--port", str(port), *folder) as servers,
    ):
        _await_ready(url)
        succeed("collect", "--home", tmp_path / "home", "--url", url, "--key", made["api_key"])
        due = _await_rollup(made["data"])
        answer = httpx.get(
            f"{url}/api/v1/analytics/tokens",
            params={"startDate": DAY, "endDate": DAY},
            headers={"authorization": f"Bearer {made['api_key']}"},
            timeout=PATIENCE_S,
        )
        given = _given_until_all_refuse(url, made["api_key"])
        of_worker = f"http://127.0.0.1:{worker_port}"
        bearer = {"authorization": f"Bearer {made['api_key']}"}
        told = [
            httpx.get(f"{of_worker}/{name}", headers=bearer, timeout=PATIENCE_S)
            for name in ("healthz", "readyz", "metrics")
        ]
        elsewhere = httpx.get(f"{of_worker}/api/platform/v1/me", timeout=PATIENCE_S)

    assert due == []
    assert 5 <= given < 2 * 6, "each of them alone gives six"
    assert answer.json()["data"][0]["input_tokens"] == 20
    assert [each.status_code for each in told] == [200, 200, 200]
    [threads] = re.findall(r"stationmaster_background_threads ([0-9.]+)", told[2].text)
    assert threads == "12.0"
    assert elsewhere.status_code == 404
    assert (worker.returncode, servers.returncode) == (0, 0)


def _given_until_all_refuse(url: str, key: str) -> int:
    """How many requests are answered, on connections that any of the processes may take."""
    given = refused = 0
    headers, alone = {"authorization": f"Bearer {key}"}, httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=url, headers=headers, limits=alone, timeout=PATIENCE_S) as http:
        while refused < 5:
            answer = http.get("/api/v1/analytics/tokens")
            refused = refused + 1 if answer.status_code == 429 else 0
            given += answer.status_code != 429
            time.sleep(0.2)
    return given


def _await_rollup(data: str) -> list[str]:
    """What is still due once the worker has rolled up the first day, by itself."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        [org] = succeed("doctor", "--data-dir", data)["organizations"]
        if org["first_day"] is not None and not org["days_due"]:
            return list(org["days_due"])
        time.sleep(0.1)
    raise AssertionError("the worker did not roll up")


@pytest.mark.parametrize("verb", ["api", "worker"])
def test_servers_refuse_a_folder_that_was_never_made(verb: str, tmp_path: Path) -> None:
    done = command(verb, "--data-dir", tmp_path / "none")

    assert "is not a Stationmaster data folder" in done.error
    assert not (tmp_path / "none").exists()

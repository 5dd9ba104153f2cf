"""`collect` to a server: what is sent, tried again, and refused."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from stationmaster.client import server
from stationmaster.client.collecting import looking as collecting
from tests.cli.telemetry.collect.homes import collect_from
from tests.support import processes, sessions
from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S
from tests.support.scripted import Reply, scripted_server, taken
from tests.support.sessions import DAY


def test_no_text_of_a_session_is_sent(home: Path) -> None:
    sessions.a_session(home, text="MARKED text")
    with scripted_server() as server:
        succeed("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert [event["kind"] for event in server.events].count("model_call") == 2
    assert not any(b"MARKED" in body or b"/home/dev" in body for body in server.bodies)


def test_each_server_and_key_gets_everything_once(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server() as server:
        sent = [
            succeed("collect", "--home", home, "--url", server.url, "--key", key)["files"]
            for key in ("sm_a", "sm_a", "sm_b", "sm_b")
        ]

    assert sent == [1, 0, 1, 0]


def test_a_server_that_refuses_the_key_ends_it_at_once(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server(Reply(401, b'{"detail": "This key is not valid."}')) as server:
        done = command("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert done.error == "the server answers 401: This key is not valid."
    assert len(server.bodies) == 1


def test_a_refused_delivery_is_tried_again_by_the_next_run(home: Path) -> None:
    sessions.a_session(home)
    with scripted_server(Reply(401), taken(5)) as server:
        command("collect", "--home", home, "--url", server.url, "--key", "sm_key")

        again = succeed("collect", "--home", home, "--url", server.url, "--key", "sm_key")

    assert again["files"] == 1


def test_a_server_without_a_key_is_wrong(home: Path) -> None:
    assert (
        command("collect", "--home", home, "--url", "http://127.0.0.1:1").error
        == "--url needs --key or STATIONMASTER_KEY"
    )


def test_two_processes_send_to_a_running_server_what_one_does(
    made: dict[str, str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        sessions.a_session(home, f"s{number}", last_turn=2)
    monkeypatch.setattr("stationmaster.client.collecting.reading._BYTES_WORTH_A_PROCESS", 1)
    monkeypatch.setattr(collecting, "processes", lambda: 2)
    with processes.a_server(Path(made["data"])) as server:
        to = ("--url", server.url, "--key", made["api_key"])
        found = succeed("collect", "--home", home, *to)
        answer = httpx.get(
            f"{server.url}/api/v1/analytics/tokens",
            params={"startDate": DAY, "endDate": DAY},
            headers={"authorization": f"Bearer {made['api_key']}"},
            timeout=PATIENCE_S,
        )

    assert found["tokens"]["input_tokens"] == 80
    assert answer.json()["data"][0]["input_tokens"] == 80


def test_the_server_that_this_machine_sends_to_is_used_where_none_is_named(
    home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    with scripted_server() as there:
        server.save(tmp_path / "client", server.Server(there.url, "sm_known"))
        found = succeed("collect", "--home", home)
        again = succeed("collect", "--home", home, "--url", there.url)

    assert (found["files"], again["files"]) == (1, 0)
    assert there.headers[0]["authorization"] == "Bearer sm_known"


def test_a_data_folder_that_is_named_is_taken_before_the_known_server(
    made: dict[str, str], home: Path, tmp_path: Path
) -> None:
    sessions.a_session(home)
    server.save(tmp_path / "client", server.Server("http://127.0.0.1:1", "sm_known"))

    assert collect_from(made, home)["files"] == 1

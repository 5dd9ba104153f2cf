"""Sessions of an agent on a computer: started, watched, prompted, asked and stopped through a real
relay, with an agent that speaks the Agent Client Protocol."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from stationmaster import clock
from stationmaster.access import service as access
from stationmaster.client import agent_samples
from stationmaster.client.sessions.local import LocalSessions
from stationmaster.computers import steering
from tests.limits.cases import a_budget
from tests.support.agent_sessions import Talk, a_session, local_sessions
from tests.support.cast import Cast
from tests.support.relaying import Loop, Running, Wire, registered, running_agent
from tests.support.servers import Server, running_server, settings_for

CAPPING_S = 1.0


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    clock.freeze(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(steering, "ROUND_S", CAPPING_S)
        with running_server(settings_for(tmp_path_factory.mktemp("capped"), "sqlite")) as running:
            yield running


_numbers = iter(range(1000))


@pytest.fixture
def cast(server: Server) -> Cast:
    return Cast(server.services.db, f"sessions{next(_numbers)}")


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


@pytest.fixture
def client(server: Server, cast: Cast) -> Iterator[httpx.Client]:
    """Of the member who owns the computer."""
    with server.client(str(cast.keys["member"])) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work" / "shop").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    return tmp_path / "work"


@pytest.fixture
def computer(
    server: Server, client: httpx.Client, loop: Loop, folder: Path, tmp_path: Path
) -> Iterator[Running]:
    running = Running(registered(client), tmp_path, server.url, loop.run(_made(folder)))
    with running_agent(loop, running):
        yield running


async def _made(folder: Path) -> LocalSessions:
    return local_sessions(folder)


def start(client: httpx.Client, computer: Running, **members: object) -> httpx.Response:
    path = f"/api/platform/v1/computers/{computer.computer_id}/sessions"
    return client.post(path, json={"agent": "scripted"} | members)


def test_a_prompt_is_answered_and_counted(client: httpx.Client, computer: Running) -> None:
    talk = a_session(client, computer.computer_id)
    assert talk.prompt("say hello").status_code == 202
    talk.until("turn", status="end_turn")

    kinds = [(each["kind"], each.get("text", "")) for each in talk.updates()]
    assert ("prompt", "say hello") in kinds
    assert ("thought", "I say it.") in kinds
    assert ("message", "hello") in kinds
    row = talk.until_row(state="idle", prompts=1)
    assert row["agent"] == "scripted"
    numbers = [each["seq"] for each in talk.updates()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [each["seq"] for each in talk.updates(after=2)] == numbers[2:]


@pytest.mark.parametrize(("option", "is_written"), [("yes", True), ("no", False), (None, False)])
def test_a_permission_request_waits_for_an_answer(
    client: httpx.Client, computer: Running, folder: Path, option: str | None, is_written: bool
) -> None:
    talk = a_session(client, computer.computer_id, workspace="shop", prompt="write a.txt")
    asked = talk.until("permission")
    talk.until_row(state="waiting")

    assert asked["title"] == "Write a.txt"
    assert json.loads(asked["text"]) == {"path": "a.txt"}
    assert [each["id"] for each in asked["options"]] == ["yes", "no"]
    wrong = talk.decide(asked["id"], "maybe")
    assert (wrong.status_code, wrong.json()["metadata"]["code"]) == (400, "unknown_option")
    assert talk.decide(asked["id"], option).status_code == 204
    talk.until("turn")
    assert (folder / "shop" / "a.txt").exists() == is_written
    again = talk.decide(asked["id"], "yes")
    assert (again.status_code, again.json()["metadata"]["code"]) == (409, "not_waiting")


def test_a_follower_sees_what_happens_when_it_happens(
    client: httpx.Client, computer: Running
) -> None:
    talk = a_session(client, computer.computer_id)
    seen: list[dict[str, object]] = []

    def follow() -> None:
        with client.stream("GET", f"{talk.path}/updates", params={"follow": True}) as answer:
            seen.extend(json.loads(line) for line in answer.iter_lines() if line)

    follower = threading.Thread(target=follow)
    follower.start()
    talk.prompt("many 300")
    talk.until("turn")
    assert client.post(f"{talk.path}/stop").status_code == 204
    follower.join(30)

    assert not follower.is_alive()
    messages = [each["text"] for each in seen if each["kind"] == "message"]
    assert messages == [str(number) for number in range(300)]
    assert seen[-1]["status"] == "ended"
    assert talk.row()["state"] == "ended"
    assert client.post(f"{talk.path}/stop").status_code == 204
    assert talk.prompt("say more").json()["metadata"]["code"] == "session_ended"


def test_work_can_be_cancelled_and_another_prompt_follows(
    client: httpx.Client, computer: Running
) -> None:
    talk = a_session(client, computer.computer_id, prompt="wait")
    busy = talk.prompt("say hello")
    assert (busy.status_code, busy.json()["metadata"]["code"]) == (409, "agent_busy")
    assert client.post(f"{talk.path}/cancel").status_code == 204
    talk.until("turn", status="cancelled")
    assert talk.prompt("say hello").status_code == 202
    talk.until("message", text="hello")


def test_an_agent_that_ends_says_why(client: httpx.Client, computer: Running) -> None:
    talk = a_session(client, computer.computer_id, prompt="die")
    row = talk.until_row(state="ended")

    assert row["reason"] == "exited"
    notes = [each["text"] for each in talk.updates() if each["kind"] == "note"]
    assert any("status 3: out of tokens" in note for note in notes)


def test_stopping_ends_what_the_agent_started(client: httpx.Client, computer: Running) -> None:
    talk = a_session(client, computer.computer_id, prompt="child")
    pid = int(talk.until("message")["text"])
    os.kill(pid, 0)
    client.post(f"{talk.path}/stop")

    deadline = time.monotonic() + 10
    while _runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(
    ("members", "status", "code"),
    [
        ({"agent": "codex"}, 403, "agent_not_allowed"),
        ({"workspace": "../other"}, 403, "workspace_not_allowed"),
        ({"workspace": "/"}, 403, "workspace_not_allowed"),
        ({"workspace": "missing"}, 400, "no_workspace"),
    ],
)
def test_only_what_the_machine_allows_is_started(
    client: httpx.Client, computer: Running, members: dict[str, str], status: int, code: str
) -> None:
    answer = start(client, computer, **members)

    assert (answer.status_code, answer.json()["metadata"]["code"]) == (status, code)
    path = f"/api/platform/v1/computers/{computer.computer_id}/sessions"
    listed = client.get(path).json()
    assert (listed["agents"], listed["isConnected"]) == (["gemini-cli", "scripted"], True)
    assert (listed["sessions"][0]["state"], listed["sessions"][0]["reason"]) == ("ended", "failed")


def test_a_used_up_budget_refuses_starts_and_prompts_in_the_words_of_the_gate(
    client: httpx.Client, server: Server, cast: Cast, computer: Running
) -> None:
    talk = a_session(client, computer.computer_id, agent="gemini-cli")
    with server.client(str(cast.keys["owner"])) as owner:
        made = owner.put(
            "/api/platform/v1/limits/budgets",
            json={
                "scope": "agent:gemini-cli",
                "currency": "usd",
                "amount": 0,
                "atEnd": "refuse",
            },
        )
        assert made.status_code in (200, 201), made.text

    for answer in (talk.prompt("say hello"), start(client, computer, agent="gemini-cli")):
        assert answer.status_code == 403
        assert answer.json()["metadata"]["code"] == "budget_used_up"
        assert "the budget of the agent gemini-cli is used up, $0.00 of $0.00" in answer.text
        assert "stationmaster limits ask" in answer.text


def test_a_session_survives_a_lost_connection(
    client: httpx.Client, server: Server, loop: Loop, folder: Path, tmp_path: Path
) -> None:
    wire = Wire(server.url)
    running = Running(registered(client), tmp_path, loop.run(wire.open()), loop.run(_made(folder)))
    with running_agent(loop, running):
        talk = a_session(client, running.computer_id, prompt="say before")
        talk.until("message", text="before")
        running.connected.clear()
        loop.run(wire.cut())
        assert running.connected.wait(30)

        assert [u["text"] for u in talk.updates() if u["kind"] == "message"] == ["before"]
        talk.until_row(state="idle")
        talk.prompt("say after")
        talk.until("message", text="after")
    loop.run(wire.close())


def test_sessions_end_with_the_agent_of_their_computer(
    client: httpx.Client, server: Server, loop: Loop, folder: Path, tmp_path: Path
) -> None:
    running = Running(registered(client), tmp_path, server.url, loop.run(_made(folder)))
    with running_agent(loop, running):
        talk = a_session(client, running.computer_id)
    row = talk.until_row(state="ended")

    assert row["reason"] == "exited"
    offline = client.get(f"{talk.path}/updates")
    assert (offline.status_code, offline.json()["metadata"]["code"]) == (409, "offline")


def test_who_does_not_see_the_computer_sees_no_session(
    server: Server, cast: Cast, client: httpx.Client, computer: Running
) -> None:
    talk = a_session(client, computer.computer_id)
    for caller in ("owner", "manager", "svc"):
        with server.client(str(cast.keys[caller])) as other:
            assert other.get(talk.path).status_code == 404
            assert Talk(other, computer.computer_id, "x").prompt("say").status_code == 404
            assert other.get(f"{talk.path}/updates").status_code == 404
            assert other.post(f"{talk.path}/stop").status_code == 404


def test_what_passes_is_stored_nowhere_and_who_did_what_is(
    client: httpx.Client, server: Server, cast: Cast, computer: Running, tmp_path: Path
) -> None:
    talk = a_session(client, computer.computer_id, prompt="write marked-secret-file")
    asked = talk.until("permission")
    talk.decide(asked["id"], "yes")
    talk.until("turn")
    client.post(f"{talk.path}/stop")

    with server.services.db.reading() as connection:
        rows = connection.execute(
            text("SELECT event_type, payload FROM audit_log WHERE org_id = :org"),
            {"org": cast.org},
        ).all()
    events = [event for event, _ in rows if event.startswith("computer_session")]
    for expected in ("started", "prompted", "watched", "decided", "stopped"):
        assert f"computer_session_{expected}" in events
    for file in Path(server.services.settings.data_dir).rglob("*"):
        if file.is_file():
            assert b"marked-secret" not in file.read_bytes(), file


def test_what_an_agent_exports_arrives_as_its_computers_owners(
    client: httpx.Client, server: Server, cast: Cast, computer: Running, folder: Path
) -> None:
    sample = agent_samples.export_of("gemini-cli", clock.now_ms())
    assert sample is not None
    (folder / "record.json").write_bytes(sample.body)

    talk = a_session(client, computer.computer_id, agent="gemini-cli", prompt="export record.json")
    talk.until("message", text="200")

    server.services.mover.drain()
    assert _last_seen(server, cast, "member") == ["gemini-cli"]
    assert _last_seen(server, cast, "manager") == []


def _last_seen(server: Server, cast: Cast, who: str) -> list[str]:
    """The agents of which a person's events have arrived."""
    sample = agent_samples.export_of("gemini-cli", clock.now_ms())
    assert sample is not None
    headers = {"Content-Type": sample.content_type, "Stationmaster-Dry-Run": "true"}
    with server.client(str(cast.keys[who])) as client:
        answer = client.post(sample.path, content=sample.body, headers=headers)
    return [seen["product"] for seen in answer.json()["lastSeen"]]


def test_a_computers_token_sends_telemetry_and_opens_nothing(
    client: httpx.Client, server: Server, cast: Cast, computer: Running
) -> None:
    assert computer.sessions_here.server is not None
    token = computer.sessions_here.server.key
    sample = agent_samples.export_of("gemini-cli", clock.now_ms())
    assert sample is not None
    headers = {"Content-Type": sample.content_type}

    def sent() -> int:
        with server.client(token) as machine:
            return machine.post(sample.path, content=sample.body, headers=headers).status_code

    with server.client(token) as machine:
        for path in ("/api/v0/computers", "/api/platform/v1/computers/pairings", "/api/v1/users"):
            assert machine.get(path).status_code in (403, 404, 405), path
    assert sent() == 200
    access.remove_member(server.services.db, cast.org, cast.people["member"].user_id)
    assert sent() == 401


def test_a_session_at_work_is_cancelled_and_then_stopped_once_a_budget_is_used_up(
    client: httpx.Client, server: Server, cast: Cast, computer: Running
) -> None:
    polite = a_session(client, computer.computer_id, agent="gemini-cli", prompt="wait")
    busy = a_session(client, computer.computer_id, agent="gemini-cli", prompt="busy")
    idle = a_session(client, computer.computer_id, agent="gemini-cli")
    other = a_session(client, computer.computer_id, agent="scripted", prompt="wait")
    for talk in (polite, busy, other):
        talk.until_row(state="working")
    a_budget(server.services.db, cast.org, "agent", "gemini-cli", amount=0)

    polite.until_row(state="idle")
    assert polite.until("note")["text"] == "Cancelled. A budget is used up."
    busy.until_row(state="ended", reason="stopped")
    assert (idle.row()["state"], other.row()["state"]) == ("idle", "working")
    with server.client(str(cast.keys["owner"])) as owner:
        log = owner.get("/api/platform/v1/audit", params={"limit": 20})
    capped = [event["eventType"] for event in log.json()["events"] if "used_up" in str(event)]
    assert sorted(capped) == [
        "computer_session_cancelled", "computer_session_cancelled", "computer_session_stopped",
    ]  # fmt: skip

"""`agents setup` and `agents verify`: settings that work, and a test that says whether they do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from stationmaster import clock
from stationmaster.agents.cards import PRODUCTS
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.server import EVENTS_PATH, Server as Address
from stationmaster.client.verifying import verify
from tests.support.builders import a_key, a_member, an_organization
from tests.support.commands import Done, command
from tests.support.hooks import trust_codex
from tests.support.scripted import Reply, scripted_server, taken
from tests.support.servers import Server, running_server, settings_for

ME = {
    "org_id": "org_1",
    "principal_kind": "human",
    "principal_id": "user_1",
    "email": None,
    "role": "owner",
    "key_id": "key_1",
    "scope": "full",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running_server(settings_for(tmp_path_factory.mktemp("verify"), "sqlite")) as server:
        yield server


@pytest.fixture
def key(server: Server) -> str:
    db = server.services.db
    org = an_organization(db)
    return a_key(db, org, a_member(db, org, "ada@example.com"), scope="ingest")


def succeed(*arguments: str) -> Done:
    done = command(*arguments)
    assert done.code == 0, done.stderr
    return done


@pytest.mark.parametrize("agent", sorted(PRODUCTS))
def test_an_agent_that_is_set_up_works_and_nothing_is_stored(
    agent: str, server: Server, key: str, tmp_path: Path
) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)
    if agent in hook_files.products():
        succeed("hooks", "install", agent, *there)
    if agent == "codex":
        trust_codex(tmp_path)
    if agent not in ("cursor", "opencode"):
        succeed("agents", "setup", agent, "--apply", *there)
    before = server.services.inbox.backlog_bytes

    told = json.loads(command("agents", "verify", agent, *there, "--json").stdout)

    assert told["works"], told
    steps = {step["name"]: step for step in told["steps"]}
    assert steps["key"]["text"] == "belongs to ada@example.com, scope ingest"
    tried = [step for step in told["steps"] if step["name"] in ("export", "hook")]
    assert {event["product"] for step in tried for event in step["events"]} == {agent}
    assert server.services.inbox.backlog_bytes == before


def test_setting_up_says_that_the_agent_has_to_be_restarted_and_remembers_the_server(
    server: Server, key: str, tmp_path: Path
) -> None:
    home = ("--home", str(tmp_path))
    done = command(
        *("agents", "setup", "codex", "--apply"), *home, "--url", server.url, "--key", key
    )

    assert "Restart codex" in done.stderr
    assert "stationmaster agents verify codex" in done.stderr
    assert command("agents", "verify", "codex", *home).code == 0


def test_what_arrives_is_shown_to_a_person(server: Server, key: str, tmp_path: Path) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)
    succeed("agents", "setup", "codex", "--apply", *there)

    done = command("agents", "verify", "codex", *there)

    assert done.code == 0
    text = done.stdout.decode()
    assert "1 kept (codex, otlp_logs)" in text
    assert "model_call" in text
    assert "input_tokens" in text
    assert "{" not in text


def test_the_last_real_data_of_the_person_and_the_agent_is_told(
    server: Server, key: str, tmp_path: Path
) -> None:
    event = {
        "event_id": "cd" * 16,
        "kind": "tool_call",
        "ts": clock.now_ms(),
        "product": "droid",
        "source": "hook",
        "tool": "shell",
    }
    with server.client(key) as http:
        assert http.post(EVENTS_PATH, json=[event]).json()["accepted"] == 1
    before = verify("droid", Address(server.url, key), tmp_path)[-1]
    server.services.mover.drain()

    after = verify("droid", Address(server.url, key), tmp_path)[-1]
    other = verify("codex", Address(server.url, key), tmp_path)[-1]

    assert (before.name, before.is_good, before.text) == (
        "received",
        None,
        "no data of yours from this agent yet",
    )
    assert (after.is_good, after.text[:7]) == (True, "hook 20")
    assert other.text == "no data of yours from this agent yet"


def test_settings_that_are_not_there_are_why_it_does_not_work(
    server: Server, key: str, tmp_path: Path
) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)

    done = command("agents", "verify", "codex", *there)

    assert done.code == 1
    assert "missing or different in" in done.stdout.decode().replace("\n", " ")


def test_hooks_alone_are_enough(server: Server, key: str, tmp_path: Path) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)
    succeed("hooks", "install", "gemini-cli", *there)

    done = succeed("agents", "verify", "gemini-cli", *there, "--json")

    steps = {step["name"]: step["is_good"] for step in json.loads(done.stdout)["steps"]}
    assert (steps["settings"], steps["hooks"], steps["hook"]) == (None, True, True)


def test_hooks_that_cannot_run_are_why_it_does_not_work(
    server: Server, key: str, tmp_path: Path
) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)
    succeed("agents", "setup", "claude-code", "--apply", *there)
    path = hook_files.path_of("claude-code", tmp_path, None)
    hook_files.install("claude-code", path, "stationmaster")

    done = command("agents", "verify", "claude-code", *there, "--json")

    steps = {step["name"]: step for step in json.loads(done.stdout)["steps"]}
    assert (done.code, steps["settings"]["is_good"], steps["hooks"]["is_good"]) == (1, True, False)
    assert "stationmaster: not found" in steps["hooks"]["text"]


def test_hooks_that_wait_for_trust_are_not_good(server: Server, key: str, tmp_path: Path) -> None:
    there = ("--home", str(tmp_path), "--url", server.url, "--key", key)
    succeed("agents", "setup", "codex", "--apply", *there)
    succeed("hooks", "install", "codex", *there)

    done = command("agents", "verify", "codex", *there, "--json")

    steps = {step["name"]: step for step in json.loads(done.stdout)["steps"]}
    assert (done.code, steps["settings"]["is_good"], steps["hooks"]["is_good"]) == (1, True, False)


def test_a_revoked_key_is_why_it_does_not_work(server: Server, tmp_path: Path) -> None:
    [*_, last] = verify("droid", Address(server.url, "sm_key_of_nobody"), tmp_path)

    assert (last.name, last.is_good) == ("key", False)
    assert last.text.startswith("the server answers 401: ")


def test_a_clock_that_is_wrong_is_told(tmp_path: Path) -> None:
    an_hour_ago = clock.now_ms() - 3_600_000
    dry = {"dryRun": True, "receivedAt": an_hour_ago, "outcomes": [], "events": [], "lastSeen": []}
    with scripted_server(Reply(200, json.dumps(dry).encode())) as there:
        there.read = json.dumps(ME).encode()
        steps = verify("droid", Address(there.url, "sm_key"), tmp_path)

    [told] = [step for step in steps if step.name == "clock"]
    assert told.is_good is False
    assert told.text.endswith("s ahead of the server's")


def test_a_server_that_knows_no_dry_runs_is_sent_nothing(tmp_path: Path) -> None:
    with scripted_server(taken()) as there:
        there.read = json.dumps(ME).encode()
        [*_, last] = verify("droid", Address(there.url, "sm_key"), tmp_path)

    assert (last.name, last.is_good) == ("server", False)
    assert "supports no test records" in last.text
    assert there.bodies == [b"[]"]


def test_a_server_that_is_not_there_is_why_it_does_not_work(tmp_path: Path) -> None:
    [*_, last] = verify("droid", Address("http://127.0.0.1:9", "sm_key"), tmp_path)

    assert (last.name, last.is_good) == ("server", False)
    assert "cannot be reached" in last.text


def test_an_agent_that_nobody_knows_is_refused() -> None:
    done = command("agents", "verify", "some-agent", "--url", "http://127.0.0.1:9", "--key", "k")

    assert "known are claude-code" in done.error


def test_an_unknown_agent_is_named_before_a_missing_server() -> None:
    done = command("agents", "setup", "claude")

    assert "Did you mean claude-code?" in done.stderr


def test_no_stored_server_takes_the_place_of_the_one_that_was_named(
    server: Server, key: str, tmp_path: Path
) -> None:
    command(
        *("agents", "setup", "codex", "--apply", "--home", str(tmp_path)),
        *("--url", server.url, "--key", key),
    )

    done = command("agents", "setup", "claude-code", "--url", "https://other.example.com")

    assert (done.code, done.stderr.strip()) == (
        1,
        "stationmaster: --url needs --key or STATIONMASTER_KEY",
    )


def test_what_was_set_up_is_taken_back(tmp_path: Path) -> None:
    there = ("--home", str(tmp_path), "--url", "http://127.0.0.1:9", "--key", "k")
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('model = "gpt-5"\n')
    path.chmod(0o644)
    done = command("agents", "setup", "codex", "--apply", *there)
    assert "otel" in path.read_text()
    assert f"{path} now contains a key: from now on only its owner can read it" in done.stderr

    command("agents", "setup", "codex", "--undo", *there)

    assert path.read_text() == 'model = "gpt-5"\n'

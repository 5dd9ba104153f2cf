"""`stationmaster hook` keeps what an agent says, tells nobody, and never stands in its way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stationmaster.client import hook, server, spool
from tests.support.scripted import scripted_server, taken

PROGRAM = [sys.executable, "-m", "stationmaster", "hook"]
SECRET = "SECRET-OF-THE-PERSON"
GIVEN: dict[str, Any] = {
    "session_id": "6ac68d5b-8301-4936-bbb4-ff450ef80934",
    "transcript_path": "/home/dev/.claude/projects/x/6ac68d5b.jsonl",
    "cwd": "/home/dev/project",
    "hook_event_name": "PostToolUse",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": f"echo {SECRET}"},
    "tool_response": {"stdout": SECRET},
    "tool_use_id": "toolu_01",
}


@pytest.fixture
def client_dir(tmp_path: Path) -> Path:
    return tmp_path / "client"


def told(client_dir: Path, given: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=given,
        env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)},
        capture_output=True,
        timeout=60,
    )


def folder(client_dir: Path) -> Path:
    return client_dir / hook.FOLDER


def until_still(client_dir: Path, suffix: str = ".hook") -> None:
    """Until no file of a kind waits any more."""
    deadline = time.monotonic() + 60
    while any(each.suffix == suffix for each in folder(client_dir).iterdir()):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def kept_events(client_dir: Path) -> list[dict[str, Any]]:
    files = sorted(folder(client_dir).glob("*.events"))
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


@pytest.mark.parametrize(
    "given", [b"", b"{", b"[]", b"\xff\xfe", b'{"hook_event_name": 3}', b"[" * 100_000, b"null"]
)
def test_whatever_it_is_given_it_ends_well_and_says_nothing(client_dir: Path, given: bytes) -> None:
    done = told(client_dir, given, "--agent", "claude-code", "--of-a-later-version")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_agent(client_dir: Path) -> None:
    client_dir.write_text("a file")

    silent = told(client_dir, json.dumps(GIVEN).encode())
    asked = told(client_dir, json.dumps(GIVEN).encode(), "--verbose")

    assert (silent.returncode, silent.stdout, silent.stderr) == (0, b"", b"")
    assert asked.returncode == 0
    assert b"stationmaster hook: " in asked.stderr


def test_without_a_server_counts_and_names_wait_and_nothing_else(client_dir: Path) -> None:
    told(client_dir, json.dumps(GIVEN).encode(), "--agent", "claude-code")
    until_still(client_dir)

    [event] = [each for each in kept_events(client_dir) if each["kind"] == "tool_call"]
    assert (event["product"], event["tool_raw"], event["source"]) == ("claude-code", "Bash", "hook")
    everything = b"".join(f.read_bytes() for f in client_dir.rglob("*") if f.is_file())
    assert SECRET.encode() not in everything


def test_what_waits_is_readable_by_its_owner_alone(client_dir: Path) -> None:
    hook.keep(str(folder(client_dir)), "claude-code", "", b"{}")

    [file] = folder(client_dir).iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert folder(client_dir).stat().st_mode & 0o077 == 0


def test_what_hooks_told_reaches_the_server_without_anybody_waiting(client_dir: Path) -> None:
    with scripted_server(*[taken(1)] * 20) as there:
        server.save(client_dir, server.Server(there.url, "sm_key"))
        for number in range(10):
            given = GIVEN | {"tool_use_id": f"toolu_{number}"}
            assert told(client_dir, json.dumps(given).encode()).returncode == 0
        until_still(client_dir)
        until_still(client_dir, ".events")
        calls = {e["tool_call_id"] for e in there.events if e["kind"] == "tool_call"}

    assert calls == {f"toolu_{number}" for number in range(10)}
    assert SECRET not in json.dumps(there.events)


def test_hooks_that_come_while_the_server_is_away_are_all_sent_later(client_dir: Path) -> None:
    count = 10_000
    place = folder(client_dir)
    for number in range(count):
        given = GIVEN | {"tool_use_id": f"toolu_{number}"}
        hook.keep(str(place), "claude-code", "", json.dumps(given).encode())
    assert spool.waiting(place) == count

    assert spool.work(str(place)) is False
    sent: list[bytes] = []
    spool.send(place, sent.append)

    events = [json.loads(line) for body in sent for line in body.splitlines()]
    calls = [event["tool_call_id"] for event in events if event["kind"] == "tool_call"]
    assert len(calls) == count
    assert set(calls) == {f"toolu_{number}" for number in range(count)}
    assert spool.waiting(place) == 0


def test_what_the_server_did_not_take_stays_and_a_second_try_sends_it(client_dir: Path) -> None:
    place = folder(client_dir)
    hook.keep(str(place), "claude-code", "", json.dumps(GIVEN).encode())
    spool.work(str(place))

    def away(_: bytes) -> None:
        raise OSError("no route to host")

    with pytest.raises(OSError, match="no route"):
        spool.send(place, away)
    assert spool.waiting(place) == 1
    sent: list[bytes] = []
    spool.send(place, sent.append)
    assert len(sent) == 1


def test_the_repository_and_branch_of_the_folder_are_told(client_dir: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", "-b", "topic", project], check=True)
    remote = "https://user:pass@git.example.com/Acme/App.git"
    subprocess.run(["git", "-C", project, "remote", "add", "origin", remote], check=True)
    (project / "src").mkdir()
    given = GIVEN | {"cwd": str(project / "src")}

    hook.keep(str(folder(client_dir)), "claude-code", "", json.dumps(given).encode())
    spool.work(str(folder(client_dir)))

    events = kept_events(client_dir)
    assert {(e["repo"], e["branch"]) for e in events} == {("git.example.com/acme/app", "topic")}


def test_a_worktree_is_a_checkout_of_its_repository(client_dir: Path, tmp_path: Path) -> None:
    from stationmaster.client.checkouts import Checkouts

    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", "-C", tmp_path / "main"]
    subprocess.run(["git", "init", "-q", tmp_path / "main"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "git@example.com:acme/app"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", "-b", "side", tmp_path / "side"], check=True)

    found = Checkouts().of(str(tmp_path / "side"))

    assert found is not None
    assert (found.repo, found.branch) == ("example.com/acme/app", "side")


@pytest.mark.parametrize("folder", [None, 3, "relative/path", "/no/such/folder", "/\0"])
def test_no_folder_is_no_checkout(folder: object) -> None:
    from stationmaster.client.checkouts import Checkouts

    assert Checkouts().of(folder) is None


@pytest.fixture
def loaded() -> Iterator[list[str]]:
    """The modules that a hook loads before the agent may go on."""
    code = (
        "import sys; from stationmaster.client import hook; import stationmaster.cli;"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in "
        "('msgspec', 'httpx', 'typer', 'stationmaster', 'json', 'pathlib', 'subprocess')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_the_agent_waits_for_hardly_any_module(loaded: list[str]) -> None:
    ours = {
        "stationmaster",
        "stationmaster.cli",
        "stationmaster.client",
        "stationmaster.client.hook",
    }

    assert set(loaded) - {"json", "pathlib", "subprocess"} == ours

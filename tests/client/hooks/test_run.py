"""`stationmaster hook` keeps what an agent says, tells nobody, and never stands in its way."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stationmaster.client import server, spool
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import run as hook, worker as hook_worker
from stationmaster.client.locks import alone
from tests.support.patience import PATIENCE_S
from tests.support.scripted import Reply, scripted_server, taken

PROGRAM = [sys.executable, "-m", "stationmaster", "hook"]
SECRET = "SECRET-OF-THE-PERSON"
NOWHERE = Checkouts()
EVENTS_OF_ONE = 2
"""Of a hook like GIVEN: a tool call, and that a hook ran."""
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


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def kept_events(client_dir: Path) -> list[dict[str, Any]]:
    files = sorted(folder(client_dir).glob("*.events"))
    return [json.loads(line) for file in files for line in file.read_bytes().splitlines()]


def kept_calls(client_dir: Path) -> list[dict[str, Any]]:
    return [event for event in kept_events(client_dir) if event["kind"] == "tool_call"]


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
    until(lambda: bool(kept_events(client_dir)))

    [event] = [each for each in kept_events(client_dir) if each["kind"] == "tool_call"]
    assert (event["product"], event["tool_raw"], event["source"]) == ("claude-code", "Bash", "hook")
    for file in client_dir.rglob("*"):
        assert SECRET.encode() not in (file.read_bytes() if file.is_file() else b"")


def test_asked_it_says_what_became_of_the_hook(client_dir: Path) -> None:
    good = told(client_dir, json.dumps(GIVEN).encode(), "--verbose")
    bad = told(client_dir, f'{{"{SECRET}'.encode(), "--verbose")
    strange = told(client_dir, b"{}", "--verbose")

    assert good.stderr == b"stationmaster hook: claude-code: tool_call, hook\n"
    assert bad.stderr == b"stationmaster hook: not kept: no JSON object\n"
    assert (
        strange.stderr == b"stationmaster hook: not kept: no agent is known to give such a hook\n"
    )


def test_what_waits_is_readable_by_its_owner_alone(client_dir: Path) -> None:
    told(client_dir, json.dumps(GIVEN).encode(), "--verbose")

    [file] = folder(client_dir).glob("*.events")
    assert file.stat().st_mode & 0o077 == 0
    assert folder(client_dir).stat().st_mode & 0o077 == 0


def test_what_hooks_told_reaches_the_server_without_anybody_waiting(client_dir: Path) -> None:
    with scripted_server(taken(1)) as there:
        server.save(client_dir, server.Server(there.url, "sm_key"))
        for number in range(10):
            given = GIVEN | {"tool_use_id": f"toolu_{number}"}
            assert told(client_dir, json.dumps(given).encode()).returncode == 0
        until(lambda: len(there.events) >= 10)
        until(lambda: not spool.standing(folder(client_dir)).events)
        calls = {e["tool_call_id"] for e in there.events if e["kind"] == "tool_call"}

    assert calls == {f"toolu_{number}" for number in range(10)}
    assert SECRET not in json.dumps(there.events)


def test_hooks_of_several_agents_at_once_are_kept_by_one_process_and_sent_later(
    client_dir: Path,
) -> None:
    started = [
        subprocess.Popen(
            [*PROGRAM, "--agent", agent],
            stdin=subprocess.PIPE,
            env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)},
        )
        for _ in range(10)
        for agent in ("claude-code", "codex", "qwen-code")
    ]
    for number, process in enumerate(started):
        given = GIVEN | {"tool_use_id": f"toolu_{number}"}
        process.communicate(json.dumps(given).encode())
    assert {process.returncode for process in started} == {0}
    until(lambda: sum(e["kind"] == "tool_call" for e in kept_events(client_dir)) == 30)

    sent: list[bytes] = []
    assert spool.send(folder(client_dir), sent.append)

    events = [json.loads(line) for body in sent for line in body.splitlines()]
    calls = {e["event_id"]: e["product"] for e in events if e["kind"] == "tool_call"}
    assert Counter(calls.values()) == {"claude-code": 10, "codex": 10, "qwen-code": 10}
    assert spool.standing(folder(client_dir)).events == 0


def test_a_killed_process_leaves_what_others_kept_readable(client_dir: Path) -> None:
    place = folder(client_dir)
    told(client_dir, json.dumps(GIVEN).encode(), "--verbose")
    [whole] = place.glob("*.events")
    line = whole.read_bytes()
    # What a worker leaves that is killed while it writes its second hook.
    (place / "1-1.part").write_bytes(line.replace(b"toolu_01", b"toolu_02") + line[:40])

    told(client_dir, json.dumps(GIVEN | {"tool_use_id": "toolu_03"}).encode(), "--verbose")
    sent: list[bytes] = []
    spool.send(place, sent.append)

    events = [json.loads(line) for line in b"\n".join(sent).splitlines()]
    calls = [event["tool_call_id"] for event in events if event["kind"] == "tool_call"]
    assert sorted(calls) == ["toolu_01", "toolu_02", "toolu_03"]


def is_written(place: Path, text: str) -> bool:
    for file in place.glob("*.*"):
        # It may get its other name meanwhile.
        with contextlib.suppress(FileNotFoundError):
            if f'"{text}"' in file.read_text():
                return True
    return False


def test_what_a_process_kept_before_it_was_killed_is_kept(client_dir: Path) -> None:
    place = folder(client_dir)
    is_killed = False
    number = 0
    while not is_killed:
        number += 1
        given = GIVEN | {"tool_use_id": f"toolu_{number}"}
        told(client_dir, json.dumps(given).encode(), "--agent", "claude-code")
        until(partial(is_written, place, given["tool_use_id"]))
        for part in place.glob("*.part"):
            # It has a second left, which is much for one signal; else the next round tries again.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(part.stem.rpartition("-")[2]), signal.SIGKILL)
                is_killed = True
    told(client_dir, json.dumps(GIVEN | {"tool_use_id": "last"}).encode(), "--verbose")

    calls = {event["tool_call_id"] for event in kept_calls(client_dir)}
    assert calls == {"last"} | {f"toolu_{n}" for n in range(1, number + 1)}


def test_hooks_that_a_killed_process_had_not_kept_are_kept_by_the_next(client_dir: Path) -> None:
    place = folder(client_dir)
    place.mkdir(parents=True)
    with alone(str(place / hook.LOCK)), contextlib.chdir(place):
        silent = socket.socket(socket.AF_UNIX)
        silent.bind(hook.SOCKET)
        silent.listen()
        assert told(client_dir, json.dumps(GIVEN).encode()).returncode == 0
        silent.accept()[0].close()
        silent.close()
    until(lambda: bool(kept_events(client_dir)))

    assert [event["tool_call_id"] for event in kept_calls(client_dir)] == ["toolu_01"]


def test_a_full_spool_keeps_what_it_has_and_counts_what_it_cannot(
    client_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder(client_dir)
    place.mkdir(parents=True)
    _, events = hook_worker.read(hook.head("claude-code", "") + json.dumps(GIVEN).encode(), NOWHERE)
    monkeypatch.setattr(spool, "BYTES_MAX", 2_000)
    with contextlib.closing(spool.Segment(str(place))) as segment:
        kept = [segment.add(events) for _ in range(10)]
    with contextlib.closing(spool.Segment(str(place))) as segment:
        assert not segment.add(events)

    found = spool.standing(place)
    assert 0 < found.events == EVENTS_OF_ONE * kept.count(True) < EVENTS_OF_ONE * 10
    assert found.bytes <= 2_000
    assert found.dropped.hooks == 11 - kept.count(True)
    assert found.dropped.last_ms is not None


def test_a_full_disk_leaves_no_half_line(client_dir: Path) -> None:
    place = folder(client_dir)
    place.mkdir(parents=True)
    _, events = hook_worker.read(hook.head("claude-code", "") + json.dumps(GIVEN).encode(), NOWHERE)
    code = (
        "import msgspec, resource, signal, sys; from stationmaster.client import spool;"
        "from stationmaster.events.model import Event;"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "event = msgspec.json.decode(sys.argv[2], type=Event); s = spool.Segment(sys.argv[1]);"
        "print([s.add([event]) for _ in range(5)].count(True)); s.close()"
    )
    text = msgspec.json.encode(events[0]).decode()
    done = subprocess.run(
        [sys.executable, "-c", code, str(place), text], capture_output=True, text=True, check=True
    )

    assert int(done.stdout) == len(kept_events(client_dir)) in (1, 2)


def test_what_the_server_did_not_take_stays_and_a_second_try_sends_it(client_dir: Path) -> None:
    place = folder(client_dir)
    told(client_dir, json.dumps(GIVEN).encode(), "--verbose")

    def away(_: bytes) -> None:
        raise OSError("no route to host")

    with pytest.raises(OSError, match="no route"):
        spool.send(place, away)
    assert spool.standing(place).events == EVENTS_OF_ONE
    sent: list[bytes] = []
    spool.send(place, sent.append)
    assert len(sent) == 1


def test_a_server_that_is_away_is_left_in_peace_for_a_while(client_dir: Path) -> None:
    with scripted_server(Reply(503)) as there:
        server.save(client_dir, server.Server(there.url, "sm_key"))
        told(client_dir, json.dumps(GIVEN).encode(), "--verbose")
        told(client_dir, json.dumps(GIVEN).encode(), "--verbose")
        asked = len(there.bodies)

    assert asked == 1
    assert spool.standing(folder(client_dir)).events == 2 * EVENTS_OF_ONE


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_well_while_it_waits_for_its_json(
    client_dir: Path, signal_: signal.Signals
) -> None:
    process = subprocess.Popen(
        PROGRAM,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)},
    )
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the other side is reading.
    process.stdin.write(b"[" * 2**20)
    process.stdin.flush()

    process.send_signal(signal_)

    assert process.communicate()[1] == b""
    assert process.returncode == 0


def test_a_hundred_megabytes_do_not_stop_the_agent(client_dir: Path) -> None:
    done = told(client_dir, b'{"a": "' + b"x" * 100_000_000 + b'"}', "--verbose")

    assert done.returncode == 0
    assert done.stderr == b"stationmaster hook: the JSON is larger than a hook's can be\n"


def test_without_standard_input_or_output_it_ends_well(client_dir: Path) -> None:
    line = f"'{sys.executable}' -m stationmaster hook <&- >&- 2>&-"
    env = {**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)}

    assert subprocess.run(line, shell=True, env=env).returncode == 0


def test_the_repository_and_branch_of_the_folder_are_told(client_dir: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    subprocess.run(["git", "init", "-q", "-b", "topic", project], check=True)
    remote = "https://user:pass@git.example.com/Acme/App.git"
    subprocess.run(["git", "-C", project, "remote", "add", "origin", remote], check=True)
    (project / "src").mkdir()
    given = GIVEN | {"cwd": str(project / "src")}

    told(client_dir, json.dumps(given).encode(), "--verbose")

    events = kept_events(client_dir)
    assert {(e["repo"], e["branch"]) for e in events} == {("git.example.com/acme/app", "topic")}


def test_a_worktree_is_a_checkout_of_its_repository(client_dir: Path, tmp_path: Path) -> None:
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
    assert Checkouts().of(folder) is None


@pytest.fixture
def loaded() -> Iterator[list[str]]:
    """The modules that a hook loads before the agent may go on."""
    code = (
        "import sys; from stationmaster.client.hooks import run as hook; import stationmaster.cli;"
        "print(*sorted(m for m in sys.modules if m.split('.')[0] in ('stationmaster',"
        "'msgspec', 'httpx', 'typer', 'json', 'pathlib', 'subprocess', 'socket', 'signal')))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.split()


def test_the_agent_waits_for_hardly_any_module(loaded: list[str]) -> None:
    ours = {
        "stationmaster",
        "stationmaster.cli",
        "stationmaster.client",
        "stationmaster.client.hooks",
        "stationmaster.client.hooks.run",
    }

    assert set(loaded) == ours

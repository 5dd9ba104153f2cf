"""Every text that an agent could send is marked, sent through every door, and found nowhere."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from stationmaster.client import spool
from stationmaster.client.collecting.checkouts import Checkouts
from stationmaster.client.hooks import worker as hook_worker
from tests.support import marking, processes, recordings, tellings, worst_cases
from tests.support.commands import command, succeed
from tests.support.marking import MARK
from tests.support.scripted import Reply, scripted_server

DAYS = ("2026-11-20", "2026-11-21")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh data folder on the day after the recordings."""
    monkeypatch.setenv("STATIONMASTER_NOW", "2026-11-22T12:00:00Z")
    monkeypatch.setenv("STATIONMASTER_CLIENT_DIR", str(tmp_path / "client"))
    return tmp_path / "data"


def _bodies() -> list[tuple[str, bytes, str]]:
    """(signal, body, content type) of every recorded and generated export, marked."""
    recorded = [
        (body.signal, *marking.body(body))
        for agent in recordings.EVERY
        for body in recordings.bodies(agent)
    ]
    return recorded + [(*body, "application/json") for body in worst_cases.otlp()]


def _write_home(home: Path) -> int:
    """Marked session files of all agents where the agents keep them; how many."""
    tellings.make_home(home)
    number = sum(len(tellings.files_of(agent, home)) for agent in recordings.EVERY)
    marking.home(home)
    claude = home / ".claude" / "projects" / f"-home-{MARK}"
    claude.mkdir(parents=True)
    (claude / "worst-claude.jsonl").write_bytes(worst_cases.claude_lines())
    codex = next((home / ".codex" / "sessions").rglob("*.jsonl")).parent
    (codex / "rollout-2026-11-20T12-00-00-worst-codex.jsonl").write_bytes(worst_cases.codex_lines())
    return number + 2


def _keep_hooks(folder: Path) -> None:
    """The marked hooks of all agents, as a machine keeps them until a server takes them."""
    folder.mkdir(parents=True)
    checkouts = Checkouts()
    with closing(spool.Segment(str(folder))) as segment:
        for agent in recordings.EVERY:
            for run in recordings.runs(agent):
                for kept in tellings.kept_hooks(agent, run):
                    before, _, given = kept.partition(b"\n")
                    marked = json.dumps(marking.members(json.loads(given))).encode()
                    product, events = hook_worker.read(before + b"\n" + marked, checkouts)
                    assert product == agent
                    assert segment.add(events)


def _write_bodies(folder: Path) -> int:
    folder.mkdir()
    bodies = _bodies()
    for number, (signal, body, content_type) in enumerate(bodies):
        ending = "json" if content_type == "application/json" else "bin"
        (folder / f"{number:03}-{signal}.{ending}").write_bytes(body)
    return len(bodies)


def _post(url: str, key: str, path: str, body: bytes, content_type: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {key}", "content-type": content_type}
    return httpx.post(url + path, content=body, headers=headers, timeout=60)


def _rows(data: Path, report: str) -> list[dict[str, Any]]:
    days = ("--from", DAYS[0], "--to", DAYS[1])
    return list(succeed("analytics", report, *days, "--data-dir", data)["data"])


def _assert_it_all_counts(data: Path) -> None:
    """The search would prove nothing if nothing had been taken in."""
    succeed("rollup", "--data-dir", data)
    tools = _rows(data, "tools")[-1]
    productivity = _rows(data, "productivity")[-1]
    assert _rows(data, "tokens")[-1]["output_tokens"] > 1_000
    assert tools["tool_calls"] >= 20
    assert productivity["files_created"] > 0
    assert productivity["git_commits"] > 0
    assert _rows(data, "activity")[-1]["user_messages"] >= 10


def test_nothing_marked_reaches_the_disk_of_a_server(data: Path, tmp_path: Path) -> None:
    key = succeed("init", "--data-dir", data)["api_key"]
    with processes.a_server(data) as server:
        for signal, body, content_type in _bodies():
            answer = _post(server.url, key, f"/v1/{signal}", body, content_type)
            assert answer.status_code == 200, answer.text
        _send_events_with_content(server.url, key)
        files = _write_home(tmp_path / "home")
        _keep_hooks(tmp_path / "client" / "hooks")
        sent = succeed("collect", "--home", tmp_path / "home", "--url", server.url, "--key", key)
        assert sent["files"] == files
        assert spool.standing(tmp_path / "client" / "hooks").events == 0
        _assert_it_all_counts(data)
    assert marking.places(data, tmp_path / "client") == []


def test_nothing_marked_leaves_a_machine_or_stays_on_it(data: Path, tmp_path: Path) -> None:
    with scripted_server(Reply(503, headers={"retry-after": "0"})) as away:
        _write_home(tmp_path / "home")
        _keep_hooks(tmp_path / "client" / "hooks")
        command("collect", "--home", tmp_path / "home", "--url", away.url, "--key", "sm_1")
        kept = marking.places(tmp_path / "client")
    with scripted_server() as there:
        shown = command("collect", "--home", tmp_path / "home", "--dry-run", "--json")
        succeed("collect", "--home", tmp_path / "home", "--url", there.url, "--key", "sm_1")

    assert kept == []
    assert {event["product"] for event in there.events} == set(recordings.EVERY)
    assert {"hook", "transcript", "store_db"} <= {event["source"] for event in there.events}
    for sent in (*away.bodies, *there.bodies, shown.stdout, str(there.headers).encode()):
        assert MARK.lower().encode() not in sent.lower()
    assert marking.places(tmp_path / "client") == []


def _send_events_with_content(url: str, key: str) -> None:
    good = {
        "event_id": "1" * 32,
        "kind": "user_message",
        "ts": 1_795_176_000_000,
        "product": "claude-code",
        "source": "transcript",
        "session_id": "s1",
        "root_session_id": "s1",
    }
    bad: list[dict[str, Any]] = [
        good | {"prompt": MARK},
        good | {MARK: 1},
        good | {"kind": MARK},
        good | {"event_id": MARK},
        good | {"input_tokens": MARK},
        good | {"tool": {"text": MARK}},
        good | {"tool": MARK * 20},
        good | {"tool": f"{MARK}\n{MARK}"},
        good | {"quality": MARK},
    ]
    body = json.dumps([good, *bad]).encode()
    answer = _post(url, key, "/api/platform/v1/events", body, "application/json")
    assert (answer.json()["accepted"], answer.json()["rejected"]) == (1, len(bad))
    for content_type in ("application/json", "application/x-ndjson", "text/plain"):
        _post(url, key, "/api/platform/v1/events", MARK.encode(), content_type)
        _post(url, key, "/v1/logs", MARK.encode(), content_type)


def test_nothing_marked_reaches_the_disk_of_a_local_import(data: Path, tmp_path: Path) -> None:
    succeed("init", "--data-dir", data)
    home, exports = tmp_path / "home", tmp_path / "exports"
    files, requests = _write_home(home), _write_bodies(exports)

    taken = succeed("ingest", home, exports, "--data-dir", data)
    collected = succeed("collect", "--home", home, "--data-dir", data)
    waiting = marking.places(data, tmp_path / "client")
    succeed("rollup", "--data-dir", data)
    command("doctor", "--data-dir", data)

    # Beside the session files lie some of which only a collector knows that they are none.
    assert taken["files"] >= files
    assert taken["requests"] == requests
    assert collected["files"] == files
    assert waiting == []
    _assert_it_all_counts(data)
    assert marking.places(data, tmp_path / "client") == []


def test_a_session_that_is_still_being_written_leaves_no_content_in_the_record_of_progress(
    data: Path, tmp_path: Path
) -> None:
    succeed("init", "--data-dir", data)
    home = tmp_path / "home"
    _write_home(home)
    whole = {path: path.read_bytes() for path in home.rglob("*.jsonl")}
    for part in range(1, 5):
        for path, content in whole.items():
            lines = content.splitlines(keepends=True)
            path.write_bytes(b"".join(lines[: len(lines) * part // 5]) + lines[-1][:30])
        succeed("collect", "--home", home, "--data-dir", data)

        assert marking.places(data, tmp_path / "client") == []


def test_the_mark_would_be_found_in_every_form_of_storage(tmp_path: Path) -> None:
    plain = f"a {MARK} b".encode()
    table = pa.table({"tool": ["Bash", plain.decode()]})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd")
    inbox = sqlite3.connect(tmp_path / "inbox.sqlite3")
    inbox.execute("CREATE TABLE inbox (id INTEGER PRIMARY KEY, payload BLOB)")
    payload = len(plain).to_bytes(4, "big") + pa.Codec("zstd").compress(plain, asbytes=True)
    inbox.execute("INSERT INTO inbox (payload) VALUES (?)", (payload,))
    inbox.commit()
    inbox.close()
    state = sqlite3.connect(tmp_path / "state.sqlite3")
    state.execute("CREATE TABLE t (v TEXT)")
    state.execute("INSERT INTO t VALUES (?)", (MARK.lower(),))
    state.commit()
    state.close()
    (tmp_path / f"{MARK}.tmp").touch()

    assert marking.places(tmp_path)[-1] == "state.sqlite3: bytes"
    assert {place.rpartition(": ")[0] for place in marking.places(tmp_path)} == {
        f"{MARK}.tmp",
        "a.parquet",
        "inbox.sqlite3",
        "state.sqlite3",
    }
    assert "a.parquet: column tool" in marking.places(tmp_path)

"""`ingest`: files told apart by their bytes, into a folder or to a server."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.support import recordings, sessions
from tests.support.commands import command, succeed
from tests.support.reports import totals
from tests.support.scripted import Reply, scripted_server
from tests.support.servers import running_server, settings_for
from tests.support.sessions import DAY

EVENT = {
    "kind": "model_call",
    "ts": 1_795_176_000_000,
    "product": "claude-code",
    "source": "transcript",
    "session_id": "s1",
    "root_session_id": "s1",
    "model": "claude-sonnet-4-5",
    "input_tokens": 7,
    "output_tokens": 1,
}


def _event_lines(count: int, **fields: object) -> bytes:
    return b"".join(
        json.dumps({"event_id": f"{number:032x}", **EVENT, **fields}).encode() + b"\n"
        for number in range(1, count + 1)
    )


def _otlp_json() -> bytes:
    """One model call of 11 input tokens, as Claude Code would export it."""
    values = {
        "event.name": "api_request",
        "event.timestamp": f"{DAY}T12:00:00.000Z",
        "session.id": "s9",
        "request_id": "req_9",
        "model": "claude-sonnet-4-5",
        "input_tokens": "11",
        "output_tokens": "2",
    }
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    service = {"key": "service.name", "value": {"stringValue": "claude-code"}}
    record = {"body": {"stringValue": "claude_code.api_request"}, "attributes": attributes}
    logs = {
        "resource": {"attributes": [service]},
        "scopeLogs": [
            {"scope": {"name": "com.anthropic.claude_code.events"}, "logRecords": [record]}
        ],
    }
    return json.dumps({"resourceLogs": [logs]}).encode()


def _ingest(made: dict[str, str], *paths: Path) -> dict[str, object]:
    return dict(succeed("ingest", *paths, "--data-dir", made["data"]))


def _input_tokens(made: dict[str, str]) -> int:
    return totals(made["data"], DAY)["input_tokens"]


@pytest.mark.parametrize("name", ["body.json", "anything", "logs.json.gz"])
def test_an_otlp_json_body_is_recognised_by_its_bytes(
    name: str, made: dict[str, str], tmp_path: Path
) -> None:
    body = _otlp_json()
    (tmp_path / name).write_bytes(gzip.compress(body) if name.endswith(".gz") else body)

    assert _ingest(made, tmp_path / name)["requests"] == 1
    assert _input_tokens(made) == 11


@pytest.mark.parametrize("name", ["01-logs.bin", "logs.pb", "x-logs-7.binpb.gz"])
def test_a_protobuf_body_is_recognised_by_its_name(
    name: str, made: dict[str, str], tmp_path: Path
) -> None:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

    body = json_format.Parse(_otlp_json(), ExportLogsServiceRequest()).SerializeToString()
    (tmp_path / name).write_bytes(gzip.compress(body) if name.endswith(".gz") else body)

    assert _ingest(made, tmp_path / name)["requests"] == 1
    assert _input_tokens(made) == 11


def test_event_lines_are_taken_whatever_the_order_of_their_members(
    made: dict[str, str], tmp_path: Path
) -> None:
    line = json.dumps({**EVENT, "event_id": "0" * 32}).encode()
    (tmp_path / "first.ndjson").write_bytes(_event_lines(3))
    (tmp_path / "last.ndjson.gz").write_bytes(gzip.compress(line))

    assert _ingest(made, tmp_path / "first.ndjson", tmp_path / "last.ndjson.gz")["requests"] == 2
    assert _input_tokens(made) == 28


def test_more_event_lines_than_a_request_holds_are_several_requests(
    made: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "events.ndjson").write_bytes(_event_lines(10_001))

    assert _ingest(made, tmp_path / "events.ndjson")["requests"] == 3
    assert _input_tokens(made) == 70_007


def test_an_event_line_with_a_member_that_events_do_not_have_is_refused_and_named(
    made: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "events.ndjson"
    file.write_bytes(_event_lines(1, prompt="words"))

    done = command("ingest", file, "--data-dir", made["data"])

    assert done.error.startswith(f"{file}: event 0: ")
    assert "prompt" in done.error


def test_event_lines_that_a_server_refuses_are_an_error(
    made: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "events.ndjson"
    file.write_bytes(_event_lines(2, prompt="words"))
    with running_server(settings_for(tmp_path, "")) as server:
        done = command("ingest", file, "--url", server.url, "--key", made["api_key"])

    assert done.error.startswith(f"{file}: the server refused 2 events, the first one because: ")


def test_a_transcript_is_recognised_and_taken(made: dict[str, str], tmp_path: Path) -> None:
    file = sessions.a_session(tmp_path / "home", last_turn=3)

    found = _ingest(made, file)

    assert found["files"] == 1
    assert found["events"] == {"model_call": 3, "session_context": 1, "user_message": 3}
    assert _input_tokens(made) == 30


def test_unknown_files_are_skipped_and_named(made: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    sessions.a_session(folder)
    (folder / "notes.txt").write_text("plain words")
    (folder / "empty").touch()
    (folder / "broken.gz").write_bytes(b"\x1f\x8bnonsense")

    done = command("ingest", folder, "--data-dir", made["data"], "--json")

    assert done.code == 0
    assert done.json["skipped_files"] == 3
    assert done.stderr.splitlines() == [
        f"skipped, not a recording of a known agent: {folder / name}"
        for name in ("broken.gz", "empty", "notes.txt")
    ]


def test_nothing_recognised_is_an_error(made: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    done = command("ingest", tmp_path / "empty", "--data-dir", made["data"], "--json")

    assert done.error == "nothing was stored: no file was recognised"


def test_a_path_that_is_not_there_is_named(made: dict[str, str], tmp_path: Path) -> None:
    done = command("ingest", tmp_path / "none", "--data-dir", made["data"])

    assert done.error == f"no such file or folder: {tmp_path / 'none'}"


def test_an_agent_that_nobody_knows_is_one_line(made: dict[str, str], tmp_path: Path) -> None:
    sessions.a_session(tmp_path / "home")

    done = command("ingest", tmp_path / "home", "--agent", "clod", "--data-dir", made["data"])

    assert done.error.startswith("no agent is called 'clod'; known are claude-code, codex")
    assert "\n" not in done.error


def test_a_named_agent_reads_a_file_of_any_name(made: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "export.txt").write_bytes(sessions.turns("s1", 1, 2))

    done = command(
        *("ingest", tmp_path / "export.txt", "--agent", "claude-code"),
        *("--data-dir", made["data"], "--json"),
    )

    assert done.json["files"] == 1
    assert _input_tokens(made) == 20


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("logs.json.gz", gzip.compress(b'{"resourceLogs": []}' + b" " * 9_000, mtime=0)[:-12]),
        ("logs.json", b'{"resourceLogs": [}'),
        ("logs.bin", b"\xff\xff\xff"),
    ],
)
def test_a_damaged_body_is_named_in_one_line(
    name: str, data: bytes, made: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(data)

    done = command("ingest", tmp_path / name, "--data-dir", made["data"])

    assert done.error.startswith(f"{tmp_path / name}: ")


def test_a_server_that_refuses_the_key_ends_it_with_the_file(tmp_path: Path) -> None:
    (tmp_path / "logs.json").write_bytes(_otlp_json())
    with scripted_server(Reply(401, b'{"detail": "No."}')) as server:
        done = command("ingest", tmp_path / "logs.json", "--url", server.url, "--key", "sm_key")

    assert done.error == f"{tmp_path / 'logs.json'}: the server answers 401: No."


@pytest.mark.parametrize("agent", recordings.AGENTS)
@pytest.mark.slow
def test_a_folder_of_recordings_gives_the_same_rows_locally_and_over_http(
    agent: str, made: dict[str, str], tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded"
    shutil.copytree(recordings.ROOT / agent / "otlp", recorded / "otlp")
    (recorded / "otlp" / "index.json").unlink()
    for file in recordings.transcript_files(agent):
        shutil.copy(file, recorded)
    env = {"STATIONMASTER_NOW": "2026-11-22T12:00:00Z"}
    other = str(tmp_path / "other" / "data")
    key = succeed("init", "--data-dir", other, env=env)["api_key"]

    local = succeed("ingest", recorded, "--data-dir", made["data"], env=env)
    with running_server(settings_for(tmp_path / "other", "")) as server:
        sent = succeed("ingest", recorded, "--url", server.url, "--key", key, env=env)

    assert sent == local
    assert local["requests"] == len(recordings.bodies(agent))
    assert local["files"] == 5
    days = ("--from", "2026-11-21", "--to", "2026-11-21")
    rows = [
        succeed("analytics", "tools", *days, "--data-dir", data, env=env)["data"]
        for data in (made["data"], other)
    ]
    assert rows[0] == rows[1]
    assert rows[0][0]["tool_calls"] > 0

"""Recorded sessions of real agents go in through every door; the reports say what truly happened.

Each recorded session is moved to a day of its own, so that one day's rows are one session's.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import redate

from tests.support import processes, recordings
from tests.support.recordings import Body

RUNS = ("basic", "mcp", "short", "denied", "ask")
DELIVERIES = ("otlp", "transcript", "both", "twice", "shuffled")
CLIENTS = {"headless command line": "non-interactive-cli", "interactive terminal": "terminal-ui"}
LEVELS = {
    "bypassPermissions": "auto-high",
    "acceptEdits + allowedTools Bash(git:*)": "auto-low",
    "default": "manual",
    "never + danger-full-access (--dangerously-bypass-approvals-and-sandbox)": "auto-high",
    "never + workspace-write": "auto-medium",
    "never + read-only": "manual",
    "on-request + read-only": "manual",
}


def day_of(run: str) -> date:
    return datetime.now(UTC).date() - timedelta(days=2 + RUNS.index(run))


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("agent", recordings.AGENTS)
def test_reports_equal_what_truly_happened(agent: str, delivery: str, tmp_path: Path) -> None:
    made = processes.run_json("init", "--data-dir", str(tmp_path / "data"))
    with processes.a_server(tmp_path / "data") as server:
        _deliver(agent, delivery, server.url, made["api_key"], tmp_path)
        rows = {report: _report(server.url, made["api_key"], report) for report in _REPORTS}

    wrong = {}
    for session in recordings.expected(agent):
        truth = _truth(session, with_side_calls=delivery != "transcript")
        seen = _seen(rows, day_of(session["run"]).isoformat())
        wrong[session["run"]] = {
            field: (seen[field], value) for field, value in truth.items() if seen[field] != value
        }
    assert wrong == {run: {} for run in RUNS}


_REPORTS = ("tokens", "tools", "activity", "productivity", "users")


def _truth(session: dict[str, Any], with_side_calls: bool) -> dict[str, Any]:
    """What the reports must say of one session, from what the lab knows of it.

    The agent's own side calls (a title) are on the bill and in exports, in no transcript.
    """
    tokens, side = session["tokens"], session["side_call_tokens"]
    executed = [call for call in session["tool_calls"] if call["outcome"] != "refused"]
    calls = session["model_calls"]["main"]
    return {
        "input_tokens": tokens["input_not_cached"] + (side["input"] if with_side_calls else 0),
        "output_tokens": tokens["output_with_reasoning"]
        + (side["output"] if with_side_calls else 0),
        "cache_read_tokens": tokens["cache_read"],
        "cache_write_tokens": tokens["cache_write"],
        "models": [session["model"]],
        "tool_calls": len(executed),
        "by_tool": _tally(call["runs_as"].replace(" ", "__") for call in executed),
        "sessions": 1,
        "user_messages": session["user_messages"],
        "messages": session["user_messages"] + calls,
        "client": CLIENTS[session["client"]],
        "files_created": sum(file["what"] == "created" for file in session["files"]),
        "files_edited": sum(file["what"] == "edited" for file in session["files"]),
        "by_extension": _tally(Path(file["path"]).suffix for file in session["files"]),
        "git_commits": len(session["git_commits"]),
        "users": 1,
        "user_email": "dev@example.com",
        "delegation_level": LEVELS[session["approval_mode"]],
    }


def _tally(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names))


def _seen(rows: dict[str, list[dict[str, Any]]], day: str) -> dict[str, Any]:
    tokens, tools, activity, productivity = (
        next(row for row in rows[report] if row["date"] == day)
        for report in ("tokens", "tools", "activity", "productivity")
    )
    users = [row for row in rows["users"] if row["date"] == day]
    clients = activity["daily_active_users_by_client"]
    return {
        **{name: tokens[name] for name in _TOKENS},
        "models": [row["model_id"] for row in tokens["by_model"]],
        "tool_calls": tools["tool_calls"],
        "by_tool": {row["tool"]: row["invocations"] for row in tools["by_tool"]},
        "sessions": activity["sessions"],
        "user_messages": activity["user_messages"],
        "messages": activity["messages"],
        "client": next(client for client, count in clients.items() if count),
        "files_created": productivity["files_created"],
        "files_edited": productivity["files_edited"],
        "by_extension": {e["extension"]: e["count"] for e in productivity["by_extension"]},
        "git_commits": productivity["git_commits"],
        "users": len(users),
        "user_email": users[0]["user_email"] if users else None,
        "delegation_level": users[0]["delegation_level"] if users else None,
    }


_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


def _deliver(agent: str, delivery: str, url: str, key: str, scratch: Path) -> None:
    bodies = recordings.bodies(agent)
    if delivery == "shuffled":
        bodies = random.Random(7).sample(bodies, len(bodies))
    for _ in range(2 if delivery == "twice" else 1):
        if delivery != "transcript":
            _post(bodies, url, key)
        if delivery != "otlp":
            _ingest_transcripts(agent, url, key, scratch)


def _post(bodies: list[Body], url: str, key: str) -> None:
    with httpx.Client(base_url=url, timeout=60) as http:
        for body in bodies:
            answer = http.post(
                f"/v1/{body.signal}",
                content=_moved(body),
                headers={
                    "authorization": f"Bearer {key}",
                    "content-type": body.content_type,
                    "content-encoding": body.content_encoding or "identity",
                },
            )
            assert answer.status_code == 200, answer.text


def _moved(body: Body) -> bytes:
    data = gzip.decompress(body.data) if body.content_encoding else body.data
    if body.content_type == "application/json":
        data = redate.text(data, day_of(body.run))
    else:
        data = redate.protobuf(data, body.signal, day_of(body.run))
    return gzip.compress(data) if body.content_encoding else data


def _ingest_transcripts(agent: str, url: str, key: str, scratch: Path) -> None:
    folder = scratch / "transcripts"
    folder.mkdir(exist_ok=True)
    runs = {session["session_id"]: session["run"] for session in recordings.expected(agent)}
    for file in recordings.transcript_files(agent):
        run = next(run for session, run in runs.items() if session in file.name)
        (folder / file.name).write_bytes(redate.text(file.read_bytes(), day_of(run)))
    # A laptop's transcripts name nobody: the user's own key does.
    env = {"STATIONMASTER_URL": url, "STATIONMASTER_KEY": _key_of_dev(scratch)}
    result = json.loads(processes.run("ingest", str(folder), "--json", env=env))
    assert result["files"] == len(runs)


def _key_of_dev(scratch: Path) -> str:
    folder = ["--data-dir", str(scratch / "data")]
    processes.run("members", "add", "dev@example.com", *folder)
    return str(
        processes.run_json(
            "keys", "create", "--name", "laptop", "--scope", "ingest",
            "--member", "dev@example.com", *folder,
        )["api_key"]
    )  # fmt: skip


def _report(url: str, key: str, report: str) -> list[dict[str, Any]]:
    answer = httpx.get(
        f"{url}/api/v1/analytics/{report}",
        params={"startDate": str(day_of(RUNS[-1])), "endDate": str(day_of(RUNS[0]))},
        headers={"authorization": f"Bearer {key}"},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"])

"""`make run`: whatever stops it, the next start shows all of it; no other server gets its key."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from pathlib import Path

import demo
import httpx
import pytest
from demo_data import plan
from demo_data.people import OWNER, PEOPLE

from tests.journeys.test_docs_commands import ROOT, blocks
from tests.support import processes
from tests.support.commands import command, succeed
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.slow

STARTED = datetime(2026, 11, 21, 12, tzinfo=UTC)
"""When the demo of these tests is started: on a Saturday."""


@contextmanager
def running_demo(
    folder: Path, port: int, at: datetime = STARTED
) -> Iterator[subprocess.Popen[str]]:
    """The demo of eight days as a process, ended as `make` ends it."""
    options = ["--data-dir", str(folder), "--port", str(port), "--days", "8"]
    process = subprocess.Popen(
        [sys.executable, "examples/demo.py", *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "STATIONMASTER_NOW": at.isoformat()},
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=180)
        assert "Traceback" not in errors


def introduction(process: subprocess.Popen[str]) -> list[str]:
    """What the demo prints until it is all there."""
    assert process.stdout is not None
    return list(takewhile(lambda line: line != "Stop with Ctrl-C.\n", process.stdout))


def interrupted_while_it_sends(folder: Path, port: int) -> None:
    with running_demo(folder, port) as process:
        assert process.stdout is not None
        assert any(line.startswith("Sending") for line in process.stdout)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def answered(lines: list[str]) -> dict[str, list[dict[str, object]]]:
    """The rows of each report, by running what the demo says to run."""
    requests = [line.strip() for line in lines if line.startswith("  curl ")]
    reports = [re.findall(r"/analytics/(\w+)", request)[0] for request in requests]
    answers = [
        subprocess.run(["sh", "-c", request], capture_output=True, text=True, timeout=PATIENCE_S)
        for request in requests
    ]
    return {
        report: json.loads(answer.stdout)["data"]
        for report, answer in zip(reports, answers, strict=True)
    }


def signed_in_by(lines: list[str]) -> str:
    """The page that the printed link opens, once."""
    [link] = [line.split()[1] for line in lines if line.startswith("Open ")]
    with httpx.Client(follow_redirects=True, timeout=PATIENCE_S) as browser:
        page = browser.get(link)
        assert page.status_code == 200
    assert httpx.get(link, timeout=PATIENCE_S).status_code == 401
    return page.text


def key_of(lines: list[str]) -> str:
    [key] = [line.split()[-1] for line in lines if line.startswith("API key: ")]
    return key


def planned(start: date, end: date) -> Counter[str]:
    """The sessions that the demo of STARTED plans for each day."""
    days = [start + timedelta(days=number) for number in range((end - start).days + 1)]
    return Counter({str(day): len(list(plan.sessions_of(day, STARTED.date()))) for day in days})


def test_a_demo_that_was_stopped_is_completed_by_the_next_start(tmp_path: Path) -> None:
    folder, port = tmp_path / "data", processes.free_port()

    interrupted_while_it_sends(folder, port)
    with running_demo(folder, port) as process:
        first = introduction(process)
        rows = answered(first)
        page = signed_in_by(first)
    # Two days later, on the same data.
    with running_demo(folder, port, STARTED + timedelta(days=2)) as process:
        second = introduction(process)
        later = answered(second)

    assert list(rows) == ["tokens", "tools", "activity", "productivity", "users"]
    [shown] = blocks(ROOT / "README.md", "json")
    promised = {k: v for k, v in json.loads(shown).items() if k.endswith("_tokens")}
    assert {name: rows["tokens"][-1][name] for name in promised} == promised
    sessions = {row["date"]: row["sessions"] for row in rows["activity"]}
    assert sessions == planned(date(2026, 11, 14), date(2026, 11, 20))
    assert len({row["user_email"] for row in rows["users"]}) >= 20
    assert demo.NOTICE in page
    assert OWNER in page
    # The days that have passed are there, too, with the same key; nothing is made twice.
    assert {row["date"]: row["sessions"] for row in later["activity"]} == planned(
        date(2026, 11, 16), date(2026, 11, 22)
    )
    assert key_of(first) == key_of(second)
    assert not [line for line in second if line.startswith("Reading")]
    owner = ("--data-dir", folder)
    assert len(succeed("members", "list", *owner)["members"]) == 1 + len(PEOPLE)
    assert len(succeed("computers", "list", *owner)["computers"]) == 4
    assert len(succeed("repos", "list", *owner)["repositories"]) == 6


@contextmanager
def foreign_server() -> Iterator[tuple[int, list[str]]]:
    """A server that says yes to everything; its port, and what it was asked."""
    asked: list[str] = []

    class Yes(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path} {self.headers.get('authorization')}")
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Yes)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_taken_port_is_reported_and_nothing_is_made(tmp_path: Path) -> None:
    with foreign_server() as (port, asked):
        process = subprocess.run(
            [
                *(sys.executable, "examples/demo.py"),
                *("--data-dir", tmp_path / "data", "--port", str(port)),
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    assert process.returncode == 1
    [line] = process.stderr.splitlines()
    assert f"port {port} is taken" in line
    assert f"make run PORT={port + 1}" in line
    assert not (tmp_path / "data").exists()
    assert asked == []


def test_a_server_that_takes_the_port_meanwhile_is_sent_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "_check_port", lambda port: None)

    with foreign_server() as (port, asked), pytest.raises(demo.Failed, match="ended at once"):
        demo._run(tmp_path / "data", port)

    assert asked == []
    assert f"cannot listen on 127.0.0.1:{port}" in capfd.readouterr().err


def test_an_installation_that_is_no_demo_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    succeed("init", "--data-dir", tmp_path, "--org", "Acme", "--owner", "ada@example.com")

    with pytest.raises(demo.Failed, match="DEMO_DIR"):
        demo._run(tmp_path, processes.free_port())

    assert command("members", "list", "--data-dir", tmp_path, "--org", "Demo").code == 1


@pytest.mark.parametrize("target", ["run", "test"])
def test_make_says_what_it_does_before_anything_else(target: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "python3").chmod(0o755)

    done = subprocess.run(
        [
            "make",
            "--no-print-directory",
            "-f",
            ROOT / "Makefile",
            target,
            f"PYTHON={tmp_path / 'python3'}",
        ],
        cwd=tmp_path,
        env={**os.environ, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )

    # Without a Python that works it ends there, having said what it was about to do.
    assert done.returncode == 2
    lines = done.stdout.splitlines()
    if target == "run":
        assert lines.pop(0).startswith("Stationmaster with a demo organization: http://127.0.0.1:")
    wanted = "[server]" if target == "run" else "[server,grpc,mcp,postgres,s3,spark] --group dev"
    assert lines[0].startswith("Installing into .venv, ")
    assert lines[0].endswith(f"--editable .{wanted}")

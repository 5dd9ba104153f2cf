"""OpenCode's plugin forwards what is finished, each once, and stands nothing in OpenCode's way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stationmaster.client import opencode_plugin

HOST = Path(__file__).with_name("opencode_host.mjs")
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="plugins are JavaScript: node runs them")


def hosted(program: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    plugin = tmp_path / "stationmaster.mjs"
    plugin.write_text(opencode_plugin.text(str(program)))
    assert NODE is not None
    return subprocess.run([NODE, HOST, plugin], capture_output=True, text=True, timeout=60)


def test_what_is_finished_is_forwarded_with_the_session_that_a_person_is_in(
    tmp_path: Path,
) -> None:
    program = tmp_path / "a program"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nname = {str(tmp_path)!r} + f'/{{os.getpid()}}'\n"
        "open(name, 'w').write(' '.join(sys.argv[1:]) + chr(10) + sys.stdin.read())\n"
        "os.rename(name, name + '.told')\n"
    )
    program.chmod(0o755)

    done = hosted(program, tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("*.told"))) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    told = [file.read_text().split("\n", 1) for file in tmp_path.glob("*.told")]
    assert {arguments for arguments, _ in told} == {"hook --agent opencode"}
    given = [json.loads(text) for _, text in told]
    assert sorted(one["type"] for one in given) == [
        *("chat.message", "command.executed", "message.part.updated"),
        *("session.created", "session.created"),
    ]
    by_type = {one["type"]: one for one in given}
    assert by_type["chat.message"]["permission"] == {"bash": "ask", "edit": "deny"}
    assert by_type["message.part.updated"]["rootSessionID"] == "ses_top"
    assert by_type["command.executed"] == {
        "type": "command.executed",
        "name": "review",
        "sessionID": "ses_top",
    }


def test_a_program_that_is_not_there_is_no_fault_of_opencode(tmp_path: Path) -> None:
    done = hosted(tmp_path / "nowhere", tmp_path)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

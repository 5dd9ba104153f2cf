"""OpenCode's plugin forwards what is finished, each once, and stands nothing in OpenCode's way."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Gate
from tests.support.patience import PATIENCE_S

HOST = Path(__file__).with_name("opencode_host.mjs")
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="plugins are JavaScript: node runs them")


def hosted(
    program: Path, tmp_path: Path, gate: Gate | None = None
) -> subprocess.CompletedProcess[str]:
    plugin = tmp_path / "stationmaster.mjs"
    hooks = cards.get("opencode").hooks
    assert hooks is not None
    assert hooks.plugin is not None
    plugin.write_text(hooks.plugin.text(str(program), gate))
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
    deadline = time.monotonic() + PATIENCE_S
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


def answering(answer: str, tmp_path: Path) -> Path:
    """A program that answers every gate alike, and keeps what it was asked."""
    program = tmp_path / "gate"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\ntext = sys.stdin.read()\n"
        f"name = {str(tmp_path)!r} + f'/{{os.getpid()}}'\n"
        "if '--gate' in sys.argv:\n    open(name + '.asked', 'w').write(text)\n"
        f"    print({answer!r})\n"
    )
    program.chmod(0o755)
    return program


def test_a_model_call_and_a_tool_that_are_refused_throw_the_reason(tmp_path: Path) -> None:
    done = hosted(answering('{"refuse": "It is used up."}', tmp_path), tmp_path, "allow")

    assert done.stderr == ""
    assert done.stdout.splitlines() == ["model call: It is used up.", "tool: It is used up."]
    asked = [json.loads(file.read_text()) for file in tmp_path.glob("*.asked")]
    by_type = {one["type"]: one for one in asked}
    assert by_type["tool.execute.before"] == {
        "type": "tool.execute.before",
        "tool": "bash",
        "sessionID": "ses_top",
        "callID": "call_1",
        "model": "claude-opus-5",
    }
    assert by_type["chat.params"]["model"] == "claude-opus-5"


def test_a_warning_is_shown_once_and_refuses_nothing(tmp_path: Path) -> None:
    done = hosted(answering('{"warn": "Nearly."}', tmp_path), tmp_path, "allow")

    assert done.stdout.splitlines() == ["shown: warning Nearly."]


@pytest.mark.parametrize("answer", ["", "no JSON"])
def test_a_gate_that_fails_refuses_only_where_that_is_wanted(answer: str, tmp_path: Path) -> None:
    program = answering(answer, tmp_path) if answer else tmp_path / "nowhere"

    is_open = hosted(program, tmp_path, "allow")
    is_closed = hosted(program, tmp_path, "refuse")

    assert (is_open.stdout, is_open.stderr) == ("", "")
    assert is_closed.stdout.count("cannot be run, and work is to be refused then.") == 2

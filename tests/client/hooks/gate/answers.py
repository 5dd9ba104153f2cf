"""Questions to the gate, and what it answers in the form of each agent."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stationmaster.client.hooks import gate

PROGRAM = [sys.executable, "-m", "stationmaster", "hook"]


PROMPT = {"hook_event_name": "UserPromptSubmit", "prompt": "Write it.", "session_id": "s"}


def asked(client_dir: Path, given: Any, *arguments: str) -> Any:
    """What the agent reads from its hook: JSON, or None for nothing."""
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=content,
        env={**os.environ, "STATIONMASTER_CLIENT_DIR": str(client_dir)},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout) if done.stdout else None


def decided(client_dir: Path, given: Any, agent: str = "claude-code", **options: str) -> Any:
    """The same without a process."""
    names = {"--agent": agent, **{f"--{name.replace('_', '-')}": v for name, v in options.items()}}
    content = given if isinstance(given, bytes) else json.dumps(given).encode()
    text = gate.answer(str(client_dir), names, content)
    return json.loads(text) if text else None


def reason_in(answer: dict[str, Any], agent: str, subject: str) -> str:
    """Where each agent documents that a refusal has its text."""
    match agent, subject:
        case "gemini-cli", _:
            assert answer.pop("decision") == "deny"
            text = answer.pop("reason")
        case "cursor", "prompt":
            assert answer.pop("continue") is False
            text = answer.pop("user_message")
        case "cursor", _:
            assert answer.pop("permission") == "deny"
            text = answer.pop("user_message")
            assert answer.pop("agent_message") == text
        case "copilot-cli", _:
            assert answer.pop("permissionDecision") == "deny"
            text = answer.pop("permissionDecisionReason")
        case "opencode", _:
            text = answer.pop("refuse")
        case _, "prompt":
            assert answer.pop("decision") == "block"
            text = answer.pop("reason")
        case _:
            output = answer.pop("hookSpecificOutput")
            assert output.pop("hookEventName") == "PreToolUse"
            assert output.pop("permissionDecision") == "deny"
            text = output.pop("permissionDecisionReason")
            assert output == {}
            assert answer.pop("systemMessage") == text
    assert answer == {}
    assert isinstance(text, str)
    return text


def rewrite(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    first, _, rest = path.read_text().partition("\n")
    content = json.loads(rest)
    change(content)
    path.write_text(f"{first}\n{json.dumps(content)}")
    path.chmod(0o600)


def aged(path: Path, by_ms: int) -> None:
    """The file as it is when it was written so much earlier."""
    first, _, rest = path.read_text().partition("\n")
    *words, begins, ends = first.split()
    content = json.loads(rest)
    content["refreshedAt"] -= by_ms
    content["answer"]["asOf"] -= by_ms
    ends = ends if int(ends) > 2**52 else str(int(ends) - by_ms)
    first = " ".join([*words, str(int(begins) - by_ms), ends])
    path.write_text(f"{first}\n{json.dumps(content)}")


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)

"""Sessions of the scripted agent on a computer of this process, as clients of the API see them."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from stationmaster.client.sessions import programs
from stationmaster.client.sessions.local import LocalSessions

_SCRIPT = Path(__file__).with_name("acp_agent.py")
COMMAND = shlex.join([sys.executable, str(_SCRIPT)])


def local_sessions(*folders: Path, command: str = COMMAND) -> LocalSessions:
    """One that allows the agent `scripted`, and the same under the name of a real one."""
    return LocalSessions(
        programs.allowed([f"scripted={command}", f"gemini-cli={command}"]), folders
    )


class Talk:
    """One session of a computer, by one client."""

    def __init__(self, client: httpx.Client, computer_id: str, session_id: str) -> None:
        self.client = client
        self.path = f"/api/platform/v1/computers/{computer_id}/sessions/{session_id}"

    def prompt(self, text: str) -> httpx.Response:
        return self.client.post(f"{self.path}/prompts", json={"text": text})

    def decide(self, permission: str, option: str | None) -> httpx.Response:
        return self.client.post(f"{self.path}/permissions/{permission}", json={"option": option})

    def updates(self, after: int = 0) -> list[dict[str, Any]]:
        answer = self.client.get(f"{self.path}/updates", params={"after": after})
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines() if line]

    def until(self, kind: str, **members: str) -> dict[str, Any]:
        """The newest update of a kind with some members, once it is there."""
        deadline = time.monotonic() + 30
        while True:
            matching = [
                each
                for each in self.updates()
                if each["kind"] == kind and members.items() <= each.items()
            ]
            if matching:
                return matching[-1]
            assert time.monotonic() < deadline, self.updates()
            time.sleep(0.05)

    def row(self) -> dict[str, Any]:
        body: dict[str, Any] = self.client.get(self.path).json()
        return body

    def until_row(self, **members: object) -> dict[str, Any]:
        """How the session stands, once it has these members."""
        deadline = time.monotonic() + 30
        while not members.items() <= (row := self.row()).items():
            assert time.monotonic() < deadline, row
            time.sleep(0.05)
        return row


def a_session(client: httpx.Client, computer_id: str, **members: object) -> Talk:
    """A session of the agent `scripted` that has started."""
    path = f"/api/platform/v1/computers/{computer_id}/sessions"
    answer = client.post(path, json={"agent": "scripted"} | members)
    assert answer.status_code == 201, answer.text
    return Talk(client, computer_id, answer.json()["id"])

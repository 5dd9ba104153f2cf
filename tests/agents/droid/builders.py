"""Builders of Droid's session lines and settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stationmaster.agents.interface import Intake
from tests.agents.builders import AT, SESSION, agent, transcript


def start(**fields: Any) -> dict[str, Any]:
    return {"type": "session_start", "id": SESSION, "version": "0.95.0", "cwd": "/p", **fields}


def message(role: str, *blocks: Any, id: str = "m1", at: str = AT, **fields: Any) -> dict[str, Any]:
    """A line with a message; a text stands for a block of it."""
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    said = {"role": role, "content": content}
    return {"type": "message", "id": id, "timestamp": at, "message": said, **fields}


def call(call_id: str | None, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def result(call_id: str, content: Any = "done", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def read(*lines: Any) -> Intake:
    """What a session file of these lines says, where no settings stand beside it."""
    return transcript("droid", [start(), *lines])


def ran(tool: str, output: Any = "done", is_error: bool | None = None, **arguments: Any) -> Intake:
    """What a session with one call of a tool says."""
    fields = {} if is_error is None else {"is_error": is_error}
    return read(
        message("assistant", call("t1", tool, **arguments), id="m1"),
        message("user", result("t1", output, **fields), id="m2"),
    )


class Folder:
    """A session's files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.journal = folder / f"{SESSION}.jsonl"
        self.settings = folder / f"{SESSION}.settings.json"

    def say(self, *lines: Any) -> None:
        """Add whole lines to the session file."""
        with self.journal.open("a") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)

    def set(self, tokens: dict[str, Any] | None = None, **fields: Any) -> None:
        """Write the settings anew."""
        usage = {} if tokens is None else {"tokenUsage": tokens}
        self.settings.write_text(json.dumps({"model": "gpt-5", **usage, **fields}))

    def look(self, state: dict[str, Any] | None = None) -> tuple[Intake, dict[str, Any]]:
        """Read the settings; returns what they say, and the state for the next look."""
        intake = Intake()
        reader = agent("droid").transcript(str(self.settings), state)
        reader.read(intake)  # type: ignore[union-attr] # The settings are a document.
        return intake, json.loads(json.dumps(reader.state()))


def used(plain: int = 0, out: int = 0, read_: int = 0, write: int = 0, think: int = 0) -> Any:
    return {
        "inputTokens": plain,
        "outputTokens": out,
        "cacheReadTokens": read_,
        "cacheCreationTokens": write,
        "thinkingTokens": think,
    }

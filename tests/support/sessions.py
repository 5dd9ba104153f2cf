"""Claude Code session files of known content, written line by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DAY = "2026-11-20"
INPUT_TOKENS = 10
OUTPUT_TOKENS = 5


def _line(session: str, turn: int, second: int, **fields: Any) -> bytes:
    place = {
        "timestamp": f"{DAY}T{turn // 3600:02}:{turn // 60 % 60:02}:{turn % 60:02}.{second}00Z",
        "sessionId": session,
        "cwd": "/home/dev/project",
        "version": "2.1.329",
        "gitBranch": "main",
    }
    return json.dumps(fields | place).encode() + b"\n"


def turn_lines(session: str, turn: int, text: str = "text") -> list[bytes]:
    """A prompt and its answer of 10 input and 5 output tokens, one second of the day each."""
    return [
        _line(
            session,
            turn,
            1,
            type="user",
            uuid=f"{session}-u{turn}",
            promptId=f"{session}-p{turn}",
            message={"role": "user", "content": text},
        ),
        _line(
            session,
            turn,
            2,
            type="assistant",
            uuid=f"{session}-a{turn}",
            requestId=f"req_{session}_{turn}",
            message={
                "id": f"msg_{session}_{turn}",
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
                "stop_reason": "end_turn",
            },
        ),
    ]


def turns(session: str, first: int, last: int, text: str = "text") -> bytes:
    """The lines of several turns, both included."""
    return b"".join(
        line for turn in range(first, last + 1) for line in turn_lines(session, turn, text)
    )


def session_path(home: Path, session: str = "s1") -> Path:
    """Where Claude Code keeps that session under a home folder."""
    path = home / ".claude" / "projects" / "-home-dev-project" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def a_session(home: Path, session: str = "s1", last_turn: int = 2, text: str = "text") -> Path:
    path = session_path(home, session)
    path.write_bytes(turns(session, 1, last_turn, text))
    return path

"""The recorded bytes of real agents, and what truly happened in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2] / "examples" / "recordings"
AGENTS = ("claude-code", "codex")
"""Those of whose sessions every source tells all, in lines."""
RECORDED = (*AGENTS, "gemini-cli", "qwen-code", "opencode", "copilot-cli")
EVERY = (*RECORDED, "droid", "cursor")
"""Those too whose sessions are invented, after documentation and public samples."""


@dataclass(frozen=True)
class Body:
    """One OTLP request body as it came over the wire (still compressed when it was)."""

    run: str
    signal: str
    content_type: str
    content_encoding: str
    data: bytes


@cache
def _all_bodies(agent: str) -> tuple[Body, ...]:
    folder = ROOT / agent / "otlp"
    index = json.loads((folder / "index.json").read_text())
    return tuple(
        Body(
            run=entry["run"],
            signal=entry["signal"],
            content_type=entry["content_type"],
            content_encoding=entry["content_encoding"],
            data=(folder / Path(entry["file"]).name).read_bytes(),
        )
        for entry in index["requests"]
    )


def bodies(
    agent: str, run: str | None = None, signals: tuple[str, ...] = ("logs", "metrics", "traces")
) -> list[Body]:
    """The bodies of an agent in order of arrival, of one run or all."""
    return [b for b in _all_bodies(agent) if run in (None, b.run) and b.signal in signals]


def transcript_files(agent: str, session_id: str | None = None) -> list[Path]:
    """The session files of an agent, of one session or all."""
    pattern = {
        "claude-code": ".claude/projects/**/*.jsonl",
        "codex": ".codex/sessions/**/*.jsonl",
        "gemini-cli": ".gemini/tmp/*/chats/**/*.jsonl",
        "qwen-code": ".qwen/projects/*/chats/*.jsonl",
        "opencode": ".local/share/opencode/*.db",
        "copilot-cli": ".copilot/session-state/*/events.jsonl",
    }
    files = sorted((ROOT / agent / "transcripts").glob(pattern[agent]))
    return [f for f in files if session_id is None or session_id in str(f)]


def hooks(agent: str) -> list[dict[str, Any]]:
    """The JSON of every hook of an agent, in order within a session."""
    files = sorted((ROOT / agent / "hooks").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


@cache
def expected(agent: str) -> tuple[dict[str, Any], ...]:
    """What truly happened: one entry per recorded session, as its `expected.json` has it."""
    return tuple(json.loads((ROOT / agent / "expected.json").read_text())["sessions"])


def runs(agent: str) -> list[str]:
    """The names of an agent's recorded sessions."""
    return [session["run"] for session in expected(agent)]


def session(agent: str, run: str) -> dict[str, Any]:
    """What truly happened in one recorded session."""
    return next(session for session in expected(agent) if session["run"] == run)

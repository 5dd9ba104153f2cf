"""The recorded bytes of real agents, and what truly happened in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROOT = _EXAMPLES / "recordings"
AGENTS = ("claude-code", "codex")
"""Those of whose sessions every source tells all, in lines."""
RECORDED = (*AGENTS, "gemini-cli", "qwen-code", "opencode", "copilot-cli")
EVERY = (*RECORDED, "droid", "cursor")
"""Those too whose sessions are invented, after documentation and public samples."""

VERSIONS = {
    "claude-2.0.60": "claude-code",
    "claude-2.1.39": "claude-code",
    "claude-2.1.90": "claude-code",
    "claude-2.1.120": "claude-code",
    "claude-2.1.197": "claude-code",
    "claude-2.1.197-no-request-id": "claude-code",
    "claude-2.1.329-no-request-id": "claude-code",
    "codex-0.58.0": "codex",
    "codex-0.118.0": "codex",
    "gemini-0.24.0": "gemini-cli",
    "opencode-1.1.16": "opencode",
    "qwen-0.5.2": "qwen-code",
}
"""Recordings of older versions, and behind a gateway without request ids: each one's agent. All
functions here take such a name for an agent's, too."""
_TRANSCRIPTS = {
    "claude-code": ".claude/projects/**/*.jsonl",
    "codex": ".codex/sessions/**/*.jsonl",
    "gemini-cli": ".gemini/tmp/*/chats/**/*.json*",
    "qwen-code": ".qwen/**/chats/*.jsonl",
    "opencode": ".local/share/opencode/**/*",
    "copilot-cli": ".copilot/session-state/*/events.jsonl",
}


@dataclass(frozen=True)
class Body:
    """One OTLP request body as it came over the wire (still compressed when it was)."""

    run: str
    signal: str
    content_type: str
    content_encoding: str
    data: bytes
    path: str = ""


def folder(agent: str) -> Path:
    """The folder of an agent's recordings, or of those of one of VERSIONS."""
    return (_EXAMPLES / "versions" if agent in VERSIONS else ROOT) / agent


@cache
def _all_bodies(agent: str) -> tuple[Body, ...]:
    otlp = folder(agent) / "otlp"
    index = json.loads((otlp / "index.json").read_text())
    return tuple(
        Body(
            run=entry["run"],
            signal=entry["signal"],
            content_type=entry["content_type"],
            content_encoding=entry["content_encoding"],
            data=(otlp / Path(entry["file"]).name).read_bytes(),
            path=entry["path"],
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
    found = (folder(agent) / "transcripts").glob(_TRANSCRIPTS[VERSIONS.get(agent, agent)])
    files = sorted(file for file in found if file.is_file())
    return [f for f in files if session_id is None or session_id in str(f)]


def hooks(agent: str) -> list[dict[str, Any]]:
    """The JSON of every hook of an agent, in order within a session."""
    files = sorted((folder(agent) / "hooks").glob("*.json"))
    return [json.loads(file.read_text()) for file in files]


def hooks_by_event(agent: str) -> list[tuple[str, dict[str, Any]]]:
    """(event, JSON) of every hook of an agent, in order within a session; none of agents without
    hooks. The event is the one for which the hook was configured."""
    files = sorted((folder(agent) / "hooks").glob("*.json"))
    return [(file.stem.rsplit("-", 1)[1], json.loads(file.read_bytes())) for file in files]


@cache
def expected(agent: str) -> tuple[dict[str, Any], ...]:
    """What truly happened: one entry per recorded session, as its `expected.json` has it."""
    return tuple(json.loads((folder(agent) / "expected.json").read_text())["sessions"])


def runs(agent: str) -> list[str]:
    """The names of an agent's recorded sessions."""
    return [session["run"] for session in expected(agent)]


def session(agent: str, run: str) -> dict[str, Any]:
    """What truly happened in one recorded session."""
    return next(session for session in expected(agent) if session["run"] == run)


@cache
def sources(name: str) -> dict[str, Any]:
    """What each source of one of VERSIONS says by itself, counted by the simplest right rule:
    `sources` by name with `total` and `by_model` in the order of `fields`."""
    return json.loads((folder(name) / "sources.json").read_text())  # type: ignore[no-any-return]  # JSON

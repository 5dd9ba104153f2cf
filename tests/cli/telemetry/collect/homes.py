"""Collections of a home folder, and its sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.commands import succeed


def collect_from(made: dict[str, str], home: Path, **env: str) -> dict[str, Any]:
    return dict(succeed("collect", "--data-dir", made["data"], "--home", home, env=env))


def session_of_turns(count: int, session_count: int = 1) -> dict[str, int]:
    return {
        "input_tokens": 10 * count,
        "output_tokens": 5 * count,
        "sessions": session_count,
        "user_messages": count,
    }

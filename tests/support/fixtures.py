"""Public samples of session files, which are no part of the project and may be absent."""

from __future__ import annotations

from pathlib import Path


def public(agent: str) -> Path:
    """The folder of an agent's samples, beside the project's."""
    return Path(__file__).resolve().parents[3] / "shared" / "fixtures" / "public" / agent

"""The recorded hooks of real agents, with the event that the configuration names for each."""

from __future__ import annotations

import json
from typing import Any

from tests.support.recordings import ROOT


def named_hooks(agent: str) -> list[tuple[str, dict[str, Any]]]:
    """(event, JSON) of every hook of an agent, in order within a session."""
    files = sorted((ROOT / agent / "hooks").glob("*.json"))
    return [(file.stem.rsplit("-", 1)[1], json.loads(file.read_bytes())) for file in files]

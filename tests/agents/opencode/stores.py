"""Readings of the database of OpenCode."""

from __future__ import annotations

import json

from stationmaster.agents.opencode.agent import AGENT
from stationmaster.agents.opencode.store import Store


def reader(database, state=None) -> Store:
    """A reader as the next run makes it: from a state that was written to a file."""
    return AGENT.transcript(str(database.path), state and json.loads(json.dumps(state)))

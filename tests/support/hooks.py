"""The recorded hooks of real agents, with the event that the configuration names for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stationmaster.client.hooks.trial import state_key, trusted_hash
from tests.support.recordings import ROOT


def named_hooks(agent: str) -> list[tuple[str, dict[str, Any]]]:
    """(event, JSON) of every hook of an agent, in order within a session."""
    files = sorted((ROOT / agent / "hooks").glob("*.json"))
    return [(file.stem.rsplit("-", 1)[1], json.loads(file.read_bytes())) for file in files]


def trust_codex(home: Path) -> None:
    """Store in Codex's settings that the person trusts the hooks of `~/.codex/hooks.json`."""
    hooks = home / ".codex" / "hooks.json"
    lines = [
        f'[hooks.state."{state_key(hooks, event, number)}"]\n'
        f'trusted_hash = "{trusted_hash(event, entry)}"\n'
        for event, entries in json.loads(hooks.read_text())["hooks"].items()
        for number, entry in enumerate(entries)
        if entry["hooks"]
    ]
    with (home / ".codex" / "config.toml").open("a") as config:
        config.write("\n".join(["", *lines]))

"""Which of our hooks Codex does not run yet, because the person has not trusted them.

Codex keeps in `config.toml`, below `hooks.state`, a hash of each hook that was trusted, by the path
of its file, its event and its place there; a hook that was changed since waits again. Seen with
0.169.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from stationmaster.client import edits, json_text

_TIMEOUT_S = 600
_TIMEOUTS_MAX_S = {"session_end": 3}


def waiting(hooks: Path, config: Path, events: list[str]) -> list[str]:
    """Those of `events` whose hooks in `hooks` are not trusted, or switched off, in `config`.

    Only entries with a single hook are looked at, as ours are. Raises OperatorError for a file
    that cannot be read.
    """
    with edits.explained(config):
        state = tomllib.loads(edits.read(config)).get("hooks", {}).get("state", {})
    with edits.explained(hooks):
        entries = json_text.parse(edits.read(hooks)).get("hooks", {})
    return [event for event in events if not _is_trusted(event, entries.get(event), hooks, state)]


def trusted_hash(event: str, entry: dict[str, Any]) -> str:
    """What Codex stores for an entry with one hook, whose event is called as in the file."""
    name = _snake(event)
    hook = entry["hooks"][0]
    timeout = min(hook.get("timeout", _TIMEOUT_S), _TIMEOUTS_MAX_S.get(name, _TIMEOUT_S))
    plain = {"async": False, "command": hook["command"], "timeout": timeout, "type": "command"}
    matcher = {"matcher": entry["matcher"]} if entry.get("matcher") else {}
    identity = {"event_name": name, "hooks": [plain], **matcher}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def state_key(hooks: Path, event: str, number: int) -> str:
    """The name of an entry's state: of the `number`-th entry of an event in a file."""
    return f"{hooks}:{_snake(event)}:{number}:0"


def _is_trusted(event: str, entries: Any, hooks: Path, state: Any) -> bool:
    ours = [
        (number, entry)
        for number, entry in enumerate(entries if isinstance(entries, list) else [])
        if "stationmaster" in json.dumps(entry) and len(entry.get("hooks", [])) == 1
    ]
    return all(_is_stored(state, state_key(hooks, event, number), trusted_hash(event, entry))
               for number, entry in ours)  # fmt: skip


def _is_stored(state: Any, key: str, value: str) -> bool:
    entry = state.get(key) if isinstance(state, dict) else None
    return (
        isinstance(entry, dict)
        and entry.get("trusted_hash") == value
        and entry.get("enabled", True) is True
    )


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()

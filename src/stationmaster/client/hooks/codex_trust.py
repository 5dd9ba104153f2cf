"""Which of our hooks Codex does not run yet, because the person has not trusted them.

Codex keeps in `config.toml`, below `hooks.state`, a hash of each hook that was trusted, by the path
of its file, its event and its place there; a hook that was changed since waits again. Seen with
0.130, 0.150 and 0.169.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from stationmaster.client.hooks import files as hook_files
from stationmaster.client.settings import edits, json_text

_TIMEOUT_S = 600
_TIMEOUTS_MAX_S = {"session_end": 3}


def waiting(hooks: Path, config: Path) -> list[str]:
    """The events of our hooks in `hooks` that are not trusted, or switched off, in `config`.

    `hooks` is the path at which Codex finds the file, which may be a link. Raises OperatorError for
    a file that cannot be read.
    """
    with edits.explained(config):
        state = json_text.member(tomllib.loads(edits.read(config)), "hooks", "state")
    with edits.explained(hooks):
        content = json_text.parse(edits.read(hooks))
    return [
        hook.event
        for hook in hook_files.hooks("codex", hooks)
        if not _is_trusted(hook, content["hooks"][hook.event], hooks, state)
    ]


def trusted_hash(event: str, entry: dict[str, Any], place: int = 0) -> str:
    """What Codex stores for one hook of an entry; the event is called as in the file."""
    name, hook = _snake(event), entry["hooks"][place]
    timeout = hook.get("timeout")
    timeout = timeout if isinstance(timeout, int) else _TIMEOUT_S
    plain = {
        "async": False,
        "command": hook["command"],
        "timeout": min(timeout, _TIMEOUTS_MAX_S.get(name, timeout)),
        "type": "command",
    }
    matcher = {"matcher": entry["matcher"]} if entry.get("matcher") else {}
    identity = {"event_name": name, "hooks": [plain], **matcher}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def state_key(hooks: Path, event: str, number: int, place: int = 0) -> str:
    """The name of a hook's state: the `place`-th one of the `number`-th entry of an event."""
    return f"{hooks}:{_snake(event)}:{number}:{place}"


def _is_trusted(
    hook: hook_files.InstalledHook, entries: list[Any], hooks: Path, state: Any
) -> bool:
    match hook.path:
        case ("hooks", str(event), int(number), "hooks", int(place)):
            value = trusted_hash(event, entries[number], place)
            # Versions differ in whether they follow links.
            keys = [state_key(path, event, number, place) for path in (hooks, hooks.resolve())]
            return any(_is_stored(json_text.member(state, key), value) for key in keys)
        case _:
            # Codex has another form and does not read this one.
            return False


def _is_stored(entry: Any, value: str) -> bool:
    return (
        json_text.member(entry, "trusted_hash") == value
        and json_text.member(entry, "enabled") is not False
    )


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()

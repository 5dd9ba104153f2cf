"""Do the hooks that an agent's file names run? Tried with the very commands that are there.

An agent whose card has `trusted_in` runs a hook only when the person trusts it. Codex keeps in that
file, below `hooks.state`, a hash of each hook that was trusted, by the path of its file, its event
and its place there; a hook that was changed since waits again. Seen with 0.130, 0.150 and 0.169.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.hooks.run import FOLDER
from stationmaster.client.settings import edits, json_text
from stationmaster.settings import PREFIX, variable

_TIMEOUT_S = 10.0
"""What agents allow for a hook."""
_LOOK_S = 0.02
_REASON_MAX = 300
_PATH = "/usr/bin:/bin"
"""What a program has that was not started from a shell, by a scheduler for instance."""
_WINDOWS = ("SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "USERPROFILE")


class Trial(NamedTuple):
    """What became of an agent's hooks: `is_good` is None where there are none."""

    is_good: bool | None
    text: str


def of(product: str, home: Path, project: Path | None = None) -> Trial:
    """Read the hooks of an agent and run their commands, with a sample that is not stored.

    Takes at most some seconds a command. Raises OperatorError for a file that cannot be read.
    """
    card = cards.get(product)
    if card.hooks is None:
        return Trial(None, card.lacks["hooks"])
    path = hook_files.path_of(product, home, project)
    _, installed, missing, _ = hook_files.standing(product, path)
    if not installed:
        return Trial(None, f"none in {path}")
    # A project's file names the program without a path, for each person's own PATH.
    search = _PATH if project is None and os.name == "posix" else variable("PATH") or _PATH
    again = f"run `stationmaster hooks install {product}` again"
    for command in hook_files.commands(product, path):
        if problem := _problem(product, command, home, search):
            return Trial(False, f"`{command}` in {path} {problem}; {again}")
    if missing:
        return Trial(None, f"{', '.join(missing)} missing in {path}; {again}")
    if untrusted := trust_problem(product, home, project):
        return Trial(False, untrusted)
    return Trial(True, f"all in {path}, and their command runs")


def trust_problem(product: str, home: Path, project: Path | None) -> str | None:
    """What a person has to do before an agent runs our hooks, if it requires that."""
    hooks = hook_files.place_of(product)
    if not hooks.trusted_in:
        return None
    place = home / hooks.user if project is None else project / hooks.project
    path = Path(os.path.abspath(place))
    untrusted = untrusted_events(product, path, home / hooks.trusted_in)
    if not untrusted:
        return None
    return (
        f"{cards.get(product).title} does not run {', '.join(untrusted)} of {path} until you trust "
        f"them: start {product}, type /hooks and trust them"
    )


def _problem(product: str, command: str, home: Path, search: str) -> str | None:
    """Why a command is of no use as a hook; None where it runs and keeps a sample."""
    hooks = hook_files.place_of(product)
    event, sample = hooks.sample_event, hooks.sample
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {"PATH": search, "HOME": str(home), f"{PREFIX}CLIENT_DIR": folder}
        for name in _WINDOWS:
            if os.name == "nt" and (value := variable(name)):
                environment[name] = value
        until = time.monotonic() + _TIMEOUT_S
        try:
            done = subprocess.run(  # noqa: S602 - as the agent runs it
                command,
                shell=True,
                input=msgspec.json.encode(sample),
                capture_output=True,
                cwd=folder,
                env=environment,
                timeout=_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"does not end within {_TIMEOUT_S:.0f} s"
        if done.returncode:
            message = done.stderr.decode(errors="replace").strip()[-_REASON_MAX:]
            return f"cannot run (exit code {done.returncode}: {message})"
        # The sample is of one event; commands for others end without making anything of it.
        is_of_sample = not event or command.endswith(f"--event {event}")
        # A hook continues by itself, so that no agent waits for it.
        while is_of_sample and not _kept(Path(folder)):
            if time.monotonic() > until:
                return f"ran, but stored nothing from a sample within {_TIMEOUT_S:.0f} s"
            time.sleep(_LOOK_S)
    return None


def _kept(folder: Path) -> bool:
    files = (folder / FOLDER).glob("*-*.*")
    return any(file.suffix in (".part", ".events") and file.stat().st_size for file in files)


_CODEX_TIMEOUT_S = 600
_CODEX_TIMEOUTS_MAX_S = {"session_end": 3}


def untrusted_events(product: str, hooks: Path, config: Path) -> list[str]:
    """The events of an agent's hooks in `hooks` that are not trusted, or switched off, in `config`.

    `hooks` is the path at which the agent finds the file, which may be a link. Raises OperatorError
    for a file that cannot be read.
    """
    with edits.explained(config):
        state = json_text.member(tomllib.loads(edits.read(config)), "hooks", "state")
    with edits.explained(hooks):
        content = json_text.parse(edits.read(hooks))
    return [
        hook.event
        for hook in hook_files.hooks(product, hooks)
        if not _is_trusted(hook, content["hooks"][hook.event], hooks, state)
    ]


def trusted_hash(event: str, entry: dict[str, Any], place: int = 0) -> str:
    """What Codex stores for one hook of an entry; the event is called as in the file."""
    name, hook = _snake(event), entry["hooks"][place]
    timeout = hook.get("timeout")
    timeout = timeout if isinstance(timeout, int) else _CODEX_TIMEOUT_S
    plain = {
        "async": False,
        "command": hook["command"],
        "timeout": min(timeout, _CODEX_TIMEOUTS_MAX_S.get(name, timeout)),
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

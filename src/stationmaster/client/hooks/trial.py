"""Do the hooks that an agent's file names run? Tried with the very commands that are there."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import msgspec

from stationmaster.agents import cards
from stationmaster.client.hooks import codex_trust
from stationmaster.client.hooks import files as hook_files
from stationmaster.client.hooks.run import FOLDER
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
    """Look at the hooks of an agent and run their commands, with a sample that goes nowhere.

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
    """What a person has to do before an agent runs our hooks, if it asks for that."""
    if product != "codex":
        return None
    path = Path(os.path.abspath((home if project is None else project) / ".codex" / "hooks.json"))
    waiting = codex_trust.waiting(path, home / ".codex" / "config.toml")
    if not waiting:
        return None
    return (
        f"Codex does not run {', '.join(waiting)} of {path} until you trust them: start codex, "
        "type /hooks and trust them"
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
        # A hook goes on by itself, so that no agent waits for it.
        while is_of_sample and not _kept(Path(folder)):
            if time.monotonic() > until:
                return f"ran, but stored nothing from a sample within {_TIMEOUT_S:.0f} s"
            time.sleep(_LOOK_S)
    return None


def _kept(folder: Path) -> bool:
    files = (folder / FOLDER).glob("*-*.*")
    return any(file.suffix in (".part", ".events") and file.stat().st_size for file in files)

"""Which repository and branch a folder is a checkout of, by git's own files; git is not run."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from stationmaster.agents.interface import Intake
from stationmaster.agents.values import name, repository

_LEVELS_MAX = 64
_FILE_MAX = 2**20
_HEAD_REF = "ref: refs/heads/"


class Checkout(NamedTuple):
    """`repo` as `host/owner/name`, of the remote `origin` or else the first; `branch` by name, and
    since when it has been that one (UTC milliseconds): when git last wrote down which it is."""

    repo: str | None
    branch: str | None
    since_ms: int


class Checkouts:
    """Looks each folder up once. What happened before `from_ms` (UTC milliseconds) is left out of
    what is filled."""

    def __init__(self, from_ms: int = 0) -> None:
        self._from_ms = from_ms
        self._by_folder: dict[str, Checkout | None] = {}

    def of(self, folder: Any) -> Checkout | None:
        """The checkout around a folder of this machine; None for anything else."""
        if not isinstance(folder, str) or not Path(folder).is_absolute():
            return None
        if folder not in self._by_folder:
            self._by_folder[folder] = _look(Path(folder))
        return self._by_folder[folder]

    def fill(self, intake: Intake) -> None:
        """Set repository and branch of the events that name a folder and lack them, and leave
        out those before.

        The branch only where it was not switched since: sessions are read late.
        """
        for event in intake.events:
            if event.cwd_hash is None or (event.repo and event.branch):
                continue
            checkout = self.of(intake.folders.get(event.cwd_hash))
            if checkout is None:
                continue
            event.repo = event.repo or checkout.repo
            if event.ts >= checkout.since_ms:
                event.branch = event.branch or checkout.branch
        if self._from_ms:
            intake.keep(lambda event: event.ts >= self._from_ms)


def _look(folder: Path) -> Checkout | None:
    try:
        for place in [folder, *folder.parents][:_LEVELS_MAX]:
            git = place / ".git"
            if git.is_dir():
                return _read(git, git)
            if git.is_file():
                return _linked(git)
    except (OSError, ValueError):
        # A folder that was removed, or may not be read, or is not a path.
        pass
    return None


def _linked(file: Path) -> Checkout:
    """A worktree or submodule: a file that names its own folder."""
    own = file.parent / _text(file).removeprefix("gitdir:").strip()
    common = own / "commondir"
    return _read(own, own / _text(common).strip() if common.is_file() else own)


def _read(own: Path, common: Path) -> Checkout:
    head = _text(own / "HEAD").strip()
    branch = name(head.removeprefix(_HEAD_REF)) if head.startswith(_HEAD_REF) else None
    remotes = _remotes(_text(common / "config"))
    url = remotes.get("origin") or next(iter(remotes.values()), None)
    since_ms = os.stat(own / "HEAD").st_mtime_ns // 1_000_000
    return Checkout(repository(url), branch, since_ms)


def _remotes(config: str) -> dict[str, str]:
    """The first `url` of every remote of a git configuration."""
    remotes: dict[str, str] = {}
    remote: str | None = None
    for line in config.splitlines():
        text = line.strip()
        if text.startswith("["):
            section = text.partition("]")[0][1:]
            kind, _, quoted = section.partition(" ")
            remote = quoted.strip().strip('"') if kind.lower() == "remote" else None
        elif remote is not None:
            key, _, value = text.partition("=")
            if key.strip().lower() == "url":
                remotes.setdefault(remote, value.strip().strip('"'))
    return remotes


def _text(path: Path) -> str:
    with open(path, "rb") as file:
        return file.read(_FILE_MAX).decode(errors="replace")

"""What git tells of the repository that a person works in."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

_TIMEOUT_S = 30
_SAFE = ("--no-optional-locks", "-c", "core.fsmonitor=false")
"""Looking changes nothing, and starts no program that the repository names."""


def told(folder: Path) -> dict[str, Any]:
    """The origin of a wiki written in this folder, as query parameters; {} outside a repository."""
    address = _git(folder, "config", "--get", "remote.origin.url")
    if address is None:
        return {}
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "HEAD")
    changes = _git(folder, "status", "--porcelain", "--ignore-submodules=all")
    unpushed = _git(folder, "rev-list", "--max-count=1", "HEAD", "--not", "--remotes")
    return {
        "repoUrl": address,
        "commitHash": commit,
        "branch": _git(folder, "symbolic-ref", "--quiet", "--short", "HEAD"),
        "hasLocalChanges": None if changes is None else changes != "",
        "hasNonRemoteCommits": None if unpushed is None else unpushed != "",
    }


def _git(folder: Path, *arguments: str) -> str | None:
    """What git prints, without the newline at its end; None where it fails or is missing."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - constant arguments, no shell
            [program, *_SAFE, *arguments],
            cwd=folder,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None

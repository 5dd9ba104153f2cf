"""Finding session files: where each agent keeps them, and which agent a given file is from."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stationmaster.agents import registry
from stationmaster.agents.dialect import Agent
from stationmaster.errors import BadRequest

_HEAD_BYTES = 65_536


@dataclass(frozen=True)
class SessionFile:
    """One file that an agent module can read. `size` is its length in bytes when it was found."""

    path: str
    product: str
    size: int


def of_this_machine(home: Path) -> list[SessionFile]:
    """Every session file under a home folder, largest first."""
    found = {
        path: SessionFile(path, agent.product, os.path.getsize(path))
        for agent in registry.AGENTS
        for pattern in agent.transcript_roots(str(home))
        for path in glob.iglob(pattern, recursive=True)
        if _is_session_file(agent, path)
    }
    return largest_first(found.values())


def largest_first(files: Iterable[SessionFile]) -> list[SessionFile]:
    """In the order in which parallel readers finish soonest; by path among equals."""
    return sorted(files, key=lambda file: (-file.size, file.path))


def files_below(path: Path) -> Iterator[str]:
    """A file itself, or every file below a folder that is not a symbolic link, sorted."""
    if path.is_file():
        yield str(path)
        return
    if not path.is_dir():
        raise BadRequest(f"no such file or folder: {path}", code="no_such_path")
    for folder, folders, names in os.walk(path):
        folders.sort()
        for name in sorted(names):
            full = os.path.join(folder, name)
            if not os.path.islink(full):
                yield full


def identify(path: str, product: str | None = None) -> SessionFile | None:
    """The file as a session file of the named or of any agent; None when it is none."""
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    agent = registry.by_product(product) if product else registry.find_transcript(path, head)
    if agent is None:
        return None
    return SessionFile(path, agent.product, os.path.getsize(path))


def _is_session_file(agent: Agent, path: str) -> bool:
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return agent.is_transcript(path, file.read(_HEAD_BYTES))

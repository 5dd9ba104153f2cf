"""Finding session files: where each agent keeps them, and which agent a given file is from."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from stationmaster.agents import registry
from stationmaster.agents.dialect import Agent
from stationmaster.errors import BadRequest

_HEAD_BYTES = 65_536

IsWanted = Callable[[str, Agent], bool]
"""Is the file at a path wanted, if it is one of that agent's?"""


@dataclass(frozen=True)
class SessionFile:
    """One file that an agent module can read. `size` is its length in bytes when it was found."""

    path: str
    product: str
    size: int


def of_this_machine(home: Path, is_wanted: IsWanted) -> list[SessionFile]:
    """The wanted session files under a home folder, largest first."""
    found: dict[str, SessionFile] = {}
    for agent in registry.AGENTS:
        for pattern in agent.transcript_roots(str(home)):
            for path in glob.iglob(pattern, recursive=True):
                file = _session_file(agent, path, is_wanted)
                if file is not None:
                    found[path] = file
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


def head_of(path: str) -> bytes:
    """As much of a file's beginning as it takes to tell what it is."""
    with open(path, "rb", buffering=0) as file:
        return file.read(_HEAD_BYTES) or b""


def identify(path: str, head: bytes, product: str | None = None) -> SessionFile | None:
    """The file as a session file of the named or of any agent; None when it is none.

    Raises BadRequest for the name of an agent that is not known.
    """
    agent = registry.by_product(product) if product else registry.find_transcript(path, head)
    if agent is None:
        if product:
            raise unknown_agent(product)
        return None
    return SessionFile(path, agent.product, os.path.getsize(path))


def unknown_agent(product: str) -> BadRequest:
    known = ", ".join(agent.product for agent in registry.AGENTS)
    return BadRequest(f"no agent is called {product!r}; known are {known}", code="unknown_agent")


def _session_file(agent: Agent, path: str, is_wanted: IsWanted) -> SessionFile | None:
    if os.path.islink(path) or not os.path.isfile(path):
        return None
    try:
        if not is_wanted(path, agent):
            return None
        if agent.is_transcript(path, head_of(path)):
            return SessionFile(path, agent.product, os.path.getsize(path))
    except FileNotFoundError:
        # Agents delete old sessions at any time.
        pass
    return None

"""Finding session files: where each agent keeps them, and which agent a given file is from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from stationmaster.agents import cards, recognition
from stationmaster.agents.cards.home import Home, Root
from stationmaster.agents.interface import Agent
from stationmaster.client.collecting.folders import FolderFile, Search
from stationmaster.errors import BadRequest, did_you_mean
from stationmaster.settings import variable

_HEAD_BYTES = 65_536

IsWanted = Callable[[FolderFile, Agent], bool]
"""Is a file wanted, if it is one of that agent's?"""


@dataclass(frozen=True)
class SessionFile:
    """One file that an agent module can read. `size` is its length in bytes when it was found,
    `look` what it looked like then (see `folders`)."""

    path: str
    product: str
    size: int
    look: str = field(default="", compare=False)


@dataclass
class Sources:
    """What a scan of a machine found."""

    sessions: list[SessionFile] = field(default_factory=list)
    """The wanted ones, largest first."""
    others: list[FolderFile] = field(default_factory=list)
    """Wanted files that are no sessions, or none yet."""
    unreadable: list[str] = field(default_factory=list)
    """Files and folders that may not be read."""
    present: set[str] = field(default_factory=set)
    """Every file that could be a session, wanted or not."""
    roots: list[Root] = field(default_factory=list)
    search: Search = field(default_factory=Search)


def home_of(folder: Path | None) -> Home:
    """A home folder that is named, else this person's, with what their variables move."""
    return Home(str(Path.home()), variable) if folder is None else Home(str(folder))


def of_this_machine(home: Home, is_wanted: IsWanted) -> Sources:
    """The wanted session files of every agent, each real file once."""
    sources = Sources()
    for card in cards.every():
        for root in home.roots(card.files):
            sources.roots.append(root)
            for file in sources.search.below(root):
                sources.present.add(file.path)
                _sort(file, card.product, is_wanted, sources)
    sources.sessions = largest_first(sources.sessions)
    sources.unreadable += sources.search.unreadable
    return sources


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
    """As much of a file's beginning as it takes to recognize it."""
    with open(path, "rb", buffering=0) as file:
        return file.read(_HEAD_BYTES) or b""


def identify(path: str, head: bytes, product: str | None = None) -> SessionFile | None:
    """The file as a session file of the named or of any agent; None when it is none.

    Raises BadRequest for the name of an agent that is not known.
    """
    agent = recognition.by_product(product) if product else recognition.find_transcript(path, head)
    if agent is None:
        if product:
            raise unknown_agent(product)
        return None
    return SessionFile(path, agent.product, os.path.getsize(path))


def unknown_agent(product: str) -> BadRequest:
    """The error for a name of no agent, with the known names and the nearest one."""
    products = ", ".join(cards.PRODUCTS)
    near = did_you_mean(product, cards.PRODUCTS)
    return BadRequest(
        f"no agent is called {product!r}; known are {products}.{near}", code="unknown_agent"
    )


def _sort(file: FolderFile, product: str, is_wanted: IsWanted, sources: Sources) -> None:
    agent = recognition.by_product(product)
    assert agent is not None
    try:
        if not is_wanted(file, agent):
            return
        if agent.is_transcript(file.path, head_of(file.path)):
            sources.sessions.append(SessionFile(file.path, agent.product, file.size, file.look))
        else:
            sources.others.append(file)
    except FileNotFoundError:
        # Agents delete old sessions at any time.
        pass
    except OSError:
        sources.unreadable.append(file.path)

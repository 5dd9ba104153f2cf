"""Sinks of events, and readings of a home folder into them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from stationmaster.agents.cards.home import Home
from stationmaster.agents.interface import Agent, Intake
from stationmaster.client.collecting.folders import FolderFile
from stationmaster.client.collecting.progress import Position
from stationmaster.client.collecting.reading import CollectionSummary, read_all
from stationmaster.client.collecting.sources import of_this_machine
from stationmaster.events.model import Event

Find = Callable[[str], Position | None]


def all_sessions(found: FolderFile, agent: Agent) -> bool:
    return True


class FolderSink:
    """Writes each delivery to a file of its own, so that several processes can share a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def deliver(self, product: str, intake: Intake) -> None:
        number = len(list(self._folder.glob(f"{os.getpid()}-*")))
        path = self._folder / f"{os.getpid()}-{number:06}"
        path.write_bytes(b"\n".join(map(msgspec.json.encode, intake.events)))

    def post_events(self, lines: bytes) -> None:
        raise AssertionError("nobody has written events")

    def close(self) -> None:
        pass


def events_in(folder: Path) -> dict[str, Event]:
    """The delivered events by id, as the lake would merge equal ones: the fuller last one."""
    return {
        event.event_id: event
        for path in sorted(folder.iterdir())
        for event in msgspec.json.decode(
            b"[" + b",".join(path.read_bytes().splitlines()) + b"]", type=list[Event]
        )
    }


def read_home(
    home: Path, folder: Path, find: Find = lambda _: None, processes: int = 1
) -> tuple[CollectionSummary, dict[str, Position]]:
    folder.mkdir(exist_ok=True)
    summary, positions = CollectionSummary(), {}
    found = of_this_machine(Home(str(home)), all_sessions).sessions
    for part, read in read_all(found, lambda: FolderSink(folder), find, processes):
        summary.add(part)
        positions.update(read)
    return summary, positions

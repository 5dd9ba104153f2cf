"""The recorded sessions of all agents as canonical events, by agent, source and run."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from stationmaster.agents import recognition
from stationmaster.agents.interface import Intake
from stationmaster.client.collecting import sources
from stationmaster.client.collecting.reading import read_all
from stationmaster.events.model import Event
from stationmaster.ingest import otlp

RECORDINGS = Path(__file__).parents[1] / "recordings"
_BODY_MAX = 32 * 2**20
_RECEIVED_MS = 1_795_226_754_000
"""Of records without a time of their own: the afternoon on which all were recorded."""

Recorded = Mapping[tuple[str, str, str], Sequence[Event]]
"""(agent, source, run) to the events of that session, in order of time."""


class _Collected:
    """Takes events in place of a server."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def deliver(self, product: str, intake: Intake) -> None:  # noqa: ARG002 - events name it
        self.events += intake.events

    def post_events(self, lines: bytes) -> None:
        raise AssertionError(f"A recording has no events of hooks, and got {len(lines)} bytes.")

    def close(self) -> None:
        pass


@cache
def sessions() -> Recorded:
    """Every recorded session as each source alone reports it."""
    found: dict[tuple[str, str, str], list[Event]] = defaultdict(list)
    for folder in sorted(RECORDINGS.iterdir()):
        expected = json.loads((folder / "expected.json").read_text())["sessions"]
        runs = {session["session_id"]: session["run"] for session in expected}
        for event in (*_transcripts(folder), *_logs(folder), *_hooks(folder)):
            if event.session_id in runs:
                found[folder.name, event.source, runs[event.session_id]].append(event)
    return {name: sorted(events, key=lambda event: event.ts) for name, events in found.items()}


def _transcripts(folder: Path) -> list[Event]:
    paths = sources.files_below(folder / "transcripts")
    files = [sources.identify(path, sources.head_of(path)) for path in paths]
    sink = _Collected()
    for _ in read_all([file for file in files if file is not None], lambda: sink, None, 1):
        pass
    return sink.events


def _logs(folder: Path) -> list[Event]:
    events: list[Event] = []
    for request in json.loads((folder / "otlp" / "index.json").read_text())["requests"]:
        if request["signal"] == "logs":
            decoded = otlp.decode(
                "logs",
                request["content_type"],
                request["content_encoding"],
                (folder / "otlp" / Path(request["file"]).name).read_bytes(),
                received_ms=_RECEIVED_MS,
                body_max=_BODY_MAX,
            )
            events += decoded.events
    return events


def _hooks(folder: Path) -> list[Event]:
    agent, intake = recognition.by_product(folder.name), Intake()
    assert agent is not None
    for number, file in enumerate(sorted((folder / "hooks").glob("*.json"))):
        name = file.stem.rsplit("-", 1)[1]
        agent.hook(name, json.loads(file.read_text()), _RECEIVED_MS + 200 * number, intake)
    return intake.events

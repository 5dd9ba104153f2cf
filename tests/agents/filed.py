"""What an agent's own files and hooks tell, each read as a collector reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stationmaster.agents import recognition
from stationmaster.agents.interface import Document, Intake
from stationmaster.events.model import Event
from tests.agents.builders import AT_MS, agent, what_happened
from tests.support.recordings import ROOT

PUBLIC = ROOT.parents[2] / "shared" / "fixtures" / "public"
"""Sample transcripts of open-source projects, where they stand beside the project."""


def files(product: str, pattern: str = "*") -> list[Path]:
    """The recorded session files of an agent whose names match."""
    found = (ROOT / product / "transcripts").rglob(pattern)
    return sorted(path for path in found if path.is_file())


def of_files(product: str, paths: Iterable[Path]) -> list[Event]:
    """The events of files, each with an intake of its own; nothing in them is unknown."""
    events: list[Event] = []
    for path in paths:
        assert recognition.find_transcript(str(path), path.read_bytes()[:65_536]) is agent(product)
        intake = of_file(product, path)
        assert intake.invalid == []
        assert "unknown_record" not in intake.drops
        events += intake.events
    return events


def of_file(product: str, path: Path) -> Intake:
    intake = Intake()
    reader = agent(product).transcript(str(path))
    if isinstance(reader, Document):
        reader.read(intake)
    else:
        reader.feed_lines(path.read_bytes(), intake)
        reader.finish(intake)
    return intake


def of_hooks(product: str, run: str) -> list[Event]:
    """The events of a recorded run's hooks, which came a second apart."""
    intake = Intake()
    paths = sorted((ROOT / product / "hooks").glob(f"{run}-*.json"))
    assert paths
    for number, path in enumerate(paths):
        given = json.loads(path.read_text())
        agent(product).hook(None, given, AT_MS + 1000 * number, intake)
    assert intake.invalid == []
    assert "unknown_record" not in intake.drops
    return what_happened(intake).events


def of_hook(product: str, given: dict[str, Any], received_ms: int = AT_MS) -> Intake:
    intake = Intake()
    agent(product).hook(None, given, received_ms, intake)
    return what_happened(intake)

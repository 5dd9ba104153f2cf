"""Everything that criteria may ask about a commit, read once and then remembered."""

from __future__ import annotations

from dataclasses import dataclass

from stationmaster.pipelines.model import Pipelines
from stationmaster.projects.model import Project
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.files import Files
from stationmaster.repos.history import History


@dataclass(slots=True)
class Facts:
    """`as_of` is UTC milliseconds: what is recent is recent then. `hosting` is what the hosting
    service told, None without a token."""

    files: Files
    project: Project
    pipelines: Pipelines
    history: History
    hosting: Hosting | None
    as_of: int

"""From a commit to the facts that criteria ask about."""

from __future__ import annotations

from stationmaster.pipelines import scan as pipelines
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.hosting import Hosting
from stationmaster.reading.projects import reading as projects
from stationmaster.repos import history
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot

BYTES_MAX = 256 * 2**20
"""Of all files that one evaluation reads."""


def read(snapshot: Snapshot, *, as_of: int, hosting: Hosting | None = None) -> Facts:
    """What is known of a commit. Raises what reading a snapshot raises."""
    files = Files(snapshot, BYTES_MAX)
    found = pipelines.live(pipelines.scan(files))
    project = projects.read(files, found)
    return Facts(files, project, found, history.read(snapshot), hosting, as_of)

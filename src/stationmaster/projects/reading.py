"""From the files of a commit to its project."""

from __future__ import annotations

from stationmaster.pipelines.model import Pipelines
from stationmaster.projects.model import AgentPolicy, App, Project
from stationmaster.repos.files import Files


def read(files: Files, pipelines: Pipelines) -> Project:  # noqa: ARG001
    """What a commit says of how it is built."""
    app = App(".", ".", "", frozenset({"library"}), (), {})
    return Project((app,), (), (), {}, (), AgentPolicy("unknown"))

"""Who reads the files of a CI system: its own module for the systems in READERS, else its row."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers import listed
from stationmaster.repos.files import Files

READERS = {
    "github-actions": "github_actions",
    "gitea-actions": "github_actions",
    "forgejo-actions": "github_actions",
    "gitlab-ci": "gitlab.pipeline",
    "circleci": "circleci",
    "buildkite": "buildkite",
    "bitbucket": "bitbucket",
    "travis": "travis",
    "woodpecker": "woodpecker",
    "drone": "drone",
    "jenkins": "jenkins.pipeline",
    "teamcity": "teamcity.builds",
    "tekton": "tekton",
    "azure-pipelines": "azure.pipeline",
}
"""The module here with a `Reader(files)` for each system that is read in full. It is loaded
when the first file of its system is found: most repositories have files of one."""
_SHARED = "github_actions"
"""The module of several systems; it is given which one."""


class Reader(Protocol):
    """Reads the workflows of one commit."""

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it is none after all and nobody would have thought so.

        Raises Fault for what cannot be read, NoWorkflow for what only looks like one.
        """
        ...


def reader(system: str, files: Files) -> Reader:
    """The reader of a system's files in one commit."""
    name = READERS.get(system)
    if name is None:
        return listed.Reader(files, system)
    module = import_module(f"{__package__}.{name}")
    made: Reader = module.Reader(files, system) if name == _SHARED else module.Reader(files)
    return made

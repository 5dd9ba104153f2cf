"""Whose a file is, and who reads it: in full for the systems in READERS, else by its row alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol

from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers import (
    azure,
    bitbucket,
    buildkite,
    circleci,
    drone,
    github_actions,
    gitlab,
    jenkins,
    listed,
    teamcity,
    tekton,
    travis,
    woodpecker,
)
from stationmaster.repos.files import Files


class Reader(Protocol):
    """Reads the workflows of one commit."""

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it is none after all and nobody would have thought so.

        Raises Fault for what cannot be read, NoWorkflow for what only looks like one.
        """
        ...


READERS: dict[str, Callable[[Files], Reader]] = {
    "github-actions": github_actions.Reader,
    "gitea-actions": partial(github_actions.Reader, provider="gitea-actions"),
    "forgejo-actions": partial(github_actions.Reader, provider="forgejo-actions"),
    "gitlab-ci": gitlab.Reader,
    "circleci": circleci.Reader,
    "buildkite": buildkite.Reader,
    "bitbucket": bitbucket.Reader,
    "travis": travis.Reader,
    "woodpecker": woodpecker.Reader,
    "drone": drone.Reader,
    "jenkins": jenkins.Reader,
    "teamcity": teamcity.Reader,
    "tekton": tekton.Reader,
    "azure-pipelines": azure.Reader,
}
"""Systems whose files are read in full. Another one needs its row in the catalogue and, to be read
in full, its module here."""


def reader(name: str, files: Files) -> Reader:
    """The reader of a system's files in one commit."""
    made = READERS.get(name)
    return listed.Reader(name, files) if made is None else made(files)

"""Every provider that is read, and what its module offers: a name, a rule for paths, a reader.

One more provider is one more module and its name in PROVIDERS. Where a path may be of several, the
first that takes it has it: so those with exact names stand before those that look into files.
"""

from __future__ import annotations

from typing import Protocol

from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers import (
    appveyor,
    argo,
    aws,
    azure,
    bitbucket,
    buildkite,
    circleci,
    cirrus,
    cloudbuild,
    codefresh,
    concourse,
    drone,
    earthly,
    forgejo_actions,
    gitea_actions,
    github_actions,
    gitlab,
    harness,
    jenkins,
    marked,
    mobile,
    others,
    prow,
    semaphore,
    teamcity,
    tekton,
    travis,
    woodpecker,
    zuul,
)
from stationmaster.repos.files import Files


class Reader(Protocol):
    """Reads the workflows of one commit."""

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it is none after all and nobody would have thought so.

        Raises Fault for what cannot be read, NoWorkflow for what only looks like one.
        """
        ...


class Provider(Protocol):
    """What a module of a provider offers."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a module's constant

    def is_workflow(self, path: str) -> bool:
        """May a file of this path be one, as far as names tell? Asked of every path: be quick.

        A provider that reads its files at the root alone says no to copies deeper down; the scan
        finds those by asking for the end of their path, and tells them as ignored.
        """
        ...

    def Reader(self, files: Files) -> Reader: ...  # noqa: N802 - a module's class


PROVIDERS: tuple[Provider, ...] = (
    github_actions,
    gitea_actions,
    forgejo_actions,
    gitlab,
    circleci,
    buildkite,
    bitbucket,
    travis,
    woodpecker,
    drone,
    jenkins,
    teamcity,
    semaphore,
    appveyor,
    cirrus,
    harness,
    codefresh,
    earthly,
    *zuul.PROVIDERS,
    *prow.PROVIDERS,
    *mobile.PROVIDERS,
    *others.PROVIDERS,
    *marked.PROVIDERS,
    *aws.PROVIDERS,
    *cloudbuild.PROVIDERS,
    *tekton.PROVIDERS,
    *argo.PROVIDERS,
    *concourse.PROVIDERS,
    azure,
)

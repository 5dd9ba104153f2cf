"""Who reads the files of a CI system: its own module for the systems in READERS, else its row."""

from __future__ import annotations

from importlib import import_module

from stationmaster.pipelines.model import Facts
from stationmaster.pipelines.providers.draft import Commit

READERS = {
    **dict.fromkeys(("github-actions", "gitea-actions", "forgejo-actions"), "actions.reader"),
    **dict.fromkeys(("circleci", "buildkite", "bitbucket", "travis", "drone", "tekton"), ""),
    "woodpecker": "drone",
    "gitlab-ci": "gitlab.pipeline",
    "jenkins": "jenkins.pipeline",
    "teamcity": "teamcity.builds",
    "azure-pipelines": "azure.pipeline",
}
"""The module here with a `File` for each system that is read in full, '' for one of its name. It is
loaded when the first file of its system is read: most repositories have files of one."""


def read(system: str, path: str, commit: Commit) -> Facts | None:
    """What a file says; None when it is none after all and nobody would have thought so.

    Raises Fault for what cannot be read, NoWorkflow for what only looks like one.
    """
    module = import_module(f"{__package__}.{READERS.get(system, 'listed') or system}")
    facts: Facts | None = module.File(path, commit, system).read()
    return facts

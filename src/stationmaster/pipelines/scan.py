"""From the files of a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and tells what is
wrong with it. A file of comments alone is none. A provider is a module with a name, a rule for its
paths and a reader.
"""

from __future__ import annotations

from typing import Protocol

from stationmaster.pipelines.model import Facts, Found, Ignored, Pipelines, of_fault
from stationmaster.pipelines.providers import github_actions, gitlab
from stationmaster.repos.files import Files
from stationmaster.repos.yaml_nodes import Fault

WORKFLOWS_MAX = 500
"""Of one repository; further ones are left out."""


class Reader(Protocol):
    """Reads the workflows of one commit."""

    def read(self, path: str) -> Facts | None:
        """What a file says; None when it says nothing, or is none after all. Raises Fault."""
        ...


class Provider(Protocol):
    """What a module of a provider offers."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a module's constant

    def is_workflow(self, path: str) -> bool:
        """May a file of this path be one, as far as names tell?"""
        ...

    def Reader(self, files: Files) -> Reader: ...  # noqa: N802 - a module's class


PROVIDERS: tuple[Provider, ...] = (github_actions, gitlab)


def scan(files: Files) -> Pipelines:
    """The workflows of a commit.

    Raises what reading a snapshot raises: Conflict for damaged objects.
    """
    readers = [(provider, provider.Reader(files)) for provider in PROVIDERS]
    found: list[Found] = []
    ignored: list[Ignored] = []
    for path in files.paths():
        for provider, reader in readers:
            if len(found) < WORKFLOWS_MAX and provider.is_workflow(path):
                facts = _read(reader, path)
                if facts is not None:
                    found.append(Found(path, provider.NAME, facts))
                    break
    return Pipelines(found, ignored)


def _read(reader: Reader, path: str) -> Facts | None:
    try:
        return reader.read(path)
    except Fault as fault:
        return Facts(parse=of_fault("error", fault))

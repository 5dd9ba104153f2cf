"""From a commit to its workflows, in the order of their paths.

A file that cannot be read is a workflow all the same: it is in the place of one, and tells what is
wrong with it. A file of comments alone is none. A provider is a module with a name, a rule for its
paths and a reader.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol
from urllib.parse import quote

import msgspec

from stationmaster.ciscan import github_actions, gitlab
from stationmaster.ciscan.files import Files
from stationmaster.ciscan.model import Author, Facts, Workflow, line, of_fault
from stationmaster.ciscan.yaml_nodes import Fault
from stationmaster.errors import Conflict
from stationmaster.repos.reading import Snapshot

REVISION = 1
"""Grows whenever the same commit would be told differently: stored scans are then made again."""
WORKFLOWS_MAX = 500
"""Of one repository; further ones are left out."""
AUTHORS_S = 30
"""Asking for the authors of files may take as long; a long history makes it slow."""


class Reader(Protocol):
    def read(self, path: str) -> Facts | None: ...


class Provider(Protocol):
    """What a module of a provider offers."""

    @property
    def NAME(self) -> str: ...  # noqa: N802 - a module's constant

    def is_workflow(self, path: str) -> bool: ...

    def Reader(self, files: Files) -> Reader: ...  # noqa: N802 - a module's class


PROVIDERS: tuple[Provider, ...] = (github_actions, gitlab)


class Origin(msgspec.Struct, frozen=True):
    """The repository that is scanned. `files_url` is where browsers find its files, if known."""

    full_name: str
    files_url: str | None


Known = Mapping[tuple[str, str], Author]
"""Who changed files last, by path and content, as an earlier scan has found out."""


def scan(snapshot: Snapshot, origin: Origin, known: Known | None = None) -> list[Workflow]:
    """The workflows of a commit.

    Raises what reading a snapshot raises: Conflict for damaged objects, TooLarge for a commit of
    too many files.
    """
    files = Files(snapshot)
    readers = [(provider, provider.Reader(files)) for provider in PROVIDERS]
    found: list[tuple[str, Provider, Facts]] = []
    for path in files.paths():
        for provider, reader in readers:
            if len(found) < WORKFLOWS_MAX and provider.is_workflow(path):
                facts = _read(reader, path)
                if facts is not None:
                    found.append((path, provider, facts))
    authors = _Authors(snapshot, known or {})
    return [
        _workflow(snapshot, origin, path, files.oid(path), provider.NAME, facts, authors)
        for path, provider, facts in sorted(found, key=lambda one: one[0])
    ]


def _read(reader: Reader, path: str) -> Facts | None:
    try:
        return reader.read(path)
    except Fault as fault:
        return Facts(parse=of_fault("error", fault))


def _workflow(
    snapshot: Snapshot,
    origin: Origin,
    path: str,
    oid: str,
    provider: str,
    facts: Facts,
    authors: _Authors,
) -> Workflow:
    return Workflow(
        repo_full_name=origin.full_name,
        provider=provider,
        file_path=path,
        workflow_name=facts.name or path,
        trigger_events=facts.triggers,
        schedule_cron=facts.schedules[0].cron if facts.schedules else None,
        schedules=facts.schedules,
        template_id=facts.template,
        agents=facts.agents,
        agent_inputs=facts.agent_inputs,
        jobs=facts.jobs,
        url=None if origin.files_url is None else f"{origin.files_url}/{quote(path)}",
        file_sha=oid,
        commit_hash=snapshot.commit,
        authored_by=authors.of(path, oid),
        user_permission="read",
        parse=facts.parse,
        includes=facts.includes or msgspec.UNSET,
        generated_from=facts.generated_from or msgspec.UNSET,
    )


class _Authors:
    """Who changed files last: as known already, else asked of the history while there is time."""

    def __init__(self, snapshot: Snapshot, known: Known) -> None:
        self._snapshot = snapshot
        self._known = known
        self._until = time.monotonic() + AUTHORS_S

    def of(self, path: str, oid: str) -> Author | None:
        if (known := self._known.get((path, oid))) is not None:
            return known
        if time.monotonic() > self._until:
            return None
        try:
            change = self._snapshot.last_change(path)
        except Conflict:
            return None  # It took too long; everything else is known without it.
        return None if change is None else Author(line(change.author))

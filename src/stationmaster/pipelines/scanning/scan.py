"""From a commit to what is answered of its workflows, with who changed them and where they are, and
all of them at a glance.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import msgspec

from stationmaster.catalogue import ci
from stationmaster.errors import Conflict
from stationmaster.pipelines import scan as pipelines
from stationmaster.pipelines.gates import is_gate
from stationmaster.pipelines.model import Found, Pipelines, distinct, line
from stationmaster.pipelines.scanning.model import (
    DETAILS,
    Author,
    Origin,
    Scanned,
    Summary,
    SuppressedFinding,
    Unresolved,
    Workflow,
)
from stationmaster.repos.files import Files
from stationmaster.repos.reading import Snapshot, Source

REVISION = 7
"""Grows whenever the same commit would be reported differently: stored scans are then made
again."""
AUTHORS_S = 30
"""Asking for the authors of files may take as long; a long history makes it slow."""
_EVENTS_MAX = 100
_LISTED_MAX = 500
"""Things of one kind of one workflow; some files have thousands of steps."""


EarlierAuthors = Mapping[tuple[str, str], Author]
"""Who changed files last, by path and content, as an earlier scan has found out."""
LISTED_MAX = 100
"""Of each kind of thing that is listed."""
_DEPLOYS = {"deploy", "publish"}


def scan(
    snapshot: Snapshot,
    origin: Origin,
    earlier: EarlierAuthors | None = None,
    *,
    authors_s: float = AUTHORS_S,
) -> Scanned:
    """The workflows of a commit, and all of them at a glance.

    `authors_s` is how long it may ask who changed the files; 0 is not at all.

    Raises what reading a snapshot raises: Conflict for damaged objects, TooLarge for a commit of
    too many files.
    """
    files = Files(snapshot)
    owner, _, name = origin.full_name.partition("/")
    result = pipelines.scan(files, owner if name else None)
    authors = _Authors(snapshot, earlier or {}, authors_s)

    def workflows_of(some: list[Found]) -> list[Workflow]:
        return [
            _workflow(snapshot, origin, files.oid(pipeline.path), pipeline, authors)
            for pipeline in some
        ]

    return Scanned(workflows_of(result.workflows), of(result), workflows_of(result.actions))


class ScannedCommit(NamedTuple):
    """The hash of a commit, and what was scanned of it."""

    commit: str
    scanned: Scanned


def of_source(
    source: Source,
    origin: Origin,
    authors_before: Sequence[tuple[str, str, Author]],
    authors_s: float = AUTHORS_S,
) -> ScannedCommit:
    """`scan` of plain data, for a child process."""
    authors = {(path, oid): author for path, oid, author in authors_before}
    with source.open() as snapshot:
        return ScannedCommit(snapshot.commit, scan(snapshot, origin, authors, authors_s=authors_s))


def _workflow(
    snapshot: Snapshot, origin: Origin, oid: str, pipeline: Found, authors: _Authors
) -> Workflow:
    path, facts = pipeline.path, pipeline.facts
    return Workflow(
        repo_full_name=origin.full_name,
        provider=pipeline.provider,
        file_path=path,
        workflow_name=facts.name or path,
        trigger_events=distinct([trigger.event for trigger in facts.triggers], _EVENTS_MAX),
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
        kind=facts.kind,
        **{name: _detail(getattr(facts, name)) for name in DETAILS},
    )


def _detail(value: Any) -> Any:
    """A detail of a workflow, bounded; none where a file does not state it. `{}` means: no
    permission."""
    if value is None or value is False or value == []:
        return msgspec.UNSET
    return value[:_LISTED_MAX] if isinstance(value, list) else value


class _Authors:
    """Who changed files last: as known already, else read from the history while there is time."""

    def __init__(self, snapshot: Snapshot, earlier: EarlierAuthors, seconds: float) -> None:
        self._snapshot = snapshot
        self._earlier = earlier
        self._until = time.monotonic() + seconds

    def of(self, path: str, oid: str) -> Author | None:
        """The author of a file's last change; None without a known one or out of time."""
        if (author := self._earlier.get((path, oid))) is not None:
            return author
        if time.monotonic() >= self._until:
            return None
        try:
            change = self._snapshot.last_change(path)
        except Conflict:
            return None  # It took too long; everything else is known without it.
        return None if change is None else Author(line(change.author))


def of(result: Pipelines) -> Summary:
    """By path, at most LISTED_MAX of each."""
    flows = result.workflows
    counted = Counter(flow.provider for flow in flows)
    return Summary(
        providers=dict(sorted(counted.items())),
        gates=_paths(flow for flow in flows if is_gate(flow)),
        deploys=_paths(flow for flow in flows if _deploys(flow)),
        agents=_paths(flow for flow in flows if flow.facts.agents),
        discontinued=_paths(flow for flow in flows if ci.closed(flow.provider)),
        unresolved=[
            Unresolved(flow.path, include.location)
            for flow in flows
            for include in flow.facts.includes
            if not include.resolved
        ][:LISTED_MAX],
        ignored=[
            msgspec.structs.replace(file, reason=line(file.reason))
            for file in result.ignored[:LISTED_MAX]
        ],
        suppressed=[
            SuppressedFinding(
                finding.path, finding.suppressed_line or finding.line, finding.rule, by
            )
            for owner in (*flows, *result.actions)
            for finding in owner.facts.findings
            if (by := finding.suppressed) is not None
        ][:LISTED_MAX],
    )


def _paths(listed: Iterable[Found]) -> list[str]:
    return [pipeline.path for pipeline in listed][:LISTED_MAX]


def _deploys(pipeline: Found) -> bool:
    facts = pipeline.facts
    is_by_command = any(command.kind in _DEPLOYS for command in facts.commands)
    return is_by_command or any(job.environment for job in facts.jobs)

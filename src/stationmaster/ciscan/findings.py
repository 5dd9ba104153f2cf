"""Findings of all repositories of an organization, the worst first, from stored scans."""

from __future__ import annotations

import base64
from typing import NamedTuple

import msgspec

from stationmaster.ciscan import store
from stationmaster.ciscan.scan import REVISION
from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.pipelines.model import Finding, Severity
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
"""The worst first."""


class Wanted(NamedTuple):
    """What is asked for; None is everything. `severity`: of this one or a worse one. `suppressed`:
    only what somebody has accepted, or only what nobody has.
    """

    severity: Severity | None = None
    rule: str | None = None
    suppressed: bool | None = None
    url: str | None = None


class Place(NamedTuple):
    """A finding and the workflow that it is of."""

    repository: Repository
    commit: str
    workflow_path: str
    provider: str
    finding: Finding


_Key = tuple[int, str, str, int, int, str, str]


class _Workflow(msgspec.Struct, rename="camel"):
    """What is read of a stored workflow: the rest is skipped unread."""

    file_path: str
    provider: str
    commit_hash: str
    findings: list[Finding] = []


class _Scanned(msgspec.Struct):
    workflows: list[_Workflow]
    actions: list[_Workflow]


_decoder = msgspec.json.Decoder(_Scanned)
_keys: msgspec.json.Decoder[_Key] = msgspec.json.Decoder(_Key)


def page(db: Database, org: OrgId, wanted: Wanted, *, limit: int, after: str | None) -> list[Place]:
    """At most `limit` findings by severity, address, path and line: those after a cursor.

    Raises BadRequest for what is no cursor and no address.
    """
    last = None if after is None else _key_of(after)
    known = repos.list_page(db, org) if wanted.url is None else repos.find(db, org, wanted.url)
    stored = store.all_of(db, org)
    found = [
        each
        for repository in known
        for each in _of(repository, stored.get(repository.repo_id))
        if _is_wanted(each.finding, wanted) and (last is None or _key(each) > last)
    ]
    return sorted(found, key=_key)[:limit]


def cursor(place: Place) -> str:
    """What the page after this finding is asked for with."""
    return base64.urlsafe_b64encode(msgspec.json.encode(_key(place))).decode().rstrip("=")


def _of(repository: Repository, look: store.Stored | None) -> list[Place]:
    if look is None or look.workflows is None or look.revision != REVISION:
        return []
    scanned = _decoder.decode(look.workflows)
    return [
        Place(repository, flow.commit_hash, flow.file_path, flow.provider, finding)
        for flow in (*scanned.workflows, *scanned.actions)
        for finding in flow.findings
    ]


def _is_wanted(finding: Finding, wanted: Wanted) -> bool:
    worst = len(SEVERITIES) if wanted.severity is None else SEVERITIES.index(wanted.severity)
    return (
        SEVERITIES.index(finding.severity) <= worst
        and wanted.rule in (None, finding.rule)
        and wanted.suppressed in (None, finding.suppressed is not None)
    )


def _key(place: Place) -> _Key:
    """No two findings have the same: its parts are what a finding is told once for."""
    found = place.finding
    return (
        SEVERITIES.index(found.severity),
        place.repository.url,
        found.path,
        found.line,
        found.column,
        found.rule,
        f"{found.fingerprint} {place.workflow_path}",
    )


def _key_of(text: str) -> _Key:
    try:
        return _keys.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, msgspec.DecodeError) as fault:
        raise BadRequest("This is no cursor of a page.", code="invalid_cursor") from fault

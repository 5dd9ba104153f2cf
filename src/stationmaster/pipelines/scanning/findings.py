"""Findings of all repositories of an organization, the worst first."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stationmaster.db.engine import Database
from stationmaster.errors import BadRequest
from stationmaster.ids import OrgId
from stationmaster.pipelines.model import Finding, Severity
from stationmaster.pipelines.scanning import finding_store, store
from stationmaster.pipelines.scanning.finding_store import Row, State
from stationmaster.repos import service as repos
from stationmaster.repos.model import Repository

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
"""The worst first."""
PRESENT: tuple[State, ...] = ("open", "suppressed", "dismissed")
"""The states of findings that the newest scan has."""


class FindingFilter(NamedTuple):
    """What is requested; None is everything that the newest scans have. `severity`: of this one or
    a worse one. `suppressed`: only what a comment accepts, or only what none does.
    """

    severity: Severity | None = None
    rule: str | None = None
    suppressed: bool | None = None
    url: str | None = None
    state: State | None = None


class RepositoryFinding(NamedTuple):
    """A finding, the repository that it is of, and the newest commit that has it."""

    repository: Repository
    commit: str
    row: Row

    @property
    def finding(self) -> Finding:
        """The finding as it was last reported."""
        return self.row.finding


_Key = tuple[int, str, str, int, int, str, str]
_keys: msgspec.json.Decoder[_Key] = msgspec.json.Decoder(_Key)


def page(
    db: Database, org: OrgId, wanted: FindingFilter, *, limit: int, after: str | None
) -> list[RepositoryFinding]:
    """At most `limit` findings by severity, address, path and line: those after a cursor.

    Raises BadRequest for what is no cursor and no address.
    """
    last = None if after is None else _key_of(after)
    listed = repos.list_page(db, org) if wanted.url is None else repos.find(db, org, wanted.url)
    repositories = {repository.repo_id: repository for repository in listed}
    commits = store.commits(db, org)
    states = PRESENT if wanted.state is None else (wanted.state,)
    only = listed[0].repo_id if wanted.url is not None and listed else None
    chosen: list[RepositoryFinding] = []
    for severity in _severities(wanted, last):
        places = [
            RepositoryFinding(
                repositories[row.repo_id], row.commit or commits.get(row.repo_id, ""), row
            )
            for row in finding_store.rows(db, org, states, severity=severity, repo=only)
            if row.repo_id in repositories and _is_wanted(row.finding, wanted)
        ]
        chosen += sorted((p for p in places if last is None or _key(p) > last), key=_key)
        if len(chosen) >= limit:
            break
    return chosen[:limit]


def _severities(wanted: FindingFilter, last: _Key | None) -> Sequence[Severity]:
    """Those that a page may have, the worst first."""
    end = len(SEVERITIES) if wanted.severity is None else SEVERITIES.index(wanted.severity) + 1
    return SEVERITIES[0 if last is None else max(last[0], 0) : end]


def cursor(place: RepositoryFinding) -> str:
    """What the page after this finding is asked for with."""
    return base64.urlsafe_b64encode(msgspec.json.encode(_key(place))).decode().rstrip("=")


def _is_wanted(finding: Finding, wanted: FindingFilter) -> bool:
    return wanted.rule in (None, finding.rule) and wanted.suppressed in (
        None,
        finding.suppressed is not None,
    )


def _key(place: RepositoryFinding) -> _Key:
    """No two findings have the same: for these parts a finding is reported once."""
    finding = place.finding
    return (
        SEVERITIES.index(finding.severity),
        place.repository.url,
        finding.path,
        finding.line,
        finding.column,
        finding.rule,
        f"{finding.fingerprint} {place.row.workflow_path}",
    )


def _key_of(text: str) -> _Key:
    try:
        return _keys.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, msgspec.DecodeError) as fault:
        raise BadRequest(
            "Invalid cursor; use the cursor of the previous page.", code="invalid_cursor"
        ) from fault

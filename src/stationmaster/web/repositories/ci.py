"""`/repositories/ID/ci`: findings by state, dismissing them; workflows and their agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple, cast, get_args
from urllib.parse import urlencode

import msgspec
from fastapi import Form
from starlette.responses import Response

from stationmaster.access import service
from stationmaster.errors import BadRequest
from stationmaster.ids import RepoId
from stationmaster.pipelines.model import AgentStep, Parse
from stationmaster.pipelines.scanning import finding_store, findings, store as scans
from stationmaster.web.figures.blocks import Table
from stationmaster.web.frame.pages import (
    ManagerVisit,
    MemberVisit,
    Visit,
    listing,
    router,
    see_other,
)
from stationmaster.web.repositories.repository import REPOSITORY, known_repository, tab_page

FINDINGS_PER_PAGE = 50
WORKFLOWS_PER_PAGE = 100

routes = router()


class _Flow(msgspec.Struct, rename="camel"):
    """What the page shows of a stored workflow; the rest is skipped unread."""

    file_path: str
    workflow_name: str
    provider: str
    trigger_events: list[str]
    schedule_cron: str | None
    agents: list[str]
    jobs: list[msgspec.Raw]
    parse: Parse
    agent_steps: list[AgentStep] = []


class _Scan(msgspec.Struct):
    workflows: list[_Flow]


class ListedFinding(NamedTuple):
    """A finding with who dismissed it, by address."""

    place: findings.RepositoryFinding
    by: str | None


_decode = msgspec.json.Decoder(_Scan).decode


@routes.get(REPOSITORY + "/ci")
def show_ci(
    visit: MemberVisit,
    repo_id: str,
    state: str = "open",
    severity: str = "",
    after: str | None = None,
    page: int = 1,
) -> Response:
    """Findings of one state, the worst first, and the workflows with the agents in them."""
    repository = known_repository(visit, repo_id)
    db, org, repo = visit.db, visit.org, repository.repo_id
    chosen: finding_store.State = next(
        (name for name in get_args(finding_store.State) if name == state), "open"
    )
    least = severity if severity in findings.SEVERITIES else None
    conditions = findings.FindingFilter(severity=least, url=repository.url, state=chosen)
    places = findings.page(db, org, conditions, limit=FINDINGS_PER_PAGE + 1, after=after)
    shown = places[:FINDINGS_PER_PAGE]
    stored = scans.one(db, org, repo)
    workflows = None if stored is None else stored.workflows
    flows = [] if workflows is None else _decode(workflows).workflows
    start = max(page - 1, 0) * WORKFLOWS_PER_PAGE
    query = {"state": chosen, "severity": least or ""}
    entries = _entries(visit, shown)
    return tab_page(
        visit,
        repository,
        "ci",
        tables=[_findings(visit, conditions, entries), _workflows(visit, conditions, flows)],
        asked=query,
        stored=stored,
        entries=entries,
        state=chosen,
        severity=least or "",
        severities=findings.SEVERITIES,
        counts=finding_store.counts_of(db, org, repo),
        more=urlencode({**query, "after": findings.cursor(shown[-1])})
        if len(places) > FINDINGS_PER_PAGE
        else None,
        flows=flows[start : start + WORKFLOWS_PER_PAGE],
        flow_count=len(flows),
        page=page,
        more_flows=urlencode({**query, "page": page + 1})
        if len(flows) > start + WORKFLOWS_PER_PAGE
        else None,
        comment_max=finding_store.COMMENT_MAX,
    )


@routes.post(REPOSITORY + "/ci/{fingerprint}/dismiss")
def dismiss(
    visit: ManagerVisit,
    repo_id: str,
    fingerprint: str,
    reason: Annotated[str, Form()],
    comment: Annotated[str, Form(max_length=finding_store.COMMENT_MAX)] = "",
) -> Response:
    """Accept a finding with a reason, and show what is still open."""
    if reason not in get_args(finding_store.Reason):
        raise BadRequest("Choose a reason.", code="invalid_reason")
    finding_store.dismiss(
        visit.db,
        visit.caller,
        RepoId(repo_id),
        fingerprint,
        cast(finding_store.Reason, reason),
        " ".join(comment.split()),
    )
    return see_other(f"{REPOSITORY}/ci".format(repo_id=repo_id))


@routes.post(REPOSITORY + "/ci/{fingerprint}/reopen")
def reopen(visit: ManagerVisit, repo_id: str, fingerprint: str) -> Response:
    finding_store.reopen(visit.db, visit.caller, RepoId(repo_id), fingerprint)
    return see_other(f"{REPOSITORY}/ci".format(repo_id=repo_id))


def _entries(visit: Visit, places: list[findings.RepositoryFinding]) -> list[ListedFinding]:
    is_dismissed = any(place.row.dismissal is not None for place in places)
    names = service.names(visit.db, visit.org) if is_dismissed else {}
    return [
        ListedFinding(
            place, None if (made := place.row.dismissal) is None else names.get(made.by, made.by)
        )
        for place in places
    ]


def _findings(
    visit: Visit, conditions: findings.FindingFilter, entries: Sequence[ListedFinding]
) -> Table:
    """The findings of this page, with who dismissed them and why."""
    rows = [(entry.place.row.finding, entry.place.row, entry.by) for entry in entries]
    columns = (
        "0.rule: Rule, 0.severity: Severity, 1.state: State, 0.path: File, 0.line: Line, "
        "0.message: What, 0.fix: How to fix it, 2: Dismissed by, 1.dismissal.reason: Reason"
    )
    query = [("repository", conditions.url or ""), ("state", conditions.state or "")]
    query += [("severity", conditions.severity)] if conditions.severity else []
    call = visit.call("/api/platform/v1/ci/findings", query)
    return listing("findings", "Findings", columns, rows, call)


def _workflows(visit: Visit, conditions: findings.FindingFilter, flows: Sequence[_Flow]) -> Table:
    rows = [(flow, len(flow.jobs)) for flow in flows]
    columns = (
        "0.file_path: File, 0.provider: System, 0.trigger_events: Runs on, "
        "0.schedule_cron: Schedule, 0.agents: Agents, 1: Jobs"
    )
    query = [("repository", conditions.url or "")]
    call = visit.call("/api/v0/automations/ci/scan", query)
    return listing("workflows", "Workflows", columns, rows, call)

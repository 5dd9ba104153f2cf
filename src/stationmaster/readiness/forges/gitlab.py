"""GitLab (REST, version 4)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from stationmaster import clock
from stationmaster.readiness.forges.answers import (
    at,
    days_untouched,
    flag,
    middle,
    moments,
    rows,
    share_triaged,
    texts,
)
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.web import Web

_PIPELINES = 20
_DEVELOPER = 30
"""The access level of who may push to a branch that is not protected from them."""


def ask(web: Web, name: str, branch: str) -> Hosting | None:
    """What GitLab reports of the project `group/name`; None where it reports nothing."""
    project = f"/projects/{quote(name, safe='')}"
    status, about = web.get(project)
    if status != 200:
        return None
    issues = rows(web.get(f"{project}/issues?state=opened&per_page=100").value)
    level = at(about, "issues_access_level")
    return Hosting(
        is_protected=_is_protected(web, project, branch, about),
        label_names=texts(rows(web.get(f"{project}/labels?per_page=100").value), "name"),
        has_issues=None if level is None else level != "disabled",
        open_issues=None if issues is None else len(issues),
        triaged_share=share_triaged(issues),
        untouched_days_median=days_untouched(issues, clock.now_ms()),
        ci_seconds_median=_ci_seconds(web, project),
        releases_at=moments(rows(web.get(f"{project}/releases?per_page=50").value), "released_at"),
        deployments_at=moments(
            rows(web.get(f"{project}/deployments?status=success&sort=desc&per_page=50").value),
            "created_at",
        ),
        secret_scanning=flag(at(about, "pre_receive_secret_detection_enabled")),
    )


def _is_protected(web: Web, project: str, branch: str, about: Any) -> bool | None:
    status, protection = web.get(f"{project}/protected_branches/{quote(branch, safe='')}")
    if status == 404:
        return False
    if status != 200:
        return None
    levels = [row.get("access_level") for row in rows(at(protection, "push_access_levels")) or []]
    through_requests = bool(levels) and not any(
        isinstance(level, int) and level == _DEVELOPER for level in levels
    )
    approvals = at(about, "approvals_before_merge")
    checked = at(about, "only_allow_merge_if_pipeline_succeeds") is True or (
        isinstance(approvals, int) and approvals >= 1
    )
    return through_requests and checked and at(protection, "allow_force_push") is not True


def _ci_seconds(web: Web, project: str) -> float | None:
    """The list has no durations: the last pipelines of merge requests are requested one by one."""
    listed = rows(
        web.get(f"{project}/pipelines?source=merge_request_event&per_page={_PIPELINES}").value
    )
    numbers = [pipeline.get("id") for pipeline in listed or []][:_PIPELINES]
    pipelines = [web.get(f"{project}/pipelines/{number}").value for number in numbers if number]
    durations = [at(pipeline, "duration") for pipeline in pipelines]
    return middle([float(duration) for duration in durations if isinstance(duration, int | float)])

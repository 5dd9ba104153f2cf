"""GitHub, and servers of the same interface (REST, version 2022-11-28)."""

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
    seconds_between,
    share_triaged,
    texts,
)
from stationmaster.readiness.hosting import Hosting
from stationmaster.repos.web import Web

_FILES = ("CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "SUPPORT", "FUNDING")
_TEMPLATES = ("ISSUE_TEMPLATE", "PULL_REQUEST_TEMPLATE")
_HELPERS = ("dependabot", "renovate", "github-actions", "codecov", "stale")
"""Bots whose comments review nothing."""


def ask(web: Web, name: str, branch: str) -> Hosting | None:
    """What GitHub reports of the repository `owner/name`; None where it reports nothing."""
    repo = f"/repos/{quote(name)}"
    status, about = web.get(repo)
    if status != 200:
        return None
    issues = _open_issues(web, repo)
    runs = rows(
        at(web.get(f"{repo}/actions/runs?event=pull_request&per_page=50").value, "workflow_runs")
    )
    done = [run for run in runs or [] if run.get("status") == "completed"]
    setup = web.get(f"{repo}/code-scanning/default-setup").value
    scanning = at(about, "security_and_analysis", "secret_scanning", "status")
    state = at(setup, "state")
    seconds = [seconds_between(run, "run_started_at", "updated_at") for run in done]
    return Hosting(
        is_protected=_is_protected(web, repo, branch),
        label_names=texts(_listed(web, f"{repo}/labels"), "name"),
        has_issues=flag(at(about, "has_issues")),
        open_issues=None if issues is None else len(issues),
        triaged_share=share_triaged(issues),
        untouched_days_median=days_untouched(issues, clock.now_ms()),
        ci_seconds_median=middle(seconds),
        reruns_seen=None if runs is None else any(_is_rerun(run) for run in done),
        releases_at=moments(_listed(web, f"{repo}/releases"), "published_at"),
        deployments_at=moments(_listed(web, f"{repo}/deployments"), "created_at"),
        review_bots=_review_bots(web, repo),
        secret_scanning=None if scanning is None else scanning == "enabled",
        code_scanning=None if state is None else state == "configured",
        inherited=_inherited(web, name.partition("/")[0]),
    )


def _listed(web: Web, path: str) -> list[dict[str, Any]] | None:
    return rows(web.get(f"{path}?per_page=100").value)


def _open_issues(web: Web, repo: str) -> list[dict[str, Any]] | None:
    issues = rows(web.get(f"{repo}/issues?state=open&per_page=100").value)
    # Pull requests are in the same list.
    return None if issues is None else [issue for issue in issues if "pull_request" not in issue]


def _is_protected(web: Web, repo: str, branch: str) -> bool | None:
    """By rules, which everybody may read; else by what only administrators see."""
    quoted = quote(branch, safe="")
    rules = rows(web.get(f"{repo}/rules/branches/{quoted}").value)
    kinds = {str(rule.get("type")): rule.get("parameters") for rule in rules or []}
    reviews = at(kinds.get("pull_request"), "required_approving_review_count")
    is_reviewed = isinstance(reviews, int) and reviews >= 1
    is_checked = "required_status_checks" in kinds or is_reviewed
    if is_checked and "non_fast_forward" in kinds:
        return True
    status, about = web.get(f"{repo}/branches/{quoted}")
    if status == 200 and at(about, "protected") is False:
        return None if rules is None else False
    status, protection = web.get(f"{repo}/branches/{quoted}/protection")
    if status != 200:
        return None
    is_checked = any(
        at(protection, name) is not None
        for name in ("required_pull_request_reviews", "required_status_checks")
    )
    return is_checked and at(protection, "allow_force_pushes", "enabled") is not True


def _review_bots(web: Web, repo: str) -> tuple[str, ...] | None:
    comments = rows(
        web.get(f"{repo}/pulls/comments?sort=created&direction=desc&per_page=100").value
    )
    if comments is None:
        return None
    bots = {
        str(at(comment, "user", "login"))
        for comment in comments
        if at(comment, "user", "type") == "Bot"
    }
    return tuple(sorted(bot for bot in bots if not bot.startswith(_HELPERS)))


def _inherited(web: Web, owner: str) -> frozenset[str] | None:
    """Community files of the owner's `.github` repository, which its repositories inherit."""
    status, answer = web.get(f"/repos/{quote(owner)}/.github/git/trees/HEAD?recursive=1")
    if status == 404:
        return frozenset()
    entries = rows(at(answer, "tree"))
    if entries is None:
        return None
    inherited = set()
    for entry in entries:
        path = str(entry.get("path", ""))
        folder, _, last = path.rpartition("/")
        top = path.removeprefix(".github/").partition("/")[0].upper()
        if folder in ("", ".github", "docs") and last.upper().startswith(_FILES):
            inherited.add(last)
        inherited |= {name for name in _TEMPLATES if top.startswith(name)}
    return frozenset(inherited)


def _is_rerun(run: dict[str, Any]) -> bool:
    attempt = run.get("run_attempt")
    return isinstance(attempt, int) and attempt > 1

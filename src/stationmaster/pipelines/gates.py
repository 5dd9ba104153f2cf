"""Which workflows check changes before or after they are merged, as far as files state it.

What a service that is closed would run checks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.catalogue import ci
from stationmaster.pipelines.actors import GITHUB_LIKE
from stationmaster.pipelines.model import EventKind, Facts, Found

PROPOSED: frozenset[EventKind] = frozenset({"pull_request", "pull_request_target", "merge_queue"})
CHANGES: frozenset[EventKind] = frozenset({*PROPOSED, "push"})
CHECKING = re.compile(
    r"(?i)(?:^|[/_-])(?:build|test|lint|check|ci|compile|bazel|gradle|maven|docker|pre-commit|codeql"
    r"|golangci|cargo|tox|nox|pytest|verify|jenkinsfile|buildpack|earthly|super-linter|devcontainers)"
)
"""Names of actions and workflows that build or check."""
_CHECKS = frozenset({"build", "lint", "test", "scan"})
_ALONE = GITHUB_LIKE | {"teamcity", "tekton"}
"""Providers whose files name everything that starts a workflow; elsewhere the server decides."""
_ONE_EVENT = frozenset({"teamcity"})
"""Providers whose one trigger for changes is for proposed ones, too."""


def starts_on(pipeline: Found, kinds: frozenset[EventKind]) -> bool:
    """May events of these kinds start a workflow? Where its file does not state it, they may."""
    if ci.closed(pipeline.provider):
        return False
    started = {trigger.kind for trigger in pipeline.facts.triggers}
    return bool(started & kinds) if started else pipeline.provider not in _ALONE


def is_gate(pipeline: Found) -> bool:
    """Do proposed changes start it, and does it check them, as far as can be seen?

    A script that a pull request starts and that may write nothing can only be a check.
    """
    facts = pipeline.facts
    if facts.parse.state == "error" or facts.kind == "template":
        return False
    if not starts_on(pipeline, CHANGES if pipeline.provider in _ONE_EVENT else PROPOSED):
        return False
    if any(command.kind in _CHECKS for command in facts.commands):
        return True
    kinds = {trigger.kind for trigger in facts.triggers}
    named = (use.reference.partition("@")[0] for use in facts.uses)
    if "pull_request" in kinds and any(map(CHECKING.search, named)):
        return True
    if kinds & {"pull_request", "merge_queue"} and any(map(_only_reads, _running(facts))):
        return True
    is_privileged = bool(kinds) and kinds & PROPOSED == {"pull_request_target"}
    return not is_privileged and (facts.jobs_unknown or any(job.uses for job in facts.jobs))


def _running(facts: Facts) -> Iterator[dict[str, str] | None]:
    """What the tokens may of the jobs that run scripts."""
    scripted = {step.job for step in facts.steps if step.script}
    for job in facts.jobs:
        if job.id in scripted:
            yield facts.permissions if job.permissions is None else job.permissions


def _only_reads(permissions: dict[str, str] | None) -> bool:
    rights = permissions or {}
    return not any(rights.get(scope) == "write" for scope in ("*", "contents", "pull-requests"))

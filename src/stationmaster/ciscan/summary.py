"""A repository's workflows at a glance. Source: CI scan reference, section 1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from stationmaster.ciscan.model import IgnoredFile, Summary, Unresolved
from stationmaster.pipelines.model import Found, Pipelines, line
from stationmaster.pipelines.providers.closed import CLOSED

LISTED_MAX = 100
"""Of each kind of thing that is listed."""
_CHANGES = {"pull_request", "pull_request_target", "merge_queue"}
_CHECKS = {"build", "lint", "test", "scan"}
_DEPLOYS = {"deploy", "publish"}


def of(found: Pipelines) -> Summary:
    """By path, at most LISTED_MAX of each."""
    flows = found.workflows
    counted = Counter(each.provider for each in flows)
    return Summary(
        providers=dict(sorted(counted.items())),
        gates=_paths(each for each in flows if _gates(each)),
        deploys=_paths(each for each in flows if _deploys(each)),
        agents=_paths(each for each in flows if each.facts.agents),
        discontinued=_paths(each for each in flows if each.provider in CLOSED),
        unresolved=[
            Unresolved(each.path, include.location)
            for each in flows
            for include in each.facts.includes
            if not include.resolved
        ][:LISTED_MAX],
        ignored=[IgnoredFile(each.path, line(each.reason)) for each in found.ignored[:LISTED_MAX]],
    )


def _paths(found: Iterable[Found]) -> list[str]:
    return [each.path for each in found][:LISTED_MAX]


def _gates(found: Found) -> bool:
    """Do changes start it, or may they, and does it check them, as far as can be seen?"""
    facts = found.facts
    kinds = {trigger.kind for trigger in facts.triggers}
    if facts.parse.state == "error" or (kinds and not kinds & _CHANGES):
        return False
    checks = any(command.kind in _CHECKS for command in facts.commands)
    return checks or facts.jobs_unknown or any(job.uses for job in facts.jobs)


def _deploys(found: Found) -> bool:
    facts = found.facts
    is_told = any(command.kind in _DEPLOYS for command in facts.commands)
    return is_told or any(job.environment for job in facts.jobs)

"""A repository's workflows at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from stationmaster.catalogue import ci
from stationmaster.pipelines.gates import is_gate
from stationmaster.pipelines.model import Found, Pipelines, line
from stationmaster.pipelines.scanning.model import (
    IgnoredFile,
    Summary,
    SuppressedFinding,
    Unresolved,
)

LISTED_MAX = 100
"""Of each kind of thing that is listed."""
_DEPLOYS = {"deploy", "publish"}


def of(found: Pipelines) -> Summary:
    """By path, at most LISTED_MAX of each."""
    flows = found.workflows
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
        ignored=[IgnoredFile(each.path, line(each.reason)) for each in found.ignored[:LISTED_MAX]],
        suppressed=[
            SuppressedFinding(
                finding.path, finding.suppressed_line or finding.line, finding.rule, by
            )
            for owner in (*flows, *found.actions)
            for finding in owner.facts.findings
            if (by := finding.suppressed) is not None
        ][:LISTED_MAX],
    )


def _paths(found: Iterable[Found]) -> list[str]:
    return [each.path for each in found][:LISTED_MAX]


def _deploys(found: Found) -> bool:
    facts = found.facts
    is_told = any(command.kind in _DEPLOYS for command in facts.commands)
    return is_told or any(job.environment for job in facts.jobs)

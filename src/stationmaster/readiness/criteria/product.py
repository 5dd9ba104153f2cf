"""The criteria of the pillar Product & Experimentation."""

from __future__ import annotations

import re

from stationmaster.agents.cards.traces import reviewers
from stationmaster.catalogue import lists
from stationmaster.pipelines.model import AgentStep, Found as Workflow, Step
from stationmaster.readiness.evidence import signs, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Kind, Place

_USED: frozenset[Kind] = frozenset({"service", "web", "mobile"})
_ASKED = re.compile(r"add-labels|set-labels|assign")
"""What `actions` of a step needs where it labels or assigns."""


def feature_flag_infrastructure(facts: Facts) -> Verdict | None:
    """Passes where a flag provider is used; weakly where two files have flags of their own."""
    for app in facts.project.apps:
        if app.kinds & _USED and (shown := tools.of_app(facts, app, "flags")):
            return passes(f"Flags come from {shown.name}", *shown.places)
    places = [sight.place for sight in signs.seen(facts, "flag")]
    if len({place.path for place in places}) > 1:
        return passes("A module of the repository's own switches features", *places, weak=True)
    return None


def error_to_insight_pipeline(facts: Facts, _: App) -> Verdict | None:
    """Passes where a workflow makes issues of failures, or an agent looks into them."""
    for workflow in facts.pipelines.workflows:
        chained = any(
            trigger.kind in ("workflow_chain", "api") for trigger in workflow.facts.triggers
        )
        is_of_faults = chained or lists.pattern("fault-workflow").search(
            f"{workflow.path} {workflow.facts.name or ''}"
        )
        if workflow.facts.template == "incident-response":
            return passes("An agent looks into failures", workflow.path)
        for step in workflow.facts.steps:
            if _makes_issue(step) and (
                is_of_faults or lists.pattern("on-failure").search(step.condition or "")
            ):
                return passes("A workflow makes issues of failures", step)
        if workflow.facts.agent_steps and chained:
            return passes("An agent looks into failed runs", workflow.path)
    return None


def _makes_issue(step: Step) -> bool:
    if step.uses is not None and tools.does(step.uses, "issues"):
        return True
    return (
        lists.pattern("issue-made").search((step.script or "") + step.inputs.get("script", ""))
        is not None
    )


def agent_ci_automation(facts: Facts) -> Verdict | None:
    """Passes where an agent in CI can propose changes within stated limits."""
    if facts.project.policy.policy == "forbidden":
        return skips("The repository forbids work by agents")
    near: Place | None = None
    agents = (
        (workflow, a) for workflow in facts.pipelines.workflows for a in workflow.facts.agent_steps
    )
    for workflow, agent in agents:
        place = Place(*workflow.at(agent.place))
        near = near or place
        if agent.agent in reviewers() or workflow.facts.template == "code-review":
            continue
        if _can_propose(workflow, agent) and (
            agent.tools or agent.sandbox or agent.permissions is not None
        ):
            return passes(f"{agent.agent} can propose changes, within limits", place)
    if near is not None:
        return fails("Agents run in CI, but none proposes changes within stated limits", near)
    return None


def _can_propose(workflow: Workflow, agent: AgentStep) -> bool:
    """By its own token, or by another job of a compiled workflow that carries out its output."""
    if agent.can_write or workflow.facts.generated_from is None:
        return agent.can_write
    return any(
        (job.permissions or {}).get("pull-requests") == "write" for job in workflow.facts.jobs
    )


def automated_issue_triage(facts: Facts) -> Verdict | None:
    """Passes where a workflow or an agent sorts new issues."""
    for workflow in facts.pipelines.workflows:
        if workflow.facts.template == "triage":
            return passes("An agent sorts new issues", workflow.path)
        if not any(trigger.kind == "issue" for trigger in workflow.facts.triggers):
            continue
        for step in workflow.facts.steps:
            if _labels(step):
                return passes("A workflow labels or routes issues", step)
        if workflow.facts.agents:
            return passes("An agent answers new issues", workflow.path, weak=True)
    return None


def _labels(step: Step) -> bool:
    if step.uses is not None and tools.does(step.uses, "labels"):
        asked = step.inputs.get("actions")
        return asked is None or _ASKED.search(asked) is not None
    script = (step.script or "") + step.inputs.get("script", "")
    return lists.pattern("issue-labelled").search(script) is not None

"""The criteria of the pillar Product & Experimentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stationmaster.pipelines.agents.recognition import REVIEWERS
from stationmaster.pipelines.model import AgentStep, Step
from stationmaster.pipelines.model import Found as Workflow
from stationmaster.readiness.evidence import signs, tools
from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import OfApp, OfRepository, Verdict, fails, passes, skips
from stationmaster.reading.projects.model import App, Kind, Place

_USED: frozenset[Kind] = frozenset({"service", "web", "mobile"})
_ISSUE_ACTIONS = (
    "jasonetco/create-an-issue",
    "peter-evans/create-issue-from-file",
    "actions-ecosystem/action-create-issue",
    "imjohnbo/issue-bot",
    "dacbd/create-issue-action",
    "jayqi/failed-build-issue-action",
    "nashmaniac/create-issue-action",
    "viperproject/create-nightly-issue*",
    "*failed-build-issue*",
    "*create-issue*",
    "pagerduty*",
)
_ISSUE_MADE = re.compile(
    r"\bgh issue create\b|\bissues\.create\(|\bglab issue create\b|/issues[\"'\s].{0,200}-d\b"
)
_FAILURE = re.compile(
    r"failure\(\)|conclusion\s*==\s*'failure'|result\s*==\s*'failure'|!=\s*'success'"
    r"|conclusion.{0,20}failure"
)
_OF_FAULTS = re.compile(
    r"fail|error|alert|incident|ci[-_ ]?doctor|flak|crash|sentry|nightly|canary|regression", re.I
)
_LABELLERS = (
    "github/issue-labeler",
    "github/issue-labeler*",
    "actions/ai-inference",
    "*issue-labeler*",
    "*issue-triage*",
    "*auto-label*",
    "peaceiris/actions-label-commenter",
    "dessant/label-actions",
    "bruno-tfernandes/*triage*",
    "*duplicate*issue*",
    "*issue*duplicate*",
    "actions-cool/issues-similarity-analysis",
    "wow-actions/potential-duplicates",
    "actions-cool/issues-helper",
    "andymckay/labeler",
    "naveenk1223/action-triage",
    "srggrs/assign-one-project-github-action",
    "actions/add-to-project",
    "pozil/auto-assign-issue",
    "damccorm/tag-ur-it",
    "trilom/*triage*",
    "google/triage-party",
    "*ai-triage*",
    "*triage-issues*",
)
_LABELLED = re.compile(
    r"\bgh issue edit\b.{0,300}--add-(?:label|assignee)|\bissues\.(?:addLabels|setLabels"
    r"|addAssignees)\b|--add-label",
    re.S,
)
_ASKED = re.compile(r"add-labels|set-labels|assign")
"""Of actions that do what they are told."""


def feature_flags(facts: Facts) -> Verdict:
    """Passes where a flag provider is used; weakly where two files have flags of their own."""
    for app in facts.project.apps:
        if app.kinds & _USED and (shown := tools.of_app(facts, app, "flags")):
            return passes(f"Flags come from {shown.name}", *shown.places)
    places = [sight.place for sight in signs.seen(facts, "flag")]
    if len({place.path for place in places}) > 1:
        return passes("A module of the repository's own switches features", *places, weak=True)
    return fails("No flag provider is imported, and no module of its own switches features")


def error_to_insight(facts: Facts, _: App) -> Verdict:
    """Passes where a workflow makes issues of failures, or an agent looks into them."""
    for workflow in facts.pipelines.workflows:
        chained = any(
            trigger.kind in ("workflow_chain", "api") for trigger in workflow.facts.triggers
        )
        is_of_faults = chained or _OF_FAULTS.search(f"{workflow.path} {workflow.facts.name or ''}")
        if workflow.facts.template == "incident-response":
            return passes("An agent looks into failures", Place(workflow.path))
        for step in workflow.facts.steps:
            if _makes_issue(step) and (is_of_faults or _FAILURE.search(step.condition or "")):
                return passes(
                    "A workflow makes issues of failures", Place(step.path, step.place.line)
                )
        if workflow.facts.agent_steps and chained:
            return passes("An agent looks into failed runs", Place(workflow.path))
    return fails("No workflow makes issues of alerts, errors or failed runs")


def _makes_issue(step: Step) -> bool:
    if step.uses is not None and tools.matches(step.uses.partition("@")[0], _ISSUE_ACTIONS):
        return True
    return _ISSUE_MADE.search((step.script or "") + step.inputs.get("script", "")) is not None


def agent_ci(facts: Facts) -> Verdict:
    """Passes where an agent in CI can propose changes within stated limits."""
    if facts.project.policy.policy == "forbidden":
        return skips("The repository forbids work by agents")
    near: Place | None = None
    for workflow, agent in _agents(facts):
        place = Place(*workflow.at(agent.place))
        near = near or place
        if agent.agent in REVIEWERS or workflow.facts.template == "code-review":
            continue
        if _can_propose(workflow, agent) and (
            agent.tools or agent.sandbox or agent.permissions is not None
        ):
            return passes(f"{agent.agent} can propose changes, within limits", place)
    if near is not None:
        return fails("Agents run in CI, but none proposes changes within stated limits", near)
    return fails("No step runs a coding agent that can propose changes")


def _can_propose(workflow: Workflow, agent: AgentStep) -> bool:
    """By its own token, or by another job of a compiled workflow that carries out what it says."""
    if agent.can_write or workflow.facts.generated_from is None:
        return agent.can_write
    return any(
        (job.permissions or {}).get("pull-requests") == "write" for job in workflow.facts.jobs
    )


def _agents(facts: Facts) -> Iterator[tuple[Workflow, AgentStep]]:
    for workflow in facts.pipelines.workflows:
        for agent in workflow.facts.agent_steps:
            yield workflow, agent


def issue_triage(facts: Facts) -> Verdict:
    """Passes where a workflow, agent or file of rules sorts new issues; skipped without issues."""
    if facts.hosting is not None and facts.hosting.has_issues is False:
        return skips("The hosting service has issues switched off")
    for workflow in facts.pipelines.workflows:
        if workflow.facts.template == "triage":
            return passes("An agent sorts new issues", Place(workflow.path))
        if not any(trigger.kind == "issue" for trigger in workflow.facts.triggers):
            continue
        for step in workflow.facts.steps:
            if _labels(step):
                return passes(
                    "A workflow labels or routes issues", Place(step.path, step.place.line)
                )
        if workflow.facts.agents:
            return passes("An agent answers new issues", Place(workflow.path), weak=True)
    for path in facts.tree.glob(
        ".github/issue-labeler.{yml,yaml}",
        ".github/policies/*.{yml,yaml}",
        ".triagebot.toml",
        "triagebot.toml",
        ".github/fabricbot.json",
    ):
        return passes("Rules sort issues", Place(path))
    return fails("No workflow labels or routes new issues")


def _labels(step: Step) -> bool:
    if step.uses is not None and tools.matches(step.uses.partition("@")[0], _LABELLERS):
        asked = step.inputs.get("actions")
        return asked is None or _ASKED.search(asked) is not None
    script = (step.script or "") + step.inputs.get("script", "")
    return _LABELLED.search(script) is not None


OF_APP: Mapping[str, OfApp] = {"error_to_insight_pipeline": error_to_insight}
OF_REPOSITORY: Mapping[str, OfRepository] = {
    "feature_flag_infrastructure": feature_flags,
    "agent_ci_automation": agent_ci,
    "automated_issue_triage": issue_triage,
}

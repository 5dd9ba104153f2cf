"""What history, the hosting service and files show of releases, rollouts and agents at work."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from stationmaster.agents.cards import traces
from stationmaster.catalogue import lists
from stationmaster.readiness.criteria.documentation import skill_files
from stationmaster.readiness.evidence import configs, tools
from stationmaster.readiness.facts import Facts, Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import Place
from stationmaster.repos.history import Commit
from stationmaster.repos.yaml_nodes import get, text

_DAY = 86_400_000
_COMMITS_MAX = 500
_RECENT = 90 * _DAY
_CI_SECONDS_MAX = 600
_WEEKS = 12
_TRAILER_BOTS = re.compile(
    r"(?i)<[\w.+-]{0,60}(?:dependabot|renovate|pre-commit-ci|github-actions|"
    r"allcontributors|greenkeeper|snyk|mergify|autofix)"
)


def agentic_development(facts: Facts) -> Verdict:
    """Passes where an agent made a recent commit, runs in CI or has skills that are tracked.

    Skipped where agents are forbidden; unknown where an incomplete history shows none.
    """
    policy = facts.project.policy
    if policy.policy == "forbidden":
        return skips("The repository does not allow agents")
    recent = [
        commit
        for number, commit in enumerate(facts.history.commits)
        if number < _COMMITS_MAX or facts.as_of - commit.at <= _RECENT
    ]
    made = next((commit for commit in recent if _is_by_agent(commit)), None)
    if made is not None:
        return passes(f"An agent took part in commit {made.oid[:12]}")
    for workflow in facts.pipelines.workflows:
        if workflow.facts.agents:
            return passes(f"{workflow.facts.agents[0]} runs in a pipeline", workflow.path)
    path = next(iter(facts.tree.glob(*skill_files(), *traces.files("commands"))), None)
    if path is not None:
        return passes("Skills or commands of agents are tracked", path)
    if not facts.history.is_complete and len(recent) < _COMMITS_MAX:
        return unknown("The history is cut short, so commits of agents may be missing")
    return fails(
        f"No commit of an agent among the last {len(recent)}, no agent in a pipeline, "
        "no skill or command"
    )


def _is_by_agent(commit: Commit) -> bool:
    signs = _signs()
    if signs.full_names.fullmatch(commit.author) or (
        signs.names.fullmatch(commit.author)
        and ("[bot]" in commit.author or commit.email_domain in signs.domains)
    ):
        return True
    return any(
        _TRAILER_BOTS.search(commit.message[at.start() : at.end() + 100]) is None
        for at in signs.trailers.finditer(commit.message[:20_000])
    )


class _Signs(NamedTuple):
    """How commits show that an agent made them: names of authors, those that no person has, domains
    of addresses, lines at the end of messages."""

    names: re.Pattern[str]
    full_names: re.Pattern[str]
    domains: frozenset[str]
    trailers: re.Pattern[str]


@cache
def _signs() -> _Signs:
    every = traces.every().values()
    names = "|".join(name for shown in every for name in shown.signatures)
    emails = "|".join(email for shown in every for email in shown.emails)
    return _Signs(
        re.compile(rf"(?i)(?:{names})(?:\[bot\])?"),
        re.compile(f"(?i){'|'.join(name for shown in every for name in shown.full_names)}"),
        frozenset(domain for shown in every for domain in shown.domains),
        re.compile(
            r"(?im)^(?:co-authored-by|assisted-by|generated-by|coding-agent):[ \t]*"
            rf"(?:[^\n<]{{0,80}}\b(?:{names})(?:\[bot\]|[ \t]*\([^)\n]{{0,60}}\))?[ \t]*(?:<|$)"
            rf"|[^\n<]{{0,80}}<(?:{emails}"
            r"|[\w.+-]{0,60}\[bot\]@users\.noreply\.github\.com))"
        ),
    )


def fast_ci_feedback(facts: Facts) -> Verdict:
    """Passes where half of the pipelines' runs take at most ten minutes, by the hosting service."""
    if not facts.pipelines.workflows:
        return skips("There is no pipeline")
    seconds = None if facts.hosting is None else facts.hosting.ci_seconds_median
    if seconds is None:
        return unknown("Only the hosting service knows how long pipelines take")
    sentence = f"Half of the runs of changes take at most {seconds / 60:.1f} minutes"
    return (
        passes(sentence) if seconds <= _CI_SECONDS_MAX else fails(f"{sentence}; the limit is ten")
    )


def deployment_frequency(facts: Facts) -> Verdict:
    """Passes where a service was deployed in each of 12 weeks, anything else within 90 days."""
    is_service = any("service" in app.kinds for app in facts.project.apps)
    hosting = facts.hosting
    stated = hosting and [*(hosting.releases_at or ()), *(hosting.deployments_at or ())]
    dates = sorted({*(stated or ()), *(tag.at for tag in facts.history.tags)})
    dates = [date for date in dates if date <= facts.as_of]
    if is_service:
        weeks = {(facts.as_of - date) // (7 * _DAY) for date in dates}
        busy = len(weeks & set(range(_WEEKS)))
        if busy == _WEEKS:
            return passes(f"There was a deployment in each of the last {_WEEKS} weeks")
        if stated is None:
            return unknown("Only the hosting service knows of deployments without tags")
        return fails(f"There were deployments in {busy} of the last {_WEEKS} weeks")
    if not dates:
        if stated is None:
            return unknown("There are no tags; only the hosting service knows of releases")
        return skips("There are no releases")
    days = (facts.as_of - dates[-1]) // _DAY
    if days * _DAY <= _RECENT:
        return passes(f"The last release is {days} days old")
    if stated is None and facts.history.is_cut:
        return unknown("The history of this copy is cut short, so tags of releases may be missing")
    return fails(f"The last release is {days} days old; there should be one in 90 days")


def release_notes_automation(facts: Facts) -> Verdict:
    """Passes where a step of a release or a tool writes the release notes."""
    for step in (step for workflow in facts.pipelines.workflows for step in workflow.facts.steps):
        asked = step.inputs.get("generate_release_notes") or step.inputs.get("generateReleaseNotes")
        if asked is not None and asked.lower() == "true":
            return passes("The release step generates notes", step)
    shown = tools.of_repository(facts, "release-notes")
    if shown is not None and not _is_disabled(facts, shown.places[0].path):
        return passes(f"{shown.name} writes the notes", *shown.places)
    near = facts.tree.glob("CHANGELOG*", "CHANGES*", "NEWS*", "HISTORY*", any_case=True)
    return fails("No tool writes release notes", *near[:1])


def _is_disabled(facts: Facts, path: str) -> bool:
    """GoReleaser writes a changelog unless configured not to."""
    if "goreleaser" not in path:
        return False
    root = facts.tree.yaml(path)
    return "true" in (text(get(root, "changelog", "disable")), text(get(root, "changelog", "skip")))


_ROLLOUT_SIGNS = (
    (r"(?m)^kind:\s*Rollout\s*$", "Argo Rollouts"),
    (r"(?m)^kind:\s*Canary\s*$", "Flagger"),
    (r"(?m)^[ \t]+(?:canary|blueGreen):[ \t\r]*$", "a canary or blue-green strategy"),
    (r"deploymentConfig[\w.]{0,40}:[ \t]*\S{0,80}(?:Canary|Linear)", "a CodeDeploy canary"),
    (
        r"(?m)^[ \t]*(?:-[ \t]+)?weight:[ \t]*[1-9]\d?[ \t\r]*$[\s\S]{0,500}?"
        r"^[ \t]*(?:-[ \t]+)?weight:[ \t]*\d{1,2}[ \t\r]*$",
        "weights",
    ),
    (r"deployment_preference|DeploymentPreference:\s*$|Type:\s*(?:Canary|Linear)\d", "a canary"),
)
_YAML_MAX = 2_000


def progressive_rollout(facts: Facts) -> Verdict | None:
    """Passes where files roll changes out in steps; skipped where nothing is deployed from here."""
    for path in facts.tree.glob("**/*.yaml", "**/*.yml", "**/*.tpl")[:_YAML_MAX]:
        if path.startswith(".github/"):
            continue
        for sign, name in _ROLLOUT_SIGNS:
            if (place := configs.line_of(facts, path, sign)) is not None:
                return passes(f"{name} rolls out changes in steps", place)
    return _deployed(facts)


def rollback_automation(facts: Facts) -> Verdict | None:
    """Passes where a job or task returns to an earlier version; skipped where none deploys."""
    for workflow in facts.pipelines.workflows:
        named = (
            "rollback" in workflow.path.lower() or "rollback" in (workflow.facts.name or "").lower()
        )
        job = next((job for job in workflow.facts.jobs if "rollback" in job.id.lower()), None)
        if named or job is not None:
            at = workflow.at(None if job is None else job.place)
            return passes("A pipeline rolls back to an earlier version", Place(*at))
    for command in facts.project.commands:
        if (
            command.source in ("script", "task")
            and re.fullmatch(
                r"(?:[\w-]{0,40}[:_-])?rollback(?:[:_-](?:prod|production|deploy|release)\w{0,20})?",
                command.name,
            )
            and not re.search(r"(?i)migrat|\bdb\b|database|sql", f"{command.name} {command.text}")
        ):
            return passes(f"{command.name} rolls back to an earlier version", command.place)
    return _deployed(facts)


def _deployed(facts: Facts) -> Verdict | None:
    """What is not deployed from here is rolled out and back elsewhere."""
    for workflow in facts.pipelines.workflows:
        if any(command.kind == "deploy" for command in workflow.facts.commands):
            return None
    if facts.tree.glob(*lists.files("deployment")):
        return None
    return skips("This repository does not deploy it")

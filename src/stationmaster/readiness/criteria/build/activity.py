"""What history and the hosting service tell: agents at work, releases, how long CI takes."""

from __future__ import annotations

import re

from stationmaster.readiness.facts import Facts
from stationmaster.readiness.verdict import Verdict, fails, passes, skips, unknown
from stationmaster.reading.projects.model import Place
from stationmaster.repos.history import Commit

_DAY = 86_400_000
_COMMITS_MAX = 500
_RECENT = 90 * _DAY
_CI_SECONDS_MAX = 600
_WEEKS = 12
_TRAILER = re.compile(
    r"(?im)^(?:co-authored-by|assisted-by|generated-by|coding-agent):[ \t]*"
    r"(?:[^\n<]{0,80}\b(?:github copilot|copilot|cursor agent|cursoragent|openai codex|codex"
    r"|devin ai"
    r"|gemini code assist|gemini cli|gemini|aider|openhands|google labs jules|factory[- ]droid"
    r"|droid"
    r"|opencode|windsurf|sourcegraph amp|amp|goose|claude code|claude (?:opus|sonnet"
    r"|haiku)[\w. -]{0,40}"
    r"|claude)(?:\[bot\]|[ \t]*\([^)\n]{0,60}\))?[ \t]*(?:<|$)"
    r"|[^\n<]{0,80}<(?:noreply@anthropic\.com|cursoragent@cursor\.com"
    r"|[\w.+-]{0,40}codex@openai\.com"
    r"|openhands@all-hands\.dev|[\w.+-]{0,60}\[bot\]@users\.noreply\.github\.com))"
)
_TRAILER_BOTS = re.compile(
    r"(?i)<[\w.+-]{0,60}(?:dependabot|renovate|pre-commit-ci|github-actions|"
    r"allcontributors|greenkeeper|snyk|mergify|autofix)"
)
_AUTHORS = re.compile(
    r"(?i)(?:copilot-swe-agent|copilot|devin-ai-integration|google-labs-jules|factory-droid|"
    r"cursor ?agent|claude|claude code|openhands|openhands-agent|codex|chatgpt-codex-connector|"
    r"gemini-code-assist|aider|sweep-ai|amp|opencode|opencode-agent)(?:\[bot\])?"
    r"|[^\n]{1,80}\(aider\)"
)
_AGENT_FILES = (
    ".claude/skills/*/SKILL.md",
    ".factory/skills/*/SKILL.md",
    ".agents/skills/*/SKILL.md",
    ".github/skills/*/SKILL.md",
    ".codex/skills/*/SKILL.md",
    ".cursor/skills/*/SKILL.md",
    ".claude/commands/**/*.md",
    ".claude/agents/*.md",
    ".github/agents/*.md",
    ".github/prompts/*.prompt.md",
    ".factory/droids/*.md",
    ".factory/commands/*.md",
    ".opencode/command/*.md",
    ".opencode/agent/*.md",
    ".gemini/commands/*.toml",
    ".cursor/commands/*.md",
)


def agentic_development(facts: Facts) -> Verdict:
    """Passes where an agent made a recent commit, runs in CI or has skills that are tracked.

    Skipped where agents are forbidden; unknown where an incomplete history shows none.
    """
    policy = facts.project.policy
    if policy.policy == "forbidden":
        return skips("The repository asks agents to stay out")
    recent = [
        each
        for number, each in enumerate(facts.history.commits)
        if number < _COMMITS_MAX or facts.as_of - each.at <= _RECENT
    ]
    made = next((each for each in recent if _is_by_agent(each)), None)
    if made is not None:
        return passes(f"An agent took part in commit {made.oid[:12]}")
    for found in facts.pipelines.workflows:
        if found.facts.agents:
            return passes(f"{found.facts.agents[0]} runs in a pipeline", Place(found.path))
    path = next(iter(facts.tree.glob(*_AGENT_FILES)), None)
    if path is not None:
        return passes("Skills or commands of agents are tracked", Place(path))
    if not facts.history.is_complete and len(recent) < _COMMITS_MAX:
        return unknown("The history is cut short, so commits of agents may be missing")
    return fails(
        f"No commit of an agent among the last {len(recent)}, no agent in a pipeline, "
        "no skill or command"
    )


def _is_by_agent(commit: Commit) -> bool:
    if _AUTHORS.fullmatch(commit.author) and (
        "[bot]" in commit.author
        or commit.email_domain in ("anthropic.com", "cursor.com", "openai.com")
        or commit.author.lower() in ("copilot", "claude code", "cursor agent", "copilot-swe-agent")
    ):
        return True
    return any(
        _TRAILER_BOTS.search(commit.message[at.start() : at.end() + 100]) is None
        for at in _TRAILER.finditer(commit.message[:20_000])
    )


def fast_ci_feedback(facts: Facts) -> Verdict:
    """Passes where half of the pipelines' runs take at most ten minutes, by the hosting service."""
    if not facts.pipelines.workflows:
        return skips("There is no pipeline")
    seconds = None if facts.hosting is None else facts.hosting.ci_seconds_median
    if seconds is None:
        return unknown("Only the hosting service knows how long pipelines take")
    told = f"Half of the runs of changes take at most {seconds / 60:.1f} minutes"
    return passes(told) if seconds <= _CI_SECONDS_MAX else fails(f"{told}; ten are the limit")


def deployment_frequency(facts: Facts) -> Verdict:
    """Passes where a service was deployed in each of 12 weeks, anything else within 90 days."""
    is_service = any("service" in app.kinds for app in facts.project.apps)
    hosting = facts.hosting
    known = (
        [
            each
            for given in (hosting.releases_at, hosting.deployments_at)
            if given is not None
            for each in given
        ]
        if hosting is not None
        else None
    )
    dates = sorted({*(known or ()), *(tag.at for tag in facts.history.tags)})
    dates = [date for date in dates if date <= facts.as_of]
    if is_service:
        weeks = {(facts.as_of - date) // (7 * _DAY) for date in dates}
        busy = len(weeks & set(range(_WEEKS)))
        if busy == _WEEKS:
            return passes(f"There was a deployment in each of the last {_WEEKS} weeks")
        if known is None:
            return unknown("Only the hosting service knows of deployments without tags")
        return fails(f"There were deployments in {busy} of the last {_WEEKS} weeks")
    if not dates:
        if known is None:
            return unknown("There are no tags; only the hosting service knows of releases")
        return skips("Nothing was ever released")
    days = (facts.as_of - dates[-1]) // _DAY
    if days * _DAY <= _RECENT:
        return passes(f"The last release is {days} days old")
    if known is None and facts.history.is_cut:
        return unknown("The history of this copy is cut short, so tags of releases may be missing")
    return fails(f"The last release is {days} days old; there should be one in 90 days")

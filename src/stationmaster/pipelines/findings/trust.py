"""What a workflow takes for safe and is not: names of actors, runners of its own, old caches."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import actors, expressions
from stationmaster.pipelines.expressions import Binary, Expression, Negation
from stationmaster.pipelines.expressions import Literal as Text
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import Command, Step
from stationmaster.pipelines.view import BEGINNING, View

_SCRIPT_MAX = 65_536
_ACTOR = ("github.actor", "github.triggering_actor", "github.event.sender.login")
_MERGES = re.compile(r"\bgh\s+pr\s+(?:merge|review)\b|\bpulls?\.merge\b|enablePullRequestAutoMerge")
_MERGE_ACTIONS = re.compile(r"(?i)auto-?merge|auto-?approve|merge-me|dependabot-merge")
_SELF_HOSTED = "self-hosted"
_PUBLISH_ACTIONS = re.compile(
    r"(?i)^(?:pypa/gh-action-pypi-publish|softprops/action-gh-release|goreleaser/goreleaser-action"
    r"|js-devtools/npm-publish|ncipollo/release-action|svenstaro/upload-release-action"
    r"|actions/create-release|rubygems/release-gem|katyo/publish-crates|changesets/action"
    r"|cycjimmy/semantic-release-action|actions/attest-build-provenance)@"
)
_CACHE_ACTIONS = re.compile(
    r"(?i)^(?:actions/cache(?:/restore)?|swatinem/rust-cache|mozilla-actions/sccache-action"
    r"|gradle/(?:actions/setup-gradle|gradle-build-action)|hendrikmuis/ccache-action"
    r"|coursier/cache-action|docker/build-push-action)@"
)
_SETUP = re.compile(r"(?i)^actions/setup-(?:node|python|java)@")
_TRIED = re.compile(
    r"(?i)mavenlocal|--?dry\b|--?dry-?run|--snapshot|localhost|verdaccio"
    r"|[\s/_:-](?:local|check|verify|validate|lint|test)(?:[\s/_.:-]|$)"
)
"""Publishing to nowhere else, and commands that only check a release."""
_PUBLISHES = ("contents", "packages", "id-token", "*")
"""What a token must be allowed to write for a job without secrets to publish anything."""
_OFF = frozenset({"", "false"})
_OWN_TOKENS = frozenset({"GITHUB_TOKEN", "github_token"})


def _bots(view: View) -> Iterator[Hit]:
    """Only where others' events run with rights: on a fork's own run there is nothing to gain."""
    if not view.open_triggers:
        return
    for job in view.facts.jobs:
        steps = view.steps.get(job.id, [])
        condition = view.condition(job.id)
        if (named := _bot(condition)) is not None and _is_worth(view, job.id, steps):
            message = "the last actor's name is no proof of who wrote the change"
            yield Hit(message, named, job.place or BEGINNING, job.id)
        for step in steps:
            if step.path != view.path or step.condition in (None, condition):
                continue
            named = _bot(step.condition or "")
            if named is not None and _is_worth(view, job.id, [step]):
                message = "the last actor's name is no proof of who wrote the change"
                yield at_step(view, step, message, named)


def _is_worth(view: View, job: str, steps: list[Step]) -> bool:
    """Does what stands behind the test merge, write, or read secrets?"""
    known = view.jobs.get(job)
    rights = view.permissions(job)
    if rights is None or "write" in rights.values() or (known is not None and known.secrets):
        return True
    return any(
        _MERGES.search((step.script or "")[:_SCRIPT_MAX]) or _MERGE_ACTIONS.search(step.uses or "")
        for step in steps
    )


def _bot(condition: str) -> str | None:
    """The test that lets a bot in by the name of the actor, which must hold for the whole."""
    left: list[Expression] = [expressions.parse(condition)] if "[bot]" in condition else []
    while left:
        each = left.pop()
        if isinstance(each, Binary) and each.operator in ("&&", "||"):
            left += [each.right, each.left]
        elif isinstance(each, Binary) and each.operator == "==":
            paths = list(expressions.references(each))
            words = [side.text for side in (each.left, each.right) if isinstance(side, Text)]
            if any(path in _ACTOR for path in paths) and any("[bot]" in word for word in words):
                return f"{paths[0]} == '{words[0]}'"
        elif isinstance(each, Negation):
            continue
    return None


def _self_hosted(view: View) -> Iterator[Hit]:
    from_forks = [trigger for trigger in view.triggers if trigger.kind == "pull_request"]
    for job in view.facts.jobs:
        if _SELF_HOSTED not in [label.lower() for label in job.runs_on]:
            continue
        conditions = [condition] if (condition := view.condition(job.id)) else []
        is_reached = from_forks and actors.gate(conditions, from_forks, view.checks) is None
        if is_reached or view.is_open(job.id):
            message = "code of a fork can run on the organization's own machine"
            yield Hit(message, ", ".join(job.runs_on), job.place or BEGINNING, job.id)


def _cache_in_release(view: View) -> Iterator[Hit]:
    if all(trigger.kind == "pull_request" for trigger in view.triggers):
        return
    publishing = {
        command.job
        for command in view.facts.commands
        if command.kind == "publish" and _publishes(view, command)
    }
    for job, steps in view.steps.items():
        actions = any(_PUBLISH_ACTIONS.match(step.uses or "") for step in steps)
        if job not in publishing and not actions:
            continue
        cached = next((step for step in steps if _restores(step)), None)
        if cached is not None:
            message = "what is published is built with a cache that other runs can write"
            yield at_step(view, cached, message, cached.uses or "")


def _publishes(view: View, command: Command) -> bool:
    """Does it publish, as far as can be seen? What a script of the repository does is not, and
    without secrets and rights nothing leaves a run but its artifacts."""
    if _TRIED.search(command.text):
        return False
    if "/" not in command.text.split()[0]:
        return True
    known = view.jobs.get(command.job)
    rights = view.permissions(command.job)
    if rights is None or (known is not None and set(known.secrets) - _OWN_TOKENS):
        return True
    return any(rights.get(scope) == "write" for scope in _PUBLISHES)


def _restores(step: Step) -> bool:
    uses = step.uses or ""
    if uses.lower().startswith("docker/build-push-action@"):
        return "type=gha" in step.inputs.get("cache-from", "")
    if _SETUP.match(uses):
        return step.inputs.get("cache", "").strip().lower() not in _OFF
    if step.inputs.get("lookup-only", "").strip() == "true":
        return False
    return _CACHE_ACTIONS.match(uses) is not None


LOOKS: dict[str, Look] = {
    "bot-check-spoofable": _bots,
    "self-hosted-on-pr": _self_hosted,
    "cache-in-release": _cache_in_release,
}

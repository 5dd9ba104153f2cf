"""What a workflow takes for safe and is not: names of actors, runners of its own, old caches; and
what the tokens of its jobs may do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.catalogue.untrusted import untrusted
from stationmaster.pipelines import actors, expressions
from stationmaster.pipelines.expressions import Binary, Expression, Literal as Text
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import Command, Job, Place, Step
from stationmaster.pipelines.view import BEGINNING, View

_ACTOR = ("github.actor", "github.triggering_actor", "github.event.sender.login")
_MERGES = re.compile(r"\bgh\s+pr\s+(?:merge|review)\b|\bpulls?\.merge\b|enablePullRequestAutoMerge")
_MERGE_ACTIONS = re.compile(r"(?i)auto-?merge|auto-?approve|merge-me|dependabot-merge")
_SELF_HOSTED = "self-hosted"
_RELEASES = untrusted().releases
_TRIED = re.compile(
    r"(?i)mavenlocal|--?dry\b|--?dry-?run|--snapshot|localhost|verdaccio"
    r"|[\s/_:-](?:local|check|verify|validate|lint|test)(?:[\s/_.:-]|$)"
)
"""Publishing to nowhere else, and commands that only check a release."""
_PUBLISHES = ("contents", "packages", "id-token", "*")
"""What a token must be allowed to write for a job without secrets to publish anything."""
_OFF = frozenset({"", "false"})
_OWN_TOKENS = frozenset({"GITHUB_TOKEN", "github_token"})
ALL = "*"
_NAMES_MAX = 5
_PLAIN = re.compile(
    r"actions/(?:checkout|setup-[\w-]{1,50}|cache(?:/\w{1,20})?|upload-artifact|download-artifact)@"
)
"""Actions that read with the token at most."""
_TOKEN = re.compile(
    r"(?i)github[._]token|secrets\.|\bgh\s|\bgit\s+push|\bcosign\b|api\.github\.com"
)


def _bots(view: View) -> Iterator[Hit]:
    """Only where others' events run with rights: on a fork's own run there is nothing to gain."""
    if not view.open_triggers:
        return
    for job in view.facts.jobs:
        steps = view.steps.get(job.id, [])
        condition = view.condition(job.id)
        if (named := _bot(condition)) is not None and _is_worth(view, job.id, steps):
            message = "the last actor's name is not proof of who wrote the change"
            yield Hit(message, named, job.place or BEGINNING, job.id)
        for step in steps:
            if step.path != view.path or step.condition in (None, condition):
                continue
            named = _bot(step.condition or "")
            if named is not None and _is_worth(view, job.id, [step]):
                message = "the last actor's name is not proof of who wrote the change"
                yield at_step(view, step, message, named)


def _is_worth(view: View, job: str, steps: list[Step]) -> bool:
    """Does what runs after the test merge, write, or read secrets?"""
    record = view.jobs.get(job)
    rights = view.permissions(job)
    if rights is None or "write" in rights.values() or (record is not None and record.secrets):
        return True
    return any(
        _MERGES.search(step.text) or _MERGE_ACTIONS.search(step.uses or "") for step in steps
    )


def _bot(condition: str) -> str | None:
    """The test that lets a bot in by the name of the actor, which must hold for the whole."""
    left: list[Expression] = [expressions.parse(condition)] if "[bot]" in condition else []
    while left:
        part = left.pop()
        if isinstance(part, Binary) and part.operator in ("&&", "||"):
            left += [part.right, part.left]
        elif isinstance(part, Binary) and part.operator == "==":
            paths = list(expressions.references(part))
            words = [side.text for side in (part.left, part.right) if isinstance(side, Text)]
            if any(path in _ACTOR for path in paths) and any("[bot]" in word for word in words):
                return f"{paths[0]} == '{words[0]}'"
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
        actions = any(step.action in _RELEASES.publish for step in steps)
        if job not in publishing and not actions:
            continue
        cached = next((step for step in steps if _restores(step)), None)
        if cached is not None:
            message = "a published artifact is built with a cache that other runs can write"
            yield at_step(view, cached, message, cached.uses or "")


def _publishes(view: View, command: Command) -> bool:
    """Does it publish, as far as can be seen? What a script of the repository does is not, and
    without secrets and rights nothing leaves a run but its artifacts."""
    if _TRIED.search(command.text):
        return False
    if "/" not in command.text.split()[0]:
        return True
    record = view.jobs.get(command.job)
    rights = view.permissions(command.job)
    if rights is None or (record is not None and set(record.secrets) - _OWN_TOKENS):
        return True
    return any(rights.get(scope) == "write" for scope in _PUBLISHES)


def _restores(step: Step) -> bool:
    action = step.action
    if action == "docker/build-push-action":
        return "type=gha" in step.inputs.get("cache-from", "")
    if action in _RELEASES.setups:
        return step.inputs.get("cache", "").strip().lower() not in _OFF
    return action in _RELEASES.caches and step.inputs.get("lookup-only", "").strip() != "true"


def _default(view: View) -> Iterator[Hit]:
    facts = view.facts
    if facts.permissions is not None or facts.parse.state == "error" or not facts.jobs:
        return
    if all(trigger.kind == "reusable_call" for trigger in facts.triggers):
        return  # Its callers decide its permissions.
    without = [job for job in facts.jobs if job.permissions is None]
    if without:
        named = _names(without)
        yield Hit(
            "neither the workflow nor the job declares permissions of its token",
            f"no permissions for {named}",
            without[0].place or BEGINNING,
        )


def _broad(view: View) -> Iterator[Hit]:
    top = view.facts.permissions or {}
    if top.get(ALL) == "write":
        message = "every job may write everything"
        yield Hit(message, "permissions: write-all", _top(view), severity="high")
    else:
        yield from _scopes_for_all(view, sorted(s for s, may in top.items() if may == "write"))
    for job in view.facts.jobs:
        if (job.permissions or {}).get(ALL) == "write":
            message, place = "the job may write everything", job.place or BEGINNING
            yield Hit(message, "permissions: write-all", place, job.id, severity="high")


def _scopes_for_all(view: View, scopes: Sequence[str]) -> Iterator[Hit]:
    """Rights that jobs have which plainly do nothing with a token."""
    inheriting = [job for job in view.facts.jobs if job.permissions is None]
    calling_none = [job for job in inheriting if job.uses is None and view.steps.get(job.id)]
    plain = [job for job in calling_none if all(map(_reads_only, view.steps[job.id]))]
    if scopes and plain and len(view.facts.jobs) > 1:
        message = f"also granted to jobs that do not need it: {_names(plain)}"
        evidence = ", ".join(f"{scope}: write" for scope in scopes)
        yield Hit(message, evidence, _top(view))


def _top(view: View) -> Place:
    return view.facts.places.get("permissions", BEGINNING)


def _reads_only(step: Step) -> bool:
    if step.uses is not None and not _PLAIN.match(step.uses):
        return False
    texts = (step.script or "", *step.env.values(), *step.inputs.values())
    return not any(_TOKEN.search(text) for text in texts)


def _names(jobs: Sequence[Job]) -> str:
    named = ", ".join(job.id for job in jobs[:_NAMES_MAX])
    further = len(jobs) - _NAMES_MAX
    return f"{named} and {further} more" if further > 0 else named


LOOKS: dict[str, Look] = {
    "bot-check-spoofable": _bots,
    "self-hosted-on-pr": _self_hosted,
    "cache-in-release": _cache_in_release,
    "permissions-default": _default,
    "permissions-broad": _broad,
}

"""What a job's token may do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.pipelines.findings.rule import Hit, Look
from stationmaster.pipelines.model import Job, Place, Step
from stationmaster.pipelines.view import BEGINNING, View

ALL = "*"
_NAMES_MAX = 5
_PLAIN = re.compile(
    r"actions/(?:checkout|setup-[\w-]{1,50}|cache(?:/\w{1,20})?|upload-artifact|download-artifact)@"
)
"""Actions that read with the token at most."""
_TOKEN = re.compile(
    r"(?i)github[._]token|secrets\.|\bgh\s|\bgit\s+push|\bcosign\b|api\.github\.com"
)


def _default(view: View) -> Iterator[Hit]:
    facts = view.facts
    if facts.permissions is not None or facts.parse.state == "error" or not facts.jobs:
        return
    if all(trigger.kind == "reusable_call" for trigger in facts.triggers):
        return  # Its callers say what it may.
    without = [job for job in facts.jobs if job.permissions is None]
    if without:
        named = _names(without)
        yield Hit(
            "neither the workflow nor the job says what its token may",
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
    plain = [job for job in inheriting if _is_plain(job, view.steps.get(job.id, []))]
    if scopes and plain and len(view.facts.jobs) > 1:
        message = f"jobs that need no such right have it, too: {_names(plain)}"
        evidence = ", ".join(f"{scope}: write" for scope in scopes)
        yield Hit(message, evidence, _top(view))


def _top(view: View) -> Place:
    return view.facts.places.get("permissions", BEGINNING)


def _is_plain(job: Job, steps: Sequence[Step]) -> bool:
    return bool(steps) and job.uses is None and all(map(_reads_only, steps))


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
    "permissions-default": _default,
    "permissions-broad": _broad,
}

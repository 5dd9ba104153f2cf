"""What makes a pipeline hang, report false results, cost too much, or not run at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from stationmaster.agents.shell.words import split
from stationmaster.catalogue import ci
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.gates import CHANGES, CHECKING
from stationmaster.pipelines.model import Place, Step
from stationmaster.pipelines.view import BEGINNING, View

_GAP_MIN = 15
_CHECKS = ("test", "lint")
_EXPRESSION = re.compile(r"\$\{\{")
_TRUE = frozenset({"true", ":", "echo", "exit 0"})
_NEVER = re.compile(r"(?:\$\{\{\s*)?(?i:false)(?:\s*\}\})?")


def _no_timeout(view: View) -> Iterator[Hit]:
    jobs = [job for job in view.facts.jobs if job.uses is None]
    without = [job for job in jobs if job.timeout_minutes is None]
    if without:
        message = f"{len(without)} of {len(jobs)} jobs have no time limit"
        yield Hit(message, without[0].id, without[0].place or BEGINNING)


def _no_concurrency(view: View) -> Iterator[Hit]:
    on_changes = [trigger for trigger in view.facts.triggers if trigger.kind == "pull_request"]
    if on_changes and view.facts.concurrency is None and view.facts.jobs:
        message = "a new push to a pull request does not cancel runs of the previous one"
        yield Hit(message, on_changes[0].event, on_changes[0].place or BEGINNING)


def _too_frequent(view: View) -> Iterator[Hit]:
    for schedule in view.facts.schedules:
        gap = _gap(schedule.cron)
        if gap is not None and gap < _GAP_MIN:
            at = next((e.place for e in view.facts.triggers if e.kind == "schedule"), None)
            message = f"it starts every {gap} minutes" if gap > 1 else "it starts every minute"
            yield Hit(message, schedule.cron, at or BEGINNING)


def _gap(cron: str) -> int | None:
    """The fewest minutes between two starts within an hour; None where there are none."""
    fields = cron.split()
    if len(fields) < 5:
        return None
    minutes = sorted(set(_minutes(fields[0][:200])))
    if len(minutes) < 2:
        return None
    return min(after - before for before, after in pairwise(minutes))


def _minutes(field: str) -> Iterator[int]:
    for part in field.split(","):
        span, _, step = part.partition("/")
        every = int(step) if step.isascii() and step.isdigit() and int(step[:4]) > 0 else 1
        first, _, last = span.partition("-")
        if span == "*":
            yield from range(0, 60, every)
        elif first.isascii() and first.isdigit():
            end = int(last[:3]) if last.isascii() and last.isdigit() else None
            start = int(first[:3])
            yield from range(
                start, min(59 if step and end is None else end or start, 59) + 1, every
            )


def _errors_ignored(view: View) -> Iterator[Hit]:
    checks: dict[str, list[str]] = {}
    for command in view.facts.commands:
        if command.kind in _CHECKS:
            checks.setdefault(command.job, []).append(command.text)
    for job, steps in view.steps.items():
        for step in steps:
            texts = [text for text in checks.get(job, ()) if text in (step.script or "")]
            if texts and step.ignores_errors:
                yield at_step(view, step, "the step may fail unnoticed", texts[0])
            else:
                yield from _swallowed(view, step, texts)


def _swallowed(view: View, step: Step, checks: list[str]) -> Iterator[Hit]:
    """Checks that are followed by a command which always succeeds."""
    script = step.text
    if not checks or "||" not in script:
        return
    commands = split(script)
    for command, following in pairwise(commands):
        text = " ".join(command.words)
        is_check = any(check.startswith(text) or text.startswith(check) for check in checks)
        if command.joined_by == "||" and is_check and " ".join(following.words) in _TRUE:
            yield at_step(view, step, "a failure of the check counts as success", text)


def _always_true(view: View) -> Iterator[Hit]:
    for job in view.facts.jobs:
        condition = view.condition(job.id)
        if _is_text(condition):
            place = job.place or BEGINNING
            yield Hit("text around an expression is always true", condition, place, job.id)
    for step in view.all_steps:
        if step.condition is not None and _is_text(step.condition):
            yield at_step(view, step, "text around an expression is always true", step.condition)


def _never(view: View) -> Iterator[Hit]:
    for job in view.facts.jobs:
        condition = view.condition(job.id)
        if _NEVER.fullmatch(condition.strip()):
            yield Hit("the job never runs", f"if: {condition}", job.place or BEGINNING, job.id)


def _is_text(condition: str) -> bool:
    """Is it an expression with other text, even if only the end of a line?"""
    count = len(_EXPRESSION.findall(condition))
    return count > 0 and not (
        count == 1 and condition.startswith("${{") and condition.endswith("}}")
    )


def _parse_error(view: View) -> Iterator[Hit]:
    parse = view.facts.parse
    is_refused = view.is_github and parse.state == "partial" and parse.line is not None
    if parse.state == "error" or is_refused:
        for fault in view.facts.faults or [parse]:
            place = Place(fault.line or 1, fault.column or 1)
            message = "the provider would refuse the file"
            yield Hit(message, fault.error or "it cannot be read", place)


def _no_gate(view: View) -> Iterator[Hit]:
    everything = list(view.views.values())
    if everything[:1] != [view] or any(map(_gates, everything)):
        return
    yield Hit(
        "no workflow builds or tests pushed or proposed changes",
        f"{len(everything)} workflows, none of them a gate",
        BEGINNING,
    )


def _gates(view: View) -> bool:
    """Does it build or test changes, as far as can be seen? What the server decides counts."""
    facts = view.facts
    if not view.is_github:
        # What another pipeline calls, such as an Earthfile, is started by no change.
        return not ci.closed(view.provider) and facts.kind == "pipeline"
    kinds = {trigger.kind for trigger in facts.triggers}
    if kinds and not kinds & (CHANGES | {"other", "reusable_call"}):
        return False
    if facts.jobs_unknown or facts.parse.state != "ok" or not kinds:
        return True
    words = [*(use.reference for use in facts.uses), *(job.uses or "" for job in facts.jobs)]
    return bool(facts.commands) or any(CHECKING.search(word.partition("@")[0]) for word in words)


def _discontinued(view: View) -> Iterator[Hit]:
    """If another workflow is seen to check changes, the file is a leftover."""
    if not (closed := ci.closed(view.provider)):
        return
    others = (other for other in view.views.values() if not ci.closed(other.provider))
    if not any(map(_is_seen_to_check, others)):
        message = "none of its jobs run any more, and no other workflow builds or tests changes"
        yield Hit(message, closed, BEGINNING)


def _is_seen_to_check(view: View) -> bool:
    return _gates(view) and (
        view.facts.jobs_unknown
        or any(command.kind in ("build", "lint", "test") for command in view.facts.commands)
        or any(CHECKING.search((job.uses or "").partition("@")[0]) for job in view.facts.jobs)
    )


LOOKS: dict[str, Look] = {
    "no-timeout": _no_timeout,
    "no-concurrency": _no_concurrency,
    "too-frequent-schedule": _too_frequent,
    "errors-ignored": _errors_ignored,
    "always-true-condition": _always_true,
    "never-runs": _never,
    "parse-error": _parse_error,
    "no-pr-gate": _no_gate,
    "provider-discontinued": _discontinued,
}

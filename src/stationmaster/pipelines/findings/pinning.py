"""What a workflow takes from elsewhere, and whether that can change without notice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stationmaster.agents.shell.programs import base_name, unwrapped
from stationmaster.agents.shell.words import Simple, split
from stationmaster.catalogue.untrusted import untrusted
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import Include, Pin, Severity, Use
from stationmaster.pipelines.secrets import ALL
from stationmaster.pipelines.view import BEGINNING, View

_MOVES: dict[Pin, str] = {
    "branch": "moves with every change",
    "floating": "moves with every release",
    "exact": "is a tag, and tags can be moved",
}
_CODE_FROM_ELSEWHERE = frozenset({"circleci", "jenkins", "azure-pipelines", "gitlab-ci"})
"""Providers whose reusable parts are included configuration and no actions."""
_RUNS = untrusted().runs
_HINT = re.compile(rf"(?i)\b(?:{'|'.join(sorted(_RUNS.downloads))})\b")


def _uses(view: View) -> Iterator[Hit]:
    if view.provider in _CODE_FROM_ELSEWHERE:
        return
    for use in (*view.facts.uses, *view.facts.inner_uses):
        if use.pin in _MOVES:
            owner = "first-party" if use.first_party else "third-party"
            severity: Severity | None = "low" if use.first_party else None
            message = (
                f"{owner} code is pinned to {use.version or 'no version'}, which {_MOVES[use.pin]}"
            )
            if _gets_all_secrets(view, use):
                severity = "medium" if use.first_party else "high"
                message += ", and it gets every secret of the repository"
            yield Hit(message, use.reference, use.place or BEGINNING, use.job, severity=severity)


def _gets_all_secrets(view: View, use: Use) -> bool:
    """Is it a workflow that inherits the secrets of its caller?"""
    job = view.jobs.get(use.job or "")
    return job is not None and job.uses == use.reference and ALL in job.secrets


def _images(view: View) -> Iterator[Hit]:
    for image in (*view.facts.images, *view.facts.inner_images):
        if image.pin in _MOVES:
            moving: Severity | None = "medium" if image.pin == "branch" else None
            message = f"the image has no digest; its tag {_MOVES[image.pin]}"
            if image.pin == "exact":
                message = "the image has no digest; its tag can be moved"
            yield Hit(
                message, image.reference, image.place or BEGINNING, image.job, severity=moving
            )


def _includes(view: View) -> Iterator[Hit]:
    for include in view.facts.includes:
        # A workflow that GitHub calls is a use as well, and reported as one.
        if not include.resolved and _is_loose(view, include.pin) and not view.is_github:
            yield _of_include(include, "the included configuration can change at any time")
    if view.provider in _CODE_FROM_ELSEWHERE:
        for use in view.facts.uses:
            if use.pin in ("branch", "floating") and not use.first_party:
                message = f"it is pinned to {use.version or 'no version'}, which {_MOVES[use.pin]}"
                yield Hit(message, use.reference, use.place or BEGINNING, use.job)


def _is_loose(view: View, pin: Pin | None) -> bool:
    """What names no revision follows a default branch, where the provider knows revisions."""
    no_revision = pin == "dynamic" and view.provider in _CODE_FROM_ELSEWHERE
    return pin in ("branch", "floating") or no_revision


def _unresolved(view: View) -> Iterator[Hit]:
    for include in view.facts.includes:
        if not include.resolved:
            yield _of_include(include, "the included file is not in the commit and was not read")


def _of_include(include: Include, message: str) -> Hit:
    return Hit(message, f"{include.kind}: {include.location}", include.place or BEGINNING)


def _piped(view: View) -> Iterator[Hit]:
    for step in view.all_steps:
        script = step.text
        if _HINT.search(script) is None:
            continue
        for address in _downloaded_and_run(split(script)):
            yield at_step(view, step, "a download is run without verification", address)


def _downloaded_and_run(commands: Sequence[Simple]) -> Iterator[str]:
    """What is fetched by commands whose output a shell or an interpreter runs."""
    for place, command in enumerate(commands):
        if _program(command) not in _RUNS.downloads:
            continue
        if command.is_nested and command.joined_by != "|":
            following = next(
                (later for later in commands[place + 1 :] if not later.is_nested), None
            )
        elif command.joined_by == "|":
            following = commands[place + 1] if place + 1 < len(commands) else None
        else:
            continue
        if following is not None and _runs(following):
            yield next((word for word in command.words[1:] if "://" in word), command.words[0])


def _program(command: Simple) -> str:
    words = unwrapped(command.words)
    return base_name(words[0]).lower() if words else ""


def _runs(command: Simple) -> bool:
    """Does it run its input, or what a substitution left empty among its words?"""
    program = _program(command)
    if program not in _RUNS.input:
        return False
    # An interpreter with a program of its own only reads the download.
    arguments = [word for word in unwrapped(command.words)[1:] if word not in ("", "-")]
    return program not in _RUNS.own_input or not arguments


LOOKS: dict[str, Look] = {
    "unpinned-third-party": _uses,
    "unpinned-image": _images,
    "remote-include-unpinned": _includes,
    "unresolved-include": _unresolved,
    "pipe-to-shell": _piped,
}

"""The text of a workflow for GitHub Actions from the parts that clients send."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from stationmaster.errors import BadRequest

EVENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "pull-request": ("pull_request", ("opened", "synchronize", "ready_for_review")),
    "pr-opened": ("pull_request", ("opened",)),
    "comment-added": ("issue_comment", ("created",)),
    "push": ("push", ()),
    "label-change": ("pull_request", ("labeled", "unlabeled")),
    "checks-completed": ("check_run", ("completed",)),
}
"""Triggers by the words of the published product."""
_INPUT = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,60}):[ \t]*(\S.{0,300})")
_CRON = re.compile(r"(?:[0-9A-Za-z*/,-]+ +){4}[0-9A-Za-z*/,-]+")
_ACTION = "Factory-AI/droid-action@main"


class Draft(NamedTuple):
    """`inputs` are lines `name: value` for the agent's action."""

    name: str
    events: Sequence[str]
    schedule: str
    inputs: str
    prompt: str
    model: str
    effort: str


def workflow(draft: Draft) -> str:
    """The YAML of a workflow that runs the agent. Raises BadRequest."""
    given = _inputs(draft.inputs)
    for name, value in (
        ("prompt", draft.prompt),
        ("model", draft.model),
        ("reasoning_effort", draft.effort),
    ):
        if value:
            given[name] = value
    lines = [f"name: {_quoted(draft.name)}", "on:", *_triggers(draft), "permissions:"]
    lines += [f"  {name}: write" for name in ("contents", "pull-requests", "issues")]
    lines += ["jobs:", "  agent:", "    runs-on: ubuntu-latest", "    timeout-minutes: 60"]
    if "comment-added" in draft.events:
        # Anybody may comment; the agent answers to people who belong to the repository.
        members = '["OWNER", "MEMBER", "COLLABORATOR"]'
        lines.append(
            "    if: github.event_name != 'issue_comment' || "
            f"contains(fromJSON('{members}'), github.event.comment.author_association)"
        )
    lines += ["    steps:", "      - uses: actions/checkout@v4", f"      - uses: {_ACTION}"]
    lines += ["        with:", "          factory_api_key: ${{ secrets.FACTORY_API_KEY }}"]
    lines += [f"          {name}: {_quoted(value)}" for name, value in given.items()]
    return "\n".join(lines) + "\n"


def _triggers(draft: Draft) -> list[str]:
    kinds: dict[str, dict[str, None]] = {}
    for event in draft.events:
        if event not in EVENTS:
            raise _invalid(f"githubEvents are some of {', '.join(EVENTS)}.")
        trigger, types = EVENTS[event]
        kinds.setdefault(trigger, {}).update(dict.fromkeys(types))
    lines = []
    for trigger, types_of in kinds.items():
        lines.append(f"  {trigger}:")
        if types_of:
            lines.append(f"    types: [{', '.join(types_of)}]")
    if draft.schedule:
        if not _CRON.fullmatch(draft.schedule):
            raise _invalid("schedule is five fields of cron, such as 0 9 * * 1.")
        lines += ["  schedule:", f"    - cron: {_quoted(draft.schedule)}"]
    return [*lines, "  workflow_dispatch:"]


def _inputs(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        parts = _INPUT.fullmatch(line)
        if parts is None:
            raise _invalid("yamlParams is lines of the form `name: value`.")
        found[parts[1]] = parts[2].strip("\"'")
    return found


def _quoted(text: str) -> str:
    """A text as YAML and JSON both write it."""
    return msgspec.json.encode(text).decode()


def _invalid(detail: str) -> BadRequest:
    return BadRequest(detail, code="invalid_changes")

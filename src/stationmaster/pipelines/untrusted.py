"""Which texts of a run come from outside, and how they get into steps.

They are followed through the environment, through outputs of earlier steps of the job, and through
inputs of local actions and called workflows, as far as the files say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.pipelines import expressions
from stationmaster.pipelines.expressions import Flow
from stationmaster.pipelines.model import Step
from stationmaster.pipelines.view import View

DEPTH_MAX = 6
WORK_MAX = 5_000
"""Steps of a workflow that are looked into for where values come from."""
_SCRIPT_MAX = 65_536
_LINES_MAX = 2_000

_REQUEST = "pull_request pull_request_target pull_request_review pull_request_review_comment"
_COMMENT = "issue_comment discussion_comment commit_comment pull_request_review_comment"
_PERSON = r"(?:author|committer)\.(?:email|name)"
_SOURCES: tuple[tuple[str, str], ...] = (
    (r"github\.event\.issue\.(?:title|body)", "issues issue_comment"),
    (r"github\.event\.discussion\.(?:title|body)", "discussion discussion_comment"),
    (r"github\.event\.pull_request\.(?:title|body)", _REQUEST),
    (r"github\.event\.pull_request\.head\.(?:ref|label|repo\.default_branch)", _REQUEST),
    (r"github\.head_ref", "pull_request pull_request_target"),
    (r"github\.event\.comment\.body", _COMMENT),
    (r"github\.event\.review\.body", "pull_request_review"),
    (r"github\.event\.review_comment\.body", "pull_request_review_comment"),
    (r"github\.event\.changes\.(?:title|body)\.from", f"issues {_REQUEST}"),
    (r"github\.event\.pages\.[^.]+\.page_name", "gollum"),
    (rf"github\.event\.commits\.[^.]+\.(?:message|{_PERSON})", "push"),
    (rf"github\.event\.head_commit\.(?:message|{_PERSON})", "push"),
    (r"github\.event\.workflow_run\.(?:head_branch|display_title)", "workflow_run"),
    (rf"github\.event\.workflow_run\.head_commit\.(?:message|{_PERSON})", "workflow_run"),
    (r"github\.event\.workflow_run\.pull_requests\.[^.]+\.head\.ref", "workflow_run"),
)
"""Values that people without rights choose, and the events that have them."""
_PATTERNS = tuple((re.compile(pattern), frozenset(events.split())) for pattern, events in _SOURCES)
_WHOLE = {
    "github": None,
    "github.event": None,
    "github.event.issue": "issues issue_comment",
    "github.event.comment": _COMMENT,
    "github.event.discussion": "discussion discussion_comment",
    "github.event.pull_request": _REQUEST,
    "github.event.pull_request.head": _REQUEST,
    "github.event.review": "pull_request_review",
    "github.event.commits": "push",
    "github.event.head_commit": "push",
    "github.event.workflow_run": "workflow_run",
}
"""What holds such values, where all of it is written out."""
_OUTSIDE = frozenset(
    f"issues discussion push gollum workflow_run pull_request_review {_REQUEST} {_COMMENT}".split()
)

ACTION_OUTPUTS: tuple[tuple[str, str], ...] = (
    ("tj-actions/changed-files@", r".*files$"),
    ("tj-actions/branch-names@", r"(?:head_ref|current|ref)_?branch"),
    ("jitterbit/get-changed-files@", r".*"),
    ("dorny/paths-filter@", r".*_files$"),
    ("xt0rted/pull-request-comment-branch@", r"head_ref"),
    ("alessbell/pull-request-comment-branch@", r"head_ref"),
    ("peter-murray/issue-body-parser-action@", r".*"),
    ("stefanbuck/github-issue-parser@", r".*"),
    ("issue-ops/parser@", r".*"),
)
"""Actions whose outputs are what somebody wrote: names of files and branches, forms."""
_SET_OUTPUT = re.compile(
    r"setOutput\(\s{0,9}['\"`]([\w-]{1,100})['\"`]\s{0,9},\s{0,9}([^;\n]{1,500})"
)
_WRITTEN = re.compile(
    r"\.(?:title|body|body_text|message|head\.ref|head\.label|head_ref|diff|patch|comments?)\b"
)
_FETCHED = re.compile(
    r"\bgh\s+(?:issue|pr)\s+(?:view|list|diff)\b|\bgh\s+api\b[^\n]{0,200}(?:issues|pulls|comments)"
)
_OUTPUT = re.compile(r"steps\.([^.]+)\.outputs\.([^.]+)(?:\..*)?")
_JOB_OUTPUT = re.compile(r"needs\.([^.]+)\.outputs\.([^.]+)(?:\..*)?")


class Sources:
    """What of one workflow comes from outside."""

    def __init__(self, view: View, wanted: re.Pattern[str] | None = None) -> None:
        """`wanted` are names of values that are looked for instead."""
        self._view = view
        self._wanted = wanted
        self._outputs: dict[tuple[str, str, str, str], list[str]] = {}
        self._events = _events(view)
        self._left = WORK_MAX

    def of(self, step: Step, text: str) -> list[str]:
        """The outside values that may come out of the expressions in a text of a step."""
        flows = (each for flow in expressions.flows(text) for each in self._of(step, flow, 0))
        return list(dict.fromkeys(flows))

    def variables(self, step: Step) -> dict[str, list[str]]:
        """The variables of a step's environment that hold such values."""
        told = {name: self.of(step, value) for name, value in step.env.items() if "${{" in value}
        return {name: sources for name, sources in told.items() if sources}

    def _of(self, step: Step, flow: Flow, depth: int) -> Iterator[str]:
        if self._is_outside(flow):
            yield flow.path
        elif depth >= DEPTH_MAX:
            return
        elif flow.path.startswith("env."):
            yield from self._of_variable(step, flow.path.removeprefix("env."), depth)
        elif flow.path.startswith("inputs."):
            yield from self._of_input(step, flow.path.removeprefix("inputs."), depth)
        elif (named := _OUTPUT.fullmatch(flow.path)) is not None:
            yield from self._of_output(step, named[1], named[2], depth)
        elif (named := _JOB_OUTPUT.fullmatch(flow.path)) is not None:
            yield from self._of_job(named[1], named[2], depth)

    def _is_outside(self, flow: Flow) -> bool:
        if self._wanted is not None:
            return self._wanted.fullmatch(flow.path) is not None
        for pattern, events in _PATTERNS:
            if pattern.fullmatch(flow.path):
                return self._events is None or bool(events & self._events)
        if not flow.is_whole or flow.path not in _WHOLE:
            return False
        needed = _WHOLE[flow.path]
        wanted = _OUTSIDE if needed is None else frozenset(needed.split())
        return self._events is None or bool(wanted & self._events)

    def _texts(self, step: Step, text: str, depth: int) -> Iterator[str]:
        for flow in expressions.flows(text):
            yield from self._of(step, flow, depth + 1)

    def _of_variable(self, step: Step, name: str, depth: int) -> Iterator[str]:
        for own, value in step.env.items():
            if own.lower() == name:
                yield from self._texts(step, value, depth)
        for earlier in self._earlier(step):
            yield from self._written(earlier, "GITHUB_ENV", name, depth)

    def _of_input(self, step: Step, name: str, depth: int) -> Iterator[str]:
        """What the caller gives a local action, or callers in the commit give a workflow."""
        if step.path != self._view.path:
            caller = self._caller(step)
            if caller is not None:
                yield from self._given(caller, name, depth)
            return
        for view, call in self._view.callers:
            yield from Sources(view, self._wanted)._given(call, name, depth + 2)

    def _given(self, call: Step, name: str, depth: int) -> Iterator[str]:
        for own, value in call.inputs.items():
            if own.lower() == name:
                yield from self._texts(call, value, depth)

    def _caller(self, step: Step) -> Step | None:
        """The step before it that uses the local action in whose file it stands."""
        folder = step.path.rpartition("/")[0]
        for earlier in reversed(list(self._earlier(step, same_file=False))):
            uses = (earlier.uses or "").partition("@")[0]
            # The repository may be checked out to a folder, which the reference then begins with.
            named = f"/{uses[2:].strip('/')}"
            if uses.startswith(("./", "$/")) and named.endswith(f"/{folder}"):
                return earlier
        return None

    def _of_output(self, step: Step, of: str, name: str, depth: int) -> Iterator[str]:
        for earlier in self._earlier(step):
            if earlier.id is not None and earlier.id.lower() == of:
                key = (earlier.job, earlier.path, of, name)
                if key not in self._outputs:
                    self._outputs[key] = []  # An output that is made of itself adds nothing.
                    self._outputs[key] = list(self._made(earlier, name, depth))
                yield from self._outputs[key]

    def _of_job(self, job: str, name: str, depth: int) -> Iterator[str]:
        """What another job of the workflow hands on; it stands behind that job's last step."""
        for own, outputs in self._view.facts.outputs.items():
            steps = [step for step in self._view.steps.get(own, []) if step.path == self._view.path]
            if own.lower() != job or not steps:
                continue
            for output, value in outputs.items():
                if output.lower() == name:
                    # A copy of the last step, so that all of them are earlier ones.
                    yield from self._texts(replace(steps[-1]), value, depth)

    def _made(self, step: Step, name: str, depth: int) -> Iterator[str]:
        for action, outputs in ACTION_OUTPUTS:
            if (step.uses or "").lower().startswith(action) and re.fullmatch(outputs, name):
                yield f"{action.removesuffix('@')} {name}"
        if (step.uses or "").startswith("actions/github-script@"):
            script = step.inputs.get("script", "")[:_SCRIPT_MAX]
            for own, value in _SET_OUTPUT.findall(script):
                if own.lower() == name and _WRITTEN.search(value):
                    yield value.strip().rstrip(")")
        yield from self._written(step, "GITHUB_OUTPUT", name, depth)

    def _written(self, step: Step, file: str, name: str, depth: int) -> Iterator[str]:
        """What a script writes as a value of this name into one of the runner's files."""
        script = (step.script or "")[:_SCRIPT_MAX]
        if file not in script:
            return
        lines = script.split("\n")[:_LINES_MAX]
        starts = re.compile(rf"(?i)\b{re.escape(name)}(<<|=)")
        named = [(text, found[1]) for text in lines if (found := starts.search(text)) is not None]
        for text, mark in named:
            yield from self._read(step, script if mark == "<<" else text, depth)

    def _read(self, step: Step, text: str, depth: int) -> Iterator[str]:
        """What of outside a piece of a script reads: by expressions, variables or commands."""
        yield from self._texts(step, text, depth)
        for variable, value in step.env.items():
            if re.search(rf"\$\{{?{re.escape(variable)}\b", text):
                yield from self._texts(step, value, depth)
        if (fetched := _FETCHED.search(text)) is not None:
            yield fetched[0]

    def _earlier(self, step: Step, *, same_file: bool = True) -> Iterator[Step]:
        for each in self._view.steps.get(step.job, []):
            self._left -= 1
            if each is step or self._left < 0:
                return
            if each.path == step.path or not same_file:
                yield each


def _events(view: View) -> frozenset[str] | None:
    """The events that start it; None where others call it that cannot be seen."""
    if view.is_called_from_elsewhere:
        return None
    return frozenset(trigger.event for trigger in view.triggers)

"""Which texts of a run outsiders write, and how they get into steps.

They are followed through the environment, through outputs of earlier steps of the job, and through
inputs of local actions and called workflows, as far as the files state it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from stationmaster.catalogue import untrusted as catalogue
from stationmaster.pipelines import expressions
from stationmaster.pipelines.expressions import Flow
from stationmaster.pipelines.model import LOCAL, SCRIPT_MAX, Step
from stationmaster.pipelines.view import View

DEPTH_MAX = 6
WORK_MAX = 5_000
"""Steps of a workflow that are searched for the sources of values."""
_LINES_MAX = 2_000

_SET_OUTPUT = re.compile(
    r"setOutput\(\s{0,9}['\"`]([\w-]{1,100})['\"`]\s{0,9},\s{0,9}([^;\n]{1,500})"
)
_WRITTEN = re.compile(
    r"\.(?:title|body|body_text|message|head\.ref|head\.label|head_ref|diff|patch|comments?)\b"
)
_FETCHED = re.compile(
    r"\bgh\s+(?:issue|pr)\s+(?:view|list|diff)\b|\bgh\s+api\b[^\n]{0,200}(?:issues|pulls|comments)"
)
OUTPUT = re.compile(r"steps\.([^.]+)\.outputs\.([^.]+)(?:\..*)?")
JOB_OUTPUT = re.compile(r"needs\.([^.]+)\.outputs\.([^.]+)(?:\..*)?")
"""References to an output: whose it is, and its name."""


class Sources:
    """What of one workflow outsiders write."""

    def __init__(self, view: View, wanted: re.Pattern[str] | None = None) -> None:
        """`wanted` are names of values that are looked for instead."""
        self._view = view
        self._wanted = wanted
        self._outputs: dict[tuple[str, str, str, str], list[str]] = {}
        self._events = _events(view)
        self._left = WORK_MAX

    def of(self, step: Step, text: str) -> list[str]:
        """The outside values that the expressions in a text of a step may return."""
        flows = (path for flow in expressions.flows(text) for path in self._of(step, flow, 0))
        return list(dict.fromkeys(flows))

    def variables(self, step: Step) -> dict[str, list[str]]:
        """The variables of a step's environment that hold such values."""
        by_name = {name: self.of(step, value) for name, value in step.env.items() if "${{" in value}
        return {name: sources for name, sources in by_name.items() if sources}

    def _of(self, step: Step, flow: Flow, depth: int) -> Iterator[str]:
        if self._is_outside(flow):
            yield flow.path
        elif depth >= DEPTH_MAX:
            return
        elif flow.path.startswith("env."):
            yield from self._of_variable(step, flow.path.removeprefix("env."), depth)
        elif flow.path.startswith("inputs."):
            yield from self._of_input(step, flow.path.removeprefix("inputs."), depth)
        elif (named := OUTPUT.fullmatch(flow.path)) is not None:
            yield from self._of_output(step, named[1], named[2], depth)
        elif (named := JOB_OUTPUT.fullmatch(flow.path)) is not None:
            yield from self._of_job(named[1], named[2], depth)

    def _is_outside(self, flow: Flow) -> bool:
        if self._wanted is not None:
            return self._wanted.fullmatch(flow.path) is not None
        for pattern, events in catalogue.sources():
            if pattern.fullmatch(flow.path):
                return self._events is None or bool(events & self._events)
        wanted = catalogue.whole().get(flow.path) if flow.is_whole else None
        return wanted is not None and (self._events is None or bool(wanted & self._events))

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
                yield from self._of_argument(caller, name, depth)
            return
        for view, call in self._view.callers:
            yield from Sources(view, self._wanted)._of_argument(call, name, depth + 2)

    def _of_argument(self, call: Step, name: str, depth: int) -> Iterator[str]:
        for own, value in call.inputs.items():
            if own.lower() == name:
                yield from self._texts(call, value, depth)

    def _caller(self, step: Step) -> Step | None:
        """The step before it that uses the local action whose file contains it."""
        folder = step.path.rpartition("/")[0]
        for earlier in reversed(list(self._earlier(step, same_file=False))):
            uses = (earlier.uses or "").partition("@")[0]
            # The repository may be checked out to a folder, which the reference then begins with.
            named = f"/{uses[2:].strip('/')}"
            if uses.startswith(LOCAL) and named.endswith(f"/{folder}"):
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
        """What another job of the workflow passes on; it is behind that job's last step."""
        for own, outputs in self._view.facts.outputs.items():
            steps = [step for step in self._view.steps.get(own, []) if step.path == self._view.path]
            if own.lower() != job or not steps:
                continue
            for output, value in outputs.items():
                if output.lower() == name:
                    # A copy of the last step, so that all of them are earlier ones.
                    yield from self._texts(replace(steps[-1]), value, depth)

    def _made(self, step: Step, name: str, depth: int) -> Iterator[str]:
        outputs = catalogue.untrusted().outputs.get(step.action)
        if outputs is not None and re.fullmatch(outputs, name):
            yield f"{step.action} {name}"
        if step.action == "actions/github-script":
            script = step.inputs.get("script", "")[:SCRIPT_MAX]
            for own, value in _SET_OUTPUT.findall(script):
                if own.lower() == name and _WRITTEN.search(value):
                    yield value.strip().rstrip(")")
        yield from self._written(step, "GITHUB_OUTPUT", name, depth)

    def _written(self, step: Step, file: str, name: str, depth: int) -> Iterator[str]:
        """What a script writes as a value of this name into one of the runner's files."""
        script = step.text
        if file not in script:
            return
        lines = script.split("\n")[:_LINES_MAX]
        starts = re.compile(rf"(?i)\b{re.escape(name)}(<<|=)")
        named = [(text, match[1]) for text in lines if (match := starts.search(text)) is not None]
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
        for earlier in self._view.steps.get(step.job, []):
            self._left -= 1
            if earlier is step or self._left < 0:
                return
            if earlier.path == step.path or not same_file:
                yield earlier


def _events(view: View) -> frozenset[str] | None:
    """The events that start it; None where others call it that cannot be seen."""
    if view.is_called_from_elsewhere:
        return None
    return frozenset(trigger.event for trigger in view.triggers)

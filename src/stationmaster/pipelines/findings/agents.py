"""Where a coding agent meets what people without rights write.

A checkout of their code before an agent is `untrusted-checkout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stationmaster.pipelines import expressions
from stationmaster.pipelines.agents.recognition import programs
from stationmaster.pipelines.agents.steps import OWN_CHECK, Running
from stationmaster.pipelines.findings.injection import evaluated
from stationmaster.pipelines.findings.rule import Hit, Look, at_step
from stationmaster.pipelines.model import Severity, Step
from stationmaster.pipelines.untrusted import JOB_OUTPUT, OUTPUT
from stationmaster.pipelines.view import View

_BY_OTHERS = frozenset({"issue_comment", "discussion_comment"})
"""Events that one person sends about what another one wrote."""
_ASSIGNED = frozenset({"labeled", "assigned", "unlabeled", "milestoned"})
_PLAIN_OUTPUTS = frozenset(
    {"conclusion", "session_id", "execution_file", "branch_name", "github_token", "outcome"}
    | {"response-file", "output-file", "execution-file", "session-id", "exit_code", "error"}
)
"""Outputs that are no text of the agent."""


def _prompt_injection(view: View) -> Iterator[Hit]:
    for running in view.running:
        severity = _reach(view, running)
        if severity is not None:
            outside = running.prompt.outside[0]
            message = (
                f"{running.record.agent} is instructed by text that anyone can write: {outside}"
            )
            yield at_step(view, running.step, message, running.prompt.evidence, severity)


def _reach(view: View, running: Running) -> Severity | None:
    """How bad it is that an agent's prompt has text from outside; None where it has none, or only
    that of the people who may start it."""
    if not view.open_triggers or not running.prompt.outside:
        return None
    if running.record.gate is None or running.options.open_to:
        return "high" if view.gate(running.step.job, running.step) is None else "medium"
    if running.record.gate == OWN_CHECK and running.record.can_write:
        return "medium"  # The check is the action's, which may change, and the text is an order.
    is_about_others = any(
        trigger.event in _BY_OTHERS or _ASSIGNED & set(trigger.types)
        for trigger in view.open_triggers
    )
    is_own = all(path.endswith(("comment.body", "review.body")) for path in running.prompt.outside)
    return "medium" if is_about_others and not is_own else None


def _unrestricted(view: View) -> Iterator[Hit]:
    for running in view.running:
        record, options = running.record, running.options
        signs = [*options.open_to]
        if options.is_free:
            tools = ((tool, tool.partition("(")[2]) for tool in options.tools)
            any_tool = next((tool for tool, of in tools if of in ("", "*)", "*:*)")), None)
            signs.append(any_tool or options.sandbox or "")
        if not signs:
            continue
        severity: Severity | None = "low" if record.trigger == "members" else None
        if _reach(view, running) == "high":
            severity = "high"
        what = "anyone may start it" if options.open_to else "it may run anything"
        near = signs[0].partition(":")[0] if options.open_to else signs[0]
        yield at_step(view, running.step, f"{record.agent}: {what}", signs[0], severity, near=near)


def _output_run(view: View) -> Iterator[Hit]:
    for running in view.running:
        if running.step.id is None or not _outputs_are_texts(running):
            continue
        own = running.step.id.lower()
        for step in view.behind(running.step):
            if step.path == running.step.path:
                yield from _evaluates(view, step, {("steps", own)}, running)
        job_output = _agent_outputs(view, running.step.job, own)
        for job, others in view.steps.items():
            if job_output and job != running.step.job:
                for step in others:
                    yield from _evaluates(view, step, job_output, running)


def _outputs_are_texts(running: Running) -> bool:
    """Are outputs of the step texts of the agent? Those of a script may be anything else."""
    script = running.step.text
    names = "|".join(
        re.escape(program)
        for program, (agent, _) in programs().items()
        if agent == running.record.agent
    )
    if running.step.uses is not None:
        return True
    taken = re.findall(rf"\b(\w{{1,99}})=\"?\$\([^\n]{{0,300}}\b(?:{names})\b", script)
    written = [text for text in script.split("\n") if "GITHUB_OUTPUT" in text]
    return any(re.search(rf"\$\{{?{name}\b", text) for name in taken for text in written)


def _agent_outputs(view: View, job: str, step: str) -> set[tuple[str, str]]:
    """The outputs of a job that are texts of its agent."""
    outputs = view.facts.outputs.get(job, {})
    return {
        (job.lower(), name.lower())
        for name, value in outputs.items()
        for flow in expressions.flows(value)
        if (match := OUTPUT.fullmatch(flow.path)) is not None
        and match[1] == step
        and match[2] not in _PLAIN_OUTPUTS
    }


def _evaluates(
    view: View, step: Step, texts: set[tuple[str, str]], running: Running
) -> Iterator[Hit]:
    """Where a step puts a text of the agent into a script, or has a shell evaluate it."""
    severity: Severity | None = "medium" if running.record.trigger == "members" else None
    message = f"the answer of {running.record.agent} becomes part of a script"
    for expression in evaluated(step):
        if _holds(expression, texts):
            yield at_step(view, step, message, expression, severity)
    script = step.text
    if "eval" not in script and " -c" not in script:
        return
    for name, value in step.env.items():
        if _holds(value, texts):
            run = re.search(
                rf"\b(?:eval|(?:ba|z|da)?sh\s+-c)\s+[\"']?\$\{{?{re.escape(name)}\b", script
            )
            if run is not None:
                yield at_step(view, step, message, run[0], severity)


def _holds(text: str, texts: set[tuple[str, str]]) -> bool:
    for flow in expressions.flows(text):
        own = OUTPUT.fullmatch(flow.path)
        if own is not None and ("steps", own[1]) in texts and own[2] not in _PLAIN_OUTPUTS:
            return True
        job_output = JOB_OUTPUT.fullmatch(flow.path)
        if job_output is not None and (job_output[1], job_output[2]) in texts:
            return True
    return False


def _write_no_gate(view: View) -> Iterator[Hit]:
    for running in view.running:
        record = running.record
        if record.can_write and record.trigger == "outsiders" and record.gate is None:
            rights = record.permissions or {}
            scopes = [scope for scope, may in sorted(rights.items()) if may == "write"]
            evidence = ", ".join(f"{scope}: write" for scope in scopes)
            message = f"anyone can start {record.agent} with write permission"
            yield at_step(view, running.step, message, evidence, near=running.step.uses)


LOOKS: dict[str, Look] = {
    "agent-prompt-injection": _prompt_injection,
    "agent-unrestricted": _unrestricted,
    "agent-output-exec": _output_run,
    "agent-write-no-gate": _write_no_gate,
}

"""A workflow's text with other inputs for its agent's step: only the step's `with:` changes.

The step is the first of a job that uses an agent's action; what it uses, and its pin, stay as they
are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import yaml

from stationmaster.errors import BadRequest
from stationmaster.pipelines.agents import options as agent_options, recognition as agents
from stationmaster.repos import yaml_nodes

_INPUT = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,60}):[ \t]*(\S.{0,300})")
_WHOLE = "Send the whole file as changes.content."


class NotEditable(Exception):
    """The inputs cannot be set in this file; the text gives the reason, for a person."""


class StepInputs(NamedTuple):
    """`named` are inputs by name. The other three are set by whatever name the step has for them;
    an empty one stays as it is.
    """

    named: Mapping[str, str]
    prompt: str = ""
    model: str = ""
    effort: str = ""

    def __bool__(self) -> bool:
        return bool(self.named or self.prompt or self.model or self.effort)


class _Edit(NamedTuple):
    """Characters `start` to `end` of a file become `text`."""

    start: int
    end: int
    text: str


def parse(lines: str) -> dict[str, str]:
    """Inputs by name, from lines `name: value`. Raises BadRequest."""
    inputs: dict[str, str] = {}
    for line in filter(None, map(str.strip, lines.splitlines())):
        parts = _INPUT.fullmatch(line)
        if parts is None:
            raise BadRequest(
                "yamlParams is lines of the form `name: value`.", code="invalid_changes"
            )
        inputs[parts[1]] = parts[2].strip("\"'")
    return inputs


def with_inputs(text: str, inputs: StepInputs) -> str:
    """The text of a workflow with these inputs. Raises NotEditable.

    All else in the file stays; a file where that cannot be done is refused.
    """
    before = _loaded(text)
    job, number, step = _agent_step(yaml.compose(text, yaml.CBaseLoader))
    member = _member(step, "with")
    if member is not None and not isinstance(member, yaml.MappingNode):
        raise NotEditable(f"`with` of the agent's step is not a mapping. {_WHOLE}")
    values = _by_own_names(inputs, [key.value for key, _ in member.value] if member else [])
    edited = text
    for edit in sorted(_edits(text, step, member, values), reverse=True):
        edited = edited[: edit.start] + edit.text + edited[edit.end :]
    if _loaded(edited) != _with_values(before, job, number, values):
        raise NotEditable(f"The inputs cannot be set in this file without other changes. {_WHOLE}")
    return edited


def _loaded(text: str) -> Any:
    """The content of a file of bounded size and depth, every scalar as text. Raises NotEditable."""
    try:
        yaml_nodes.read(text.encode(), merges=False)
        return yaml.CBaseLoader(text).get_single_data()
    except (yaml_nodes.Fault, yaml.YAMLError) as wrong:
        raise NotEditable(f"The file cannot be read as YAML. {_WHOLE}") from wrong


def _agent_step(root: yaml.Node | None) -> tuple[str, int, yaml.MappingNode]:
    """The job, the number and the node of the first step that uses an agent's action."""
    jobs = _member(root, "jobs")
    for job, node in jobs.value if isinstance(jobs, yaml.MappingNode) else []:
        steps = _member(node, "steps")
        for number, step in enumerate(steps.value if isinstance(steps, yaml.SequenceNode) else []):
            used = _member(step, "uses")
            if isinstance(used, yaml.ScalarNode) and agents.of_action(used.value) is not None:
                return job.value, number, step
    raise NotEditable(f"No step of the file uses the action of an agent. {_WHOLE}")


def _member(node: yaml.Node | None, name: str) -> yaml.Node | None:
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for key, value in pairs if key.value == name), None)


def _by_own_names(inputs: StepInputs, present: list[str]) -> dict[str, str]:
    roles = (
        (agent_options.prompt_input(present), inputs.prompt),
        (agent_options.model_input(present), inputs.model),
        (agent_options.effort_input(present), inputs.effort),
    )
    return {**inputs.named, **{name: value for name, value in roles if value}}


def _edits(
    text: str, step: yaml.MappingNode, inputs: yaml.MappingNode | None, values: Mapping[str, str]
) -> list[_Edit]:
    if inputs is None:
        return [_new_with(text, step, values)]
    edits = []
    present = {key.value: value for key, value in inputs.value}
    for name in present.keys() & values.keys():
        start, end = present[name].start_mark.index, present[name].end_mark.index
        end = start + len(text[start:end].rstrip())
        space = " " if start == end else ""
        edits.append(_Edit(start, end, space + _quoted(values[name])))
    added = [f"{name}: {_quoted(values[name])}" for name in values if name not in present]
    if added and inputs.flow_style:
        start = inputs.start_mark.index + 1
        edits.append(_Edit(start, start, ", ".join(added) + (", " if present else "")))
    elif added:
        start, column = inputs.start_mark.index, inputs.start_mark.column
        edits.append(_Edit(start, start, "".join(f"{line}\n{' ' * column}" for line in added)))
    return edits


def _new_with(text: str, step: yaml.MappingNode, values: Mapping[str, str]) -> _Edit:
    """A `with:` below the line of `uses`, or behind it in a mapping in braces."""
    key, used = next(pair for pair in step.value if pair[0].value == "uses")
    lines = [f"{name}: {_quoted(value)}" for name, value in values.items()]
    if step.flow_style:
        end = used.end_mark.index
        return _Edit(end, end, f", with: {{{', '.join(lines)}}}")
    end = text.find("\n", used.end_mark.index)
    end = len(text) if end < 0 else end
    indent = " " * key.start_mark.column
    block = ["with:", *(f"  {line}" for line in lines)]
    return _Edit(end, end, "".join(f"\n{indent}{line}" for line in block))


def _with_values(root: Any, job: str, number: int, values: Mapping[str, str]) -> Any:
    """The content of a file with the inputs in this step alone: aliases of it keep the old ones."""
    steps = list(root["jobs"][job]["steps"])
    steps[number] = {**steps[number], "with": {**steps[number].get("with", {}), **values}}
    return {**root, "jobs": {**root["jobs"], job: {**root["jobs"][job], "steps": steps}}}


def _quoted(text: str) -> str:
    """A text as YAML and JSON both write it."""
    return msgspec.json.encode(text).decode()

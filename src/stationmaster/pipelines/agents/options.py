"""The input of an agent in a workflow: prompts, tools, and how freely it may act, by the inputs of
its action or the options of its command; which of that may be shown, and the kind of its work.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from stationmaster.agents.cards import traces
from stationmaster.agents.cards.traces import reviewers
from stationmaster.catalogue.agent_inputs import inputs
from stationmaster.catalogue.agents import Traces
from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.commands import started
from stationmaster.pipelines.model import SCRIPT_MAX, Step, Template, distinct, line

_ARGUMENTS_MAX = 8_192
_TOOLS_MAX = 100
_TOOL = re.compile(r"[^\s,()\"']{1,200}(?:\([^()]{0,500}\))?")
_MODEL = re.compile(r"[^\s-]\S{0,199}")
_INPUTS = inputs()
_OPTIONS, _FREE = _INPUTS.options, _INPUTS.free
INPUTS_MAX = 50
HIDDEN = "***"
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth(?!or)")
_EXPRESSION = re.compile(r"\$\{\{[^}]*\}\}|\$[A-Za-z_]\w*|\$\{\w+\}|true|false")
_SECRET_TEXT = re.compile(
    r"\b(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abps]|fk|key|AKIA|AIza|eyJ)[-_A-Za-z0-9.]{16,}"
    r"|\b(?=[A-Za-z+]*[0-9])[A-Za-z0-9+]{32,}\b|://[^/\s:@]*:[^/\s@]+@"
)
"""What secrets look like: known beginnings, long words, passwords in addresses."""


class Options(NamedTuple):
    """`prompts` are texts, `files` names of those with the rest; `sandbox` is the file's word for
    how freely it acts; `open_to` are inputs that let everybody in."""

    prompts: list[str]
    files: list[str]
    tools: list[str]
    sandbox: str | None
    open_to: list[str]
    own_check: bool
    is_free: bool


def of(step: Step, agent: str) -> Options:
    """The input of a step for the agent that it runs."""
    words = list(_words(step, agent))
    step_inputs = {name.lower(): value[:SCRIPT_MAX] for name, value in step.inputs.items()}
    listed = (tool for name in _INPUTS.tools for tool in _TOOL.findall(step_inputs.get(name, "")))
    tools = [*listed, *_tools_in(words), *_settings(step_inputs.get("settings", ""))]
    action, shown = "/".join(step.action.split("/")[:2]), traces.every().get(agent, Traces())
    own_check = shown.own_checks.get(action)
    sandbox = _sandbox(words, step_inputs, shown.yolo)
    if sandbox is None and action in shown.free_actions:
        sandbox = "--yolo"
    is_off = sandbox is not None and _is_off(sandbox)
    has_any = any(tool.lower() in _FREE.tools for tool in tools)
    return Options(
        prompts=_prompts(step, step_inputs, words),
        files=[v for name, v in step_inputs.items() if name in _INPUTS.prompt_files and v.strip()],
        tools=distinct(tools, _TOOLS_MAX),
        sandbox=sandbox,
        open_to=[
            f"{name}: *" for name in _INPUTS.open_to if _is_everybody(step_inputs.get(name, ""))
        ],
        own_check=own_check is not None and not _is_everybody(step_inputs.get(own_check, "")),
        is_free=has_any or (is_off and not tools),
    )


def model(step: Step, agent: str) -> str | None:
    """The model that a step sets for an agent: by an input, in any spelling, else by the
    option of its command.
    """
    named = [name for name in step.inputs if re.fullmatch(_INPUTS.model, name.lower())]
    for name in sorted(named, key=lambda name: name.lower() != "model"):
        if value := step.inputs[name].strip():
            return value
    words = list(_words(step, agent))
    for word, after in pairwise([*words, ""]):
        flag, equals, value = word.partition("=")
        if flag in _OPTIONS.model and (chosen := value if equals else after):
            return chosen if _MODEL.fullmatch(chosen) else None
    return None


def prompt_input(names: Sequence[str]) -> str:
    """The first of a step's inputs that is a prompt, else `prompt`."""
    return next((name for name in names if name.lower() in _INPUTS.prompts), "prompt")


def model_input(names: Sequence[str]) -> str:
    """The input of a step that names the model, else `model`."""
    return _one_of(names, _INPUTS.model, "model")


def effort_input(names: Sequence[str]) -> str:
    """The input of a step that sets how much the model reasons, else `reasoning_effort`."""
    return _one_of(names, _INPUTS.effort, "reasoning_effort")


def _one_of(names: Sequence[str], pattern: str, usual: str) -> str:
    fitting = [name for name in names if re.fullmatch(pattern, name.lower())]
    return usual if usual in fitting or not fitting else fitting[0]


def _is_everybody(value: str) -> bool:
    return value.strip().strip("\"'[] ") == "*"


def _is_off(level: str) -> bool:
    return level.rpartition(" ")[2].lower() in _FREE.levels


def _words(step: Step, agent: str) -> Iterator[str]:
    """The words of the agent's command in a script, or of the options that its action takes."""
    if step.uses is None:
        for command in started(step.text):
            if command.words[0].rpartition("/")[2] in _FREE.sandboxes:
                yield f"--sandbox={command.words[0]}"
            if agents.of_command(command) == agent:
                yield from command.words
        return
    for name in _INPUTS.arguments:
        text = step.inputs.get(name, "")[:_ARGUMENTS_MAX]
        try:
            yield from shlex.split(text, comments=True)
        except ValueError:
            yield from text.split()


def _prompts(step: Step, step_inputs: dict[str, str], words: list[str]) -> list[str]:
    if step.uses is None:
        return [step.text]
    values = [
        value for name, value in step_inputs.items() if name in _INPUTS.prompts and value.strip()
    ]
    return values + [word for word in words if not word.startswith("-") and " " in word]


def _tools_in(words: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(words):
        name, equals, value = words[place].partition("=")
        place += 1
        if name.lower() not in _OPTIONS.tools:
            continue
        if equals:
            yield from _TOOL.findall(value)
        while not equals and place < len(words) and not words[place].startswith("-"):
            yield from _TOOL.findall(words[place])
            place += 1


def _settings(text: str) -> Iterator[str]:
    """The tools that settings in JSON allow."""
    try:
        settings = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return
    for keys in _INPUTS.settings:
        value = settings
        for key in keys.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list):
            yield from (rule for rule in value if isinstance(rule, str))


def _sandbox(words: Sequence[str], step_inputs: dict[str, str], yolo: str) -> str | None:
    """How freely it acts, as the file states; the setting that allows most counts."""
    levels: list[str] = []
    for word, after in pairwise([*words, ""]):
        name, equals, value = word.partition("=")
        if name in _OPTIONS.levels and (equals or (after and not after.startswith("-"))):
            levels.append(f"{name} {value if equals else after}")
        elif name in _OPTIONS.switches or (yolo and name == yolo):
            levels.append(name)
    levels += [
        f"{name}: {step_inputs[name]}"
        for name in _INPUTS.levels
        if step_inputs.get(name, "").strip()
    ]
    if not levels:
        return None
    is_boxed = any(level.rpartition(" ")[2] in _FREE.sandboxes for level in levels)
    off = next((level for level in levels if _is_off(level)), None)
    return line(levels[0] if is_boxed or off is None else off)


def shown_inputs(step_inputs: Mapping[str, str]) -> dict[str, str]:
    """Inputs as they may be shown: on one line, cut short, and nothing that may be a secret.

    An expression such as `${{ secrets.NAME }}` names a secret and stays.
    """
    return {
        line(name): _value(name, value) for name, value in list(step_inputs.items())[:INPUTS_MAX]
    }


def template(
    path: str, name: str | None, agents: Sequence[str], step_inputs: Mapping[str, str] | None
) -> Template | None:
    """The published kind of an agent workflow, by its agent's switches, else by its names."""
    if not agents:
        return None
    for switch, kind in _INPUTS.switches.items():
        if (step_inputs or {}).get(switch, "").lower() == "true":
            return kind
    names = re.sub(r"[_./-]+", " ", f"{path.rpartition('/')[2]} {name or ''}").lower()
    for words, kind in _INPUTS.templates.items():
        if re.search(words, names):
            return kind
    return "code-review" if reviewers() & set(agents) else None


def without_user(location: str) -> str:
    """An address without the name and password that it may contain, and without its query."""
    return re.sub(r"(?<=://)[^/@]*@", "", location).partition("?")[0]


def _value(name: str, value: str) -> str:
    if _EXPRESSION.fullmatch(value.strip()):
        return value.strip()
    if _SECRET_NAME.search(name) or _SECRET_TEXT.search(value):
        return HIDDEN
    return line(value)

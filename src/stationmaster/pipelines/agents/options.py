"""What an agent is given in a workflow: prompts, tools, and how freely it may act.

By the inputs of its action, or by the options of its command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import msgspec

from stationmaster.pipelines.agents import recognition as agents
from stationmaster.pipelines.model import Step, distinct, line
from stationmaster.pipelines.scripts import started

_TEXT_MAX = 65_536
_ARGUMENTS_MAX = 8_192
_TOOLS_MAX = 100
_PROMPTS = frozenset(
    {"prompt", "direct_prompt", "override_prompt", "custom_instructions", "instructions", "task"}
    | {"system-prompt", "system_prompt", "append_system_prompt", "message", "instruction", "query"}
    | {"user_prompt", "review_prompt", "user_request", "goal", "additional_instructions"}
    | {"custom_prompt", "input", "custom-instructions"}
)
"""Inputs of actions that are, or become part of, what the agent is told."""
_PROMPT_FILES = frozenset(
    {
        "prompt-file",
        "prompt_file",
        "prompt-path",
        "prompt_path",
        "custom_security_scan_instructions",
    }
    | {"custom-security-scan-instructions", "recipe"}
)
_ARGUMENTS = (
    "claude_args",
    "droid_args",
    "codex-args",
    "gemini_args",
    "args",
    "extra_args",
    "claude_env",
    "cli_args",
)
_TOOL_INPUTS = ("allowed_tools", "allowed-tools", "tools")
_TOOL_FLAGS = frozenset({"--allowedtools", "--allowed-tools", "--allow-tool", "--enabled-tools"})
_TOOL = re.compile(r"[^\s,()\"']{1,200}(?:\([^()]{0,500}\))?")
_LEVELS = frozenset(
    {"--sandbox", "-s", "--permission-mode", "--approval-mode", "--auto", "--ask-for-approval"}
)
"""Options that take the word for how freely the agent may act."""
_SWITCHES = frozenset(
    {"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox", "--yolo"}
    | {"--full-auto", "--skip-permissions-unsafe", "--allow-all-tools", "--allow-all", "--force"}
    | {"--dangerously-allow-all", "--yes-always", "--trust-all-tools"}
)
_SHORT_YOLO = {"gemini-cli": "-y", "qwen-code": "-y", "cline": "-y"}
_MODEL_FLAGS = frozenset({"--model", "-m"})
_MODEL_INPUT = re.compile(r"(?:[a-z0-9]+[_-])?model(?:[_-](?:name|id))?")
_EFFORT_INPUT = re.compile(r"(?:[a-z0-9]+[_-])?(?:reasoning[_-])?effort")
_MODEL = re.compile(r"[^\s-]\S{0,199}")
_INPUT_LEVELS = ("sandbox", "safety-strategy", "permission_mode", "approval_mode")
_OFF = frozenset(
    {"danger-full-access", "unsafe", "bypasspermissions", "yolo", "--yolo", "-y", "--allow-all"}
    | {"--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox"}
    | {"--skip-permissions-unsafe", "--allow-all-tools", "--dangerously-allow-all"}
    | {"--trust-all-tools"}
)
_OWN_SANDBOX = ("awf", "srt", "bwrap", "firejail")
"""Programs that put the one behind them into a sandbox of their own."""
_ANY_TOOL = frozenset(
    {"*", "bash", "bash(*)", "bash(*:*)", "shell", "shell(*)", "run_shell_command", "execute"}
    | {"run_shell_command(*)"}
)
_OPEN_INPUTS = (
    "allowed_non_write_users",
    "allowed_bots",
    "allow-users",
    "allow-bots",
    "allow-bot-users",
    "allowed-users",
)
_OWN_CHECK: dict[str, str] = {
    "anthropics/claude-code-action": "allowed_non_write_users",
    "factory-ai/droid-action": "allowed_non_write_users",
    "openai/codex-action": "allow-users",
}
"""Actions that start for people with write access alone, unless this input says otherwise."""
_ALWAYS_FREE = frozenset({"google-github-actions/run-gemini-cli"})
"""Actions that ask for no approval of any tool; what settings do not take away may be used."""


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
    """What a step gives an agent that it runs."""
    words = list(_words(step, agent))
    inputs = {name.lower(): value[:_TEXT_MAX] for name, value in step.inputs.items()}
    settings = _settings(inputs.get("settings", ""))
    tools = [*_tools_of(inputs), *_tools_in(words), *settings]
    sandbox = _sandbox(words, inputs, agent)
    action = _name(step)
    if sandbox is None and action in _ALWAYS_FREE:
        sandbox = "--yolo"
    has_list = bool(tools)
    is_off = sandbox is not None and sandbox.rpartition(" ")[2].lower() in _OFF
    is_free = any(tool.lower() in _ANY_TOOL for tool in tools) or (is_off and not has_list)
    return Options(
        prompts=_prompts(step, inputs, words),
        files=[value for name, value in inputs.items() if name in _PROMPT_FILES and value.strip()],
        tools=distinct(tools, _TOOLS_MAX),
        sandbox=sandbox,
        open_to=[f"{name}: *" for name in _OPEN_INPUTS if _is_everybody(inputs.get(name, ""))],
        own_check=action in _OWN_CHECK and not _is_everybody(inputs.get(_OWN_CHECK[action], "")),
        is_free=is_free,
    )


def model(step: Step, agent: str) -> str | None:
    """The model that a step gives an agent: by an input, in whatever spelling, else by the option
    of its command.
    """
    named = [name for name in step.inputs if _MODEL_INPUT.fullmatch(name.lower())]
    for name in sorted(named, key=lambda name: name.lower() != "model"):
        if value := step.inputs[name].strip():
            return value
    words = list(_words(step, agent))
    for word, after in pairwise([*words, ""]):
        flag, equals, value = word.partition("=")
        if flag in _MODEL_FLAGS and (chosen := value if equals else after):
            return chosen if _MODEL.fullmatch(chosen) else None
    return None


def prompt_input(names: Sequence[str]) -> str:
    """The first of a step's inputs that is a prompt, else `prompt`."""
    return next((name for name in names if name.lower() in _PROMPTS), "prompt")


def model_input(names: Sequence[str]) -> str:
    """The input of a step that names the model, else `model`."""
    return _one_of(names, _MODEL_INPUT, "model")


def effort_input(names: Sequence[str]) -> str:
    """The input of a step that says how much the model reasons, else `reasoning_effort`."""
    return _one_of(names, _EFFORT_INPUT, "reasoning_effort")


def _one_of(names: Sequence[str], pattern: re.Pattern[str], usual: str) -> str:
    fitting = [name for name in names if pattern.fullmatch(name.lower())]
    return usual if usual in fitting or not fitting else fitting[0]


def _name(step: Step) -> str:
    return "/".join((step.uses or "").partition("@")[0].lower().split("/")[:2])


def _is_everybody(value: str) -> bool:
    return value.strip().strip("\"'[] ") == "*"


def _words(step: Step, agent: str) -> Iterator[str]:
    """The words of the agent's command in a script, or of the options that its action takes."""
    if step.uses is None:
        for command in started((step.script or "")[:_TEXT_MAX]):
            if command.words[0].rpartition("/")[2] in _OWN_SANDBOX:
                yield f"--sandbox={command.words[0]}"
            if agents.of_command(command) == agent:
                yield from command.words
        return
    for name in _ARGUMENTS:
        text = step.inputs.get(name, "")[:_ARGUMENTS_MAX]
        try:
            yield from shlex.split(text, comments=True)
        except ValueError:
            yield from text.split()


def _prompts(step: Step, inputs: dict[str, str], words: list[str]) -> list[str]:
    if step.uses is None:
        return [(step.script or "")[:_TEXT_MAX]]
    values = [value for name, value in inputs.items() if name in _PROMPTS and value.strip()]
    return values + [word for word in words if not word.startswith("-") and " " in word]


def _tools_of(inputs: dict[str, str]) -> Iterator[str]:
    for name in _TOOL_INPUTS:
        yield from _TOOL.findall(inputs.get(name, ""))


def _tools_in(words: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(words):
        name, equals, value = words[place].partition("=")
        place += 1
        if name.lower() not in _TOOL_FLAGS:
            continue
        if equals:
            yield from _TOOL.findall(value)
        while not equals and place < len(words) and not words[place].startswith("-"):
            yield from _TOOL.findall(words[place])
            place += 1


def _settings(text: str) -> list[str]:
    """The tools that settings in JSON allow: those of Claude Code, or of Gemini CLI."""
    try:
        told = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return []
    settings: list[str] = []
    for keys in (("permissions", "allow"), ("tools", "core"), ("tools", "allowed"), ("coreTools",)):
        value = told
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, list):
            settings += [each for each in value if isinstance(each, str)]
    return settings


def _sandbox(words: Sequence[str], inputs: dict[str, str], agent: str) -> str | None:
    """How freely it acts, as the file says it; what frees it most counts."""
    found: list[str] = []
    for place, word in enumerate(words):
        name, equals, value = word.partition("=")
        after = words[place + 1] if place + 1 < len(words) else ""
        if name in _LEVELS and (equals or (after and not after.startswith("-"))):
            found.append(f"{name} {value if equals else after}")
        elif name in _SWITCHES or name == _SHORT_YOLO.get(agent):
            found.append(name)
    found += [f"{name}: {inputs[name]}" for name in _INPUT_LEVELS if inputs.get(name, "").strip()]
    if not found:
        return None
    is_boxed = any(each.rpartition(" ")[2] in _OWN_SANDBOX for each in found)
    off = next((each for each in found if each.rpartition(" ")[2].lower() in _OFF), None)
    return line(found[0] if is_boxed or off is None else off)

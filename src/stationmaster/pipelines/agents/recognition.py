"""Which coding agents a step of a workflow runs: by the action it uses, or by its commands.

An agent goes by the product name that telemetry has for it, where there is one. What only installs,
asks for a version or calls a model runs no agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise

from stationmaster.agents.shell.commands import Started
from stationmaster.pipelines.scripts import TEXT_MAX, started

ACTIONS: tuple[tuple[str, str], ...] = (
    ("anthropics/claude-code-*", "claude-code"),
    ("openai/codex-action", "codex"),
    ("google-github-actions/run-gemini-cli", "gemini-cli"),
    ("google-gemini/gemini-cli-action", "gemini-cli"),
    ("factory-ai/droid-action", "droid"),
    ("qwenlm/qwen-code-action", "qwen-code"),
    ("sst/opencode/github", "opencode"),
    ("anomalyco/opencode/github", "opencode"),
    ("augmentcode/augment-agent", "auggie"),
    ("augmentcode/review-pr", "auggie"),
    ("warpdotdev/warp-agent-action", "warp"),
    ("warpdotdev/oz-agent-action", "warp"),
    ("google-labs-code/jules-*", "jules"),
    ("docker/cagent-action", "cagent"),
    ("block/goose*", "goose"),
    ("pullfrog/pullfrog", "pullfrog"),
    ("all-hands-ai/openhands*", "openhands"),
    ("openhands/*", "openhands"),
    ("cursor/*", "cursor"),
    ("charmbracelet/crush*", "crush"),
    ("moonshotai/*", "kimi-cli"),
    ("mistralai/*vibe*", "vibe"),
    ("qodo-ai/pr-agent", "pr-agent"),
    ("codium-ai/pr-agent", "pr-agent"),
    ("codiumai/*", "pr-agent"),
    ("coderabbitai/*", "coderabbit"),
    ("kodustech/*", "kodus"),
    ("sourcery-ai/action", "sourcery"),
    ("presubmit/ai-reviewer", "ai-reviewer"),
    ("anc95/chatgpt-codereview", "chatgpt-codereview"),
    ("freeedcom/ai-codereviewer", "ai-codereviewer"),
)
"""Patterns of `owner/name` or `owner/name/folder` in lower case, with the agent behind them."""

REVIEWERS = frozenset(
    {"pr-agent", "coderabbit", "kodus", "sourcery", "ai-reviewer", "chatgpt-codereview"}
    | {"ai-codereviewer"}
)
"""Agents that do nothing but review changes."""

ENGINES = {
    "copilot": "copilot-cli",
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini-cli",
}
"""What compiled agentic workflows call their engines."""

_PACKAGES = {
    "@anthropic-ai/claude-code": "claude",
    "@openai/codex": "codex",
    "@google/gemini-cli": "gemini",
    "@github/copilot": "copilot-cli",
    "@qwen-code/qwen-code": "qwen",
    "@augmentcode/auggie": "auggie",
    "@sourcegraph/amp": "amp",
    "@kilocode/cli": "kilocode",
    "opencode-ai": "opencode",
    "aider-chat": "aider",
}
"""Programs by the package that runners such as npx start them from."""
_RUNNERS = (
    ("npx",),
    ("bunx",),
    ("uvx",),
    ("pnpx",),
    ("pnpm", "dlx"),
    ("yarn", "dlx"),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("npm", "x"),
    ("bun", "x"),
    ("pipx", "run"),
    ("uv", "tool", "run"),
    ("uv", "run"),
    ("poetry", "run"),
    ("xargs",),
)
_RUNNER_WORDS = 6

Test = Callable[[Started], bool]


def _flag(*names: str) -> Test:
    """One of these options is given, alone or with `=value`."""

    def given(command: Started) -> bool:
        return any(word.partition("=")[0] in names for word in command.words[1:])

    return given


def _verb(*chains: str) -> Test:
    """The words that are no options begin with one of these chains."""

    def called(command: Started) -> bool:
        words = [word for word in command.words[1:] if not word.startswith("-")]
        return any(words[: len(chain)] == chain for chain in map(str.split, chains))

    return called


def _piped(command: Started) -> bool:
    return command.is_piped


def _prompt(command: Started) -> bool:
    """A prompt is given, or the answer is to be printed; `-p` with a number is a port."""
    words = command.words
    return _flag("--prompt", "--print")(command) or any(
        word == "-p" and not after.isdigit() for word, after in pairwise((*words[1:], ""))
    )


PROGRAMS: dict[str, tuple[str, tuple[Test, ...]]] = {
    "claude": ("claude-code", (_prompt, _piped)),
    "codex": (
        "codex",
        (
            _verb("exec", "e", "review"),
            _flag("--full-auto", "--yolo", "--dangerously-bypass-approvals-and-sandbox"),
        ),
    ),
    "droid": ("droid", (_verb("exec"),)),
    "gemini": ("gemini-cli", (_prompt, _flag("-y", "--yolo", "--approval-mode"), _piped)),
    "opencode": ("opencode", (_verb("run", "github run"),)),
    "copilot": ("copilot-cli", (_prompt, _flag("--allow-all-tools"))),
    "gh": ("copilot-cli", (_verb("copilot", "agent-task create"),)),
    "cursor-agent": ("cursor", (_prompt,)),
    "agent": ("cursor", (_prompt,)),
    "aider": (
        "aider",
        (_flag("-m", "--message", "-f", "--message-file", "--yes", "--yes-always"),),
    ),
    "goose": ("goose", (_verb("run"),)),
    "amp": ("amp", (_flag("-x", "--execute"),)),
    "qwen": ("qwen-code", (_prompt, _piped)),
    "kimi": ("kimi-cli", (_prompt,)),
    "crush": ("crush", (_verb("run"),)),
    "auggie": ("auggie", (_prompt,)),
    "cline": ("cline", (_verb("task"), _flag("-y", "--yolo", "-o", "--oneshot"), _piped)),
    "kilocode": ("kilocode", (_flag("--auto"),)),
    "openhands": ("openhands", (_flag("--headless"),)),
    "jules": ("jules", (_verb("new", "remote new"),)),
    "q": ("amazon-q", (_flag("--no-interactive"),)),
    "kiro-cli": ("kiro", (_verb("chat"),)),
    "warp": ("warp", (_verb("agent run"),)),
    "oz": ("warp", (_verb("agent run"),)),
    "plandex": ("plandex", (_verb("tell", "build", "continue"),)),
    "vibe": ("vibe", (_prompt,)),
    "grok": ("grok", (_prompt,)),
    "pi": ("pi", (_prompt,)),
}
"""By program: the agent, and what in a command says that it works without a person."""

_HINT = re.compile(
    "|".join(rf"\b{re.escape(name)}\b" for name in (*PROGRAMS, *_PACKAGES)), re.ASCII
)


@lru_cache(maxsize=1024)
def of_action(reference: str) -> str | None:
    """The agent that an action or a called workflow `owner/name[/folder][@ref]` runs, or None."""
    steps = reference.partition("@")[0].strip().lower().split("/")
    if len(steps) < 2 or steps[0] in ("", ".", "$"):
        return None
    named, whole = "/".join(steps[:2]), "/".join(steps)
    for pattern, agent in ACTIONS:
        if fnmatchcase(named, pattern) or fnmatchcase(whole, pattern):
            return agent
    return None


class Commands:
    """The agents of scripts; a script that many jobs share is read once."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, ...]] = {}

    def agents(self, script: str) -> tuple[str, ...]:
        """The agents that a script starts, in its order."""
        if (known := self._known.get(script)) is None:
            known = self._known[script] = _of_script(script[:TEXT_MAX])
        return known


def _of_script(script: str) -> tuple[str, ...]:
    if _HINT.search(script) is None:
        return ()
    found = (of_command(command) for command in started(script))
    return tuple(dict.fromkeys(agent for agent in found if agent is not None))


def of_command(command: Started) -> str | None:
    """The agent that a command starts, or None."""
    words = _without_runner(command.words)
    if not words:
        return None
    name = _program(words[0])
    known = PROGRAMS.get(_PACKAGES.get(name, name))
    if known is None:
        return None
    agent, tests = known
    called = Started(tuple(words), command.is_piped)
    return agent if any(test(called) for test in tests) else None


def _without_runner(words: Sequence[str]) -> Sequence[str]:
    for runner in _RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            rest = words[len(runner) :]
            # Options of the runner itself come first, such as `-y` or `--from package`.
            for index, word in enumerate(rest[:_RUNNER_WORDS]):
                if _PACKAGES.get(_program(word), _program(word)) in PROGRAMS and (
                    index + 1 == len(rest) or _program(rest[index + 1]) not in PROGRAMS
                ):
                    return rest[index:]
            return ()
    return words


def _program(word: str) -> str:
    """The base name of a program, or a package's name, without its version."""
    name = word.replace("\\", "/").removesuffix(".exe").removesuffix(".cmd")
    name = name[:1] + name[1:].partition("@")[0]
    return name if name in _PACKAGES else name.rpartition("/")[2]

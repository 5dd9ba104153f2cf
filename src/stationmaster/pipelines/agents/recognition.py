"""Which coding agents a step of a workflow runs: by the action it uses, or by its commands.

An agent has the product name of its telemetry, where there is one. A command that only installs,
prints a version or calls a model runs no agent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from stationmaster.agents.cards import traces
from stationmaster.agents.shell.commands import Started
from stationmaster.catalogue.agent_inputs import inputs
from stationmaster.catalogue.agents import Starts
from stationmaster.catalogue.table import matching
from stationmaster.pipelines.commands import started
from stationmaster.pipelines.model import SCRIPT_MAX

_RUNNER_WORDS = 6


@cache
def programs() -> dict[str, tuple[str, Starts]]:
    """By program: the agent, and what in a command shows that it works without a person."""
    return {
        program: (agent, starts)
        for agent, shown in traces.every().items()
        for program, starts in shown.programs.items()
    }


@cache
def _packages() -> dict[str, str]:
    """Programs by the package that runners such as npx start them from."""
    return {
        package: program
        for shown in traces.every().values()
        for package, program in shown.packages.items()
    }


@cache
def _hint() -> re.Pattern[str]:
    names = (*programs(), *_packages())
    return re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names), re.ASCII)


def engine(word: str) -> str | None:
    """The agent that compiled agentic workflows call so, or None."""
    return next((a for a, shown in traces.every().items() if word and shown.engine == word), None)


def _is_unattended(command: Started, starts: Starts) -> bool:
    """Does a command run its agent without a person?"""
    words = command.words[1:]
    return (
        (starts.piped and command.is_piped)
        or any(word.partition("=")[0] in starts.flags for word in words)
        or (starts.prompt and _has_prompt(words))
        or _begins(words, starts.verbs)
    )


def _begins(words: Sequence[str], chains: Iterable[str]) -> bool:
    """Do the words that are no options begin with one of these chains?"""
    plain = [word for word in words if not word.startswith("-")]
    return any(plain[: len(chain)] == chain for chain in map(str.split, chains))


def _has_prompt(words: Sequence[str]) -> bool:
    """Is a prompt given, or the answer to be printed? `-p` with a number is a port."""
    return any(word.partition("=")[0] in ("--prompt", "--print") for word in words) or any(
        word == "-p" and not after.isdigit() for word, after in pairwise((*words, ""))
    )


@lru_cache(maxsize=1024)
def of_action(reference: str) -> str | None:
    """The agent that an action or a called workflow `owner/name[/folder][@ref]` runs, or None."""
    steps = reference.partition("@")[0].strip().lower().split("/")
    if len(steps) < 2 or steps[0] in ("", ".", "$"):
        return None
    named, whole = "/".join(steps[:2]), "/".join(steps)
    for agent, shown in traces.every().items():
        if matching((named, whole), shown.actions):
            return agent
    return None


@lru_cache(maxsize=1024)
def of_script(script: str) -> tuple[str, ...]:
    """The agents that a script starts, in its order."""
    script = script[:SCRIPT_MAX]
    if _hint().search(script) is None:
        return ()
    agents = (of_command(command) for command in started(script))
    return tuple(dict.fromkeys(agent for agent in agents if agent is not None))


def of_command(command: Started) -> str | None:
    """The agent that a command starts, or None."""
    words = _without_runner(command.words)
    if not words:
        return None
    name = _program(words[0])
    entry = programs().get(_packages().get(name, name))
    if entry is None:
        return None
    agent, starts = entry
    return agent if _is_unattended(Started(tuple(words), command.is_piped), starts) else None


def _without_runner(words: Sequence[str]) -> Sequence[str]:
    for runner in map(str.split, inputs().runners):
        if list(words[: len(runner)]) == runner:
            rest = words[len(runner) :]
            # Options of the runner itself are first, such as `-y` or `--from package`.
            for index, word in enumerate(rest[:_RUNNER_WORDS]):
                if _packages().get(_program(word), _program(word)) in programs() and (
                    index + 1 == len(rest) or _program(rest[index + 1]) not in programs()
                ):
                    return rest[index:]
            return ()
    return words


def _program(word: str) -> str:
    """The base name of a program, or a package's name, without its version."""
    name = word.replace("\\", "/").removesuffix(".exe").removesuffix(".cmd")
    name = name[:1] + name[1:].partition("@")[0]
    return name if name in _packages() else name.rpartition("/")[2]

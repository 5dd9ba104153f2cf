"""The agents that can be started, and what each speaks with who started it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple

from stationmaster.errors import BadRequest, did_you_mean

Language = Literal["acp", "claude", "codex"]
"""The Agent Client Protocol, or a stream of the agent's own."""


class Program(NamedTuple):
    """`variables` are added to the environment of this process."""

    command: tuple[str, ...]
    language: Language = "acp"
    variables: Mapping[str, str] = MappingProxyType({})


PROGRAMS = {
    "claude-code": Program(
        (
            *("claude", "-p", "--verbose"),
            *("--output-format", "stream-json", "--input-format", "stream-json"),
            *("--permission-prompt-tool", "stdio"),
        ),
        "claude",
    ),
    "codex": Program(("codex", "exec"), "codex"),
    "copilot-cli": Program(("copilot", "--acp")),
    "droid": Program(("droid", "exec", "--output-format", "acp")),
    "gemini-cli": Program(("gemini", "--acp")),
    "opencode": Program(("opencode", "acp")),
    "qwen-code": Program(("qwen", "--acp")),
}


def allowed(texts: list[str]) -> dict[str, Program]:
    """The programs that are meant by `NAME`, or by `NAME=COMMAND` for one that speaks the Agent
    Client Protocol. Raises BadRequest."""
    programs = {}
    for text in texts:
        name, is_own, command = text.partition("=")
        if is_own:
            try:
                words = tuple(shlex.split(command))
            except ValueError as fault:
                raise BadRequest(f"{command!r} is no command: {fault}", code="bad_agent") from None
            if not words or not name.replace("-", "").isalnum() or not name.isascii():
                raise BadRequest(f"{text!r} is not NAME=COMMAND", code="bad_agent")
            programs[name] = Program(words)
        elif name in PROGRAMS:
            programs[name] = PROGRAMS[name]
        else:
            raise BadRequest(
                f"{name!r} is no agent that can be started; known are {', '.join(PROGRAMS)}."
                f"{did_you_mean(name, PROGRAMS)} Any other one that speaks the Agent Client "
                "Protocol: NAME=COMMAND.",
                code="bad_agent",
            )
    return programs

"""The agents that can be started, and what each speaks with who started it."""

from __future__ import annotations

import shlex

from stationmaster.agents import cards
from stationmaster.agents.cards.card import Program
from stationmaster.errors import BadRequest, did_you_mean


def programs_by_name() -> dict[str, Program]:
    """The programs of the agents that can be started, by agent, in alphabetical order."""
    programs = {card.product: card.program for card in cards.every() if card.program}
    return dict(sorted(programs.items()))


def allowed(texts: list[str]) -> dict[str, Program]:
    """The programs that are meant by `NAME`, or by `NAME=COMMAND` for one that speaks the Agent
    Client Protocol. Raises BadRequest."""
    programs, agents = {}, programs_by_name()
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
        elif name in agents:
            programs[name] = agents[name]
        else:
            raise BadRequest(
                f"{name!r} is no agent that can be started; known are {', '.join(agents)}."
                f"{did_you_mean(name, agents)} Any other one that speaks the Agent Client "
                "Protocol: NAME=COMMAND.",
                code="bad_agent",
            )
    return programs

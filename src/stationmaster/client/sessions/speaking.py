"""What a session needs of an agent, in whatever language it speaks."""

from __future__ import annotations

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from stationmaster.agents.cards.card import Program
from stationmaster.client.sessions.process import AgentFault, Process
from stationmaster.session_messages import TEXT_MAX

Report = Callable[..., None]
"""Takes the kind of an update and its members."""


class Speaker(ABC):
    """One agent in one folder. Its methods raise AgentFault where the agent fails."""

    def __init__(self, program: Program, folder: str, report: Report) -> None:
        self._program, self._folder, self._report = program, folder, report
        self._process: Process | None = None
        self._permissions: dict[str, Any] = {}
        self._count = 0
        self._reading: asyncio.Task[str] | None = None

    async def begin(self) -> None:
        """Start the agent, until it takes prompts."""
        self._process = await Process.start(
            self._program.command, self._folder, self._program.variables
        )
        self._reading = asyncio.create_task(self._read(self._process))

    @abstractmethod
    async def prompt(self, text: str) -> str:
        """Have the agent work; why it stopped, once it has."""

    @abstractmethod
    async def decide(self, permission: str, option: str | None) -> None:
        """Answer a permission request that was reported."""

    @abstractmethod
    async def cancel(self) -> None:
        """Have the agent stop what it works on; `prompt` returns then."""

    async def ended(self) -> str:
        """How the agent ended, as a sentence, once it has without being asked to."""
        assert self._reading is not None
        return await asyncio.shield(self._reading)

    async def end(self) -> None:
        """End the agent and all that it started; again is fine."""
        if self._process is not None:
            await self._process.end()
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)

    @abstractmethod
    async def _hear(self, message: dict[str, Any]) -> None:
        """Take a message of the agent."""

    def _waiting(self) -> Iterable[asyncio.Future[Any]]:
        """What waits for the agent, and fails where that ends."""
        return ()

    async def _read(self, process: Process) -> str:
        """Take the agent's messages; how it ended."""
        try:
            async for message in process.messages():
                await self._hear(message)
            end = await process.last_words()
        except AgentFault as fault:
            end = str(fault)
        for future in self._waiting():
            if not future.done():
                future.set_exception(AgentFault(end))
                # It may be that nothing waits for it any more.
                future.exception()
        return end


def cut(value: Any, length: int = TEXT_MAX) -> str:
    """An agent's text for a person, with a mark where it is too long."""
    text = value if isinstance(value, str) else "" if value is None else _json(value)
    return text if len(text) <= length else text[: length - 1] + "…"


def parts(text: str) -> list[str]:
    """A text in pieces that fit into updates."""
    return [text[start : start + TEXT_MAX] for start in range(0, len(text), TEXT_MAX)]


def member(message: Any, *names: str) -> Any:
    """A member of a member of a message; None where one is missing."""
    for name in names:
        message = message.get(name) if isinstance(message, dict) else None
    return message


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)

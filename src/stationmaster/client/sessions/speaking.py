"""What a session needs of an agent, in whatever language it speaks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Protocol

from stationmaster.session_messages import TEXT_MAX

Tell = Callable[..., None]
"""Takes the kind of an update and its members."""


class Speaker(Protocol):
    """One agent in one folder. Its methods raise AgentFault where the agent fails."""

    async def begin(self) -> None:
        """Start the agent, until it takes prompts."""

    async def prompt(self, text: str) -> str:
        """Have the agent work; why it stopped, once it has."""

    async def decide(self, permission: str, option: str | None) -> None:
        """Answer a permission request that was reported."""

    async def cancel(self) -> None:
        """Have the agent stop what it works on; `prompt` returns then."""

    async def ended(self) -> str:
        """How the agent ended, once it has without being asked to."""

    async def end(self) -> None:
        """End the agent and all that it started; again is fine."""


def cut(value: Any, length: int = TEXT_MAX) -> str:
    """A text for a person of whatever an agent says, with a mark where it is too long."""
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
